import { basename, dirname, resolve } from "node:path";
import { FerryError } from "../base/errors.ts";
import { oneLine } from "../base/text.ts";
import { shellWord } from "../base/words.ts";
import type { Git, GitResult } from "./git.ts";
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
  const result = await git.run(repositoryQuery, { cwd: folder });
  return repositoryOf(git, folder, { result, lines: linesOf(result) });
}

/**
 * The same, and where its HEAD points.
 * @throws FerryError as discover and readHead do
 */
export async function discoverWithHead(git: Git, folder: string): Promise<{ repository: Repository; head: Head }> {
  const result = await git.run([...repositoryQuery, ...headQuery], { cwd: folder });
  const lines = linesOf(result);
  const head = headOf(result, lines.splice(-2));
  if (head !== undefined) return { head, repository: await repositoryOf(git, folder, { result, lines }) };
  const repository = await discover(git, folder);
  return { repository, head: await readHead(git, repository) };
}

/** @throws FerryError failure where HEAD is broken */
export async function readHead(git: Git, repository: Repository): Promise<Head> {
  const options = { cwd: repository.workTree ?? repository.gitDir, gitDir: repository.gitDir };
  const both = await git.run(["rev-parse", ...headQuery], options);
  const head = headOf(both, linesOf(both));
  if (head !== undefined) return head;
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

const repositoryQuery = [
  ...["rev-parse", "--path-format=absolute", "--show-object-format", "--is-bare-repository"],
  ...["--git-dir", "--git-common-dir", "--show-toplevel"],
];

/** Commit and branch in one question. It has no answer where there is no commit yet, or where a branch is itself called HEAD. */
const headQuery = ["HEAD^{commit}", "--symbolic-full-name", "HEAD"];

function headOf({ code }: GitResult, [commit = "", ref = "", ...rest]: readonly string[]): Head | undefined {
  if (code !== 0 || rest.length > 0) return undefined;
  if (ref === "HEAD") return { state: "detached", commit };
  return ref.startsWith("refs/heads/") ? { state: "branch", ref, commit } : undefined;
}

async function repositoryOf(
  git: Git,
  folder: string,
  { result, lines }: { result: GitResult; lines: readonly string[] },
): Promise<Repository> {
  const [objectFormat, bare, gitDir, commonDir, workTree, ...rest] = lines;
  if (gitDir === undefined || commonDir === undefined || rest.length > 0) throw notHere(folder, result);
  if (objectFormat !== "sha1" && objectFormat !== "sha256")
    throw new FerryError("failure", `objects of the format "${oneLine(objectFormat ?? "")}" are unknown to this version`);
  const { realpath } = await files();
  return {
    workTree: bare === "true" ? undefined : workTree === undefined ? await workTreeOf(git, gitDir) : workTree,
    gitDir: await realpath(gitDir),
    commonDir: await realpath(commonDir),
    objectFormat,
  };
}

function linesOf({ stdout }: GitResult): string[] {
  return stdout.toString("utf8").replace(/\n$/u, "").split("\n");
}

function notHere(folder: string, result: { code: number; stderr: Buffer }): FerryError {
  const said = result.stderr.toString("utf8");
  const [, foreign] = /^fatal: detected dubious ownership in repository at '(.*)'$/mu.exec(said) ?? [];
  if (foreign !== undefined)
    return new FerryError("failure", `git doesn't open ${oneLine(foreign)}: it belongs to another user`, {
      code: "dubious_ownership",
      hint: `if you trust what its configuration runs: git config --global --add safe.directory ${shellWord(foreign)}`,
    });
  if (/not a git repository/u.test(said))
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
  const { readFile } = await files();
  const linked = await readFile(`${gitDir}/gitdir`, "utf8").catch(missing);
  if (linked !== undefined) return dirname(resolve(gitDir, linked.replace(/\r?\n$/u, "")));
  return basename(gitDir) === ".git" ? line(await git.ok(["rev-parse", "--show-toplevel"], { cwd: dirname(gitDir) })) : undefined;
}

/** Loaded late: many commands look at no repository, and it brings half of Node's streams and readline along. */
function files(): Promise<typeof import("node:fs/promises")> {
  return import("node:fs/promises");
}

function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
  return undefined;
}

function line(output: Buffer): string {
  return output.toString("utf8").replace(/\r?\n$/u, "");
}
