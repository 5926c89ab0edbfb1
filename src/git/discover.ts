import { readFile, realpath } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { FerryError } from "../base/errors.ts";
import { oneLine } from "../base/text.ts";
import type { Git } from "./git.ts";
import { gitError } from "./runner.ts";

/** A repository as git sees it from a folder. Paths are absolute. */
export interface Repository {
  /** The top of the working copy; undefined in a bare repository. */
  readonly workTree: string | undefined;
  /** Of this working copy: in a linked worktree not the common one. */
  readonly gitDir: string;
  /** Where objects, refs and configuration lie. */
  readonly commonDir: string;
  readonly objectFormat: ObjectFormat;
}

export type ObjectFormat = "sha1" | "sha256";

/** Where HEAD points, with full branch names (`refs/heads/main`). */
export type Head =
  | { readonly state: "branch"; readonly ref: string; readonly commit: string }
  | { readonly state: "unborn"; readonly ref: string }
  | { readonly state: "detached"; readonly commit: string };

/**
 * The repository that a folder lies in; inside of a `.git` folder, where hooks may run, the one that it belongs to.
 * @throws FerryError not_found where there is none, failure where git refuses it (safe.directory)
 */
export async function discover(git: Git, folder: string): Promise<Repository> {
  const args = ["rev-parse", "--path-format=absolute", "--show-object-format", "--is-bare-repository"];
  const asked = [...args, "--git-dir", "--git-common-dir", "--show-toplevel"];
  const result = await git.run(asked, { cwd: folder });
  const [objectFormat, bare, gitDir, commonDir, workTree, ...rest] = result.stdout.toString("utf8").split("\n");
  if (gitDir === undefined || commonDir === undefined || rest.length > 1) throw notHere(folder, result);
  if (objectFormat !== "sha1" && objectFormat !== "sha256")
    throw new FerryError("failure", `objects of the format "${oneLine(objectFormat ?? "")}" are unknown to this version`);
  return {
    workTree: bare === "true" ? undefined : workTree === "" || workTree === undefined ? await workTreeOf(git, gitDir) : workTree,
    gitDir: await realpath(gitDir),
    commonDir: await realpath(commonDir),
    objectFormat,
  };
}

/** @throws FerryError failure where HEAD is broken */
export async function readHead(git: Git, repository: Repository): Promise<Head> {
  const options = { cwd: repository.workTree ?? repository.gitDir, gitDir: repository.gitDir };
  const [symbolic, resolved] = await Promise.all([
    git.run(["symbolic-ref", "--quiet", "HEAD"], options),
    git.run(["rev-parse", "--quiet", "--verify", "HEAD^{commit}"], options),
  ]);
  const ref = symbolic.code === 0 ? line(symbolic.stdout) : undefined;
  const commit = resolved.code === 0 ? line(resolved.stdout) : undefined;
  if (commit === undefined) {
    if (ref === undefined) throw gitError(["symbolic-ref"], symbolic);
    return { state: "unborn", ref };
  }
  return ref === undefined ? { state: "detached", commit } : { state: "branch", ref, commit };
}

function notHere(folder: string, result: { code: number; stderr: Buffer }): FerryError {
  if (/not a git repository/u.test(result.stderr.toString("utf8")))
    return new FerryError("not_found", `${oneLine(folder)} is not in a git repository`, {
      hint: "go to one, or name it with -C DIR",
    });
  if (result.code !== 0) return gitError(["rev-parse"], result);
  return new FerryError("failure", `${oneLine(folder)}: a repository with a line break in its path can't be read`);
}

/**
 * Inside of a git folder git knows of no working copy: a linked one is named in `gitdir`, from there where it is relative
 * (worktree.useRelativePaths in git-config(1)); the main one lies around `.git`.
 */
async function workTreeOf(git: Git, gitDir: string): Promise<string | undefined> {
  const linked = await readFile(`${gitDir}/gitdir`, "utf8").catch(missing);
  if (linked !== undefined) return dirname(resolve(gitDir, linked.replace(/\r?\n$/u, "")));
  return basename(gitDir) === ".git" ? line(await git.ok(["rev-parse", "--show-toplevel"], { cwd: dirname(gitDir) })) : undefined;
}

function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
  return undefined;
}

function line(output: Buffer): string {
  return output.toString("utf8").replace(/\r?\n$/u, "");
}
