import { dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { FerryError } from "../../../base/errors.ts";
import type { Repository } from "../../../wire/resources.ts";
import { Problem } from "../../problem.ts";
import type { SessionsDeps } from "../deps.ts";
import type { Mutex } from "../mutex.ts";
import { layout, own } from "./layout.ts";
import { defaultBranch, unreachable, updateMirror } from "./mirror.ts";
import { originAccess, originAddress, type OriginDeps } from "./origin-access.ts";

type Deps = OriginDeps & Pick<SessionsDeps, "git">;

/** Where a session is to begin. */
export interface Start {
  readonly sessionId: string;
  readonly repository: Repository;
  /** The session's branch, a short name that git takes. */
  readonly branch: string;
  /** "" where the repository's default is meant. */
  readonly baseBranch: string;
  /** A full id, "" for an unborn base, undefined for the head of the base branch. */
  readonly baseCommit: string | undefined;
}

export interface Base {
  readonly branch: string;
  /** "" where the base is unborn. */
  readonly commit: string;
}

/**
 * Makes a session's own bare repository, with its branch at the base. A commit of a local repository is fetched straight from
 * there, so that it needs neither a remote nor a branch; all else comes by way of the mirror, whose objects are borrowed.
 * @throws Problem 422 where the origin can't be read or has no such branch or commit
 */
export async function createRepository(deps: Deps, lock: Mutex, start: Start): Promise<Base> {
  const folder = layout.session(deps.data, start.sessionId);
  await deps.host.files.makeFolder(folder, 0o700);
  try {
    const path = localPath(start.repository.clone_url);
    if (path !== undefined && start.baseCommit !== undefined)
      return await fromPath(deps, path, { ...start, baseCommit: start.baseCommit });
    return await fromMirror(deps, lock, start);
  } catch (error) {
    await deps.host.files.remove(folder);
    throw error;
  }
}

/** The folder that an address names, where that is one of this machine. */
export function localPath(cloneUrl: string): string | undefined {
  if (cloneUrl.startsWith("file://")) return fileURLToPath(cloneUrl);
  return isAbsolute(cloneUrl) ? cloneUrl : undefined;
}

async function fromPath(deps: Deps, path: string, start: Start & { readonly baseCommit: string }): Promise<Base> {
  const { git, data } = deps;
  // Naming the path is the user's word for it; ownership is git's question for folders that one merely walks into.
  const trusted = { isolated: true, config: { "safe.directory": "*" }, env: { GIT_CEILING_DIRECTORIES: dirname(path) } };
  const asked = await git.run(["-C", path, "rev-parse", "--show-object-format"], { cwd: data, ...trusted });
  if (asked.code !== 0) throw new Problem(422, "repository_unreachable", `${path} is not a git repository`);
  const gitDir = await initialize(deps, start, asked.stdout.toString("utf8").trim());
  if (start.baseCommit === "") return { branch: start.baseBranch, commit: "" };
  const args = ["fetch", "--quiet", "--no-tags", "--update-shallow", "--no-write-fetch-head", `--upload-pack=${uploadPack}`];
  const refspec = `${start.baseCommit}:refs/heads/${start.branch}`;
  const fetched = await git.run([...args, "--", path, refspec], { ...own(gitDir), config: { "fetch.unpackLimit": "1" } });
  const there = await git.run(["rev-parse", "--quiet", "--verify", `refs/heads/${start.branch}^{commit}`], own(gitDir));
  if (there.stdout.toString("utf8").trim() === start.baseCommit) return { branch: start.baseBranch, commit: start.baseCommit };
  const said = fetched.stderr.toString("utf8").trim().split("\n").at(-1) ?? "";
  throw new Problem(
    422,
    "unknown_commit",
    `base_commit: ${path} has no commit ${start.baseCommit} to give${said === "" || notThere.test(said) ? "" : ` (${said})`}`,
  );
}

/** What upload-pack says of an id that it doesn't have, or gives to nobody. */
const notThere = /not our ref|unadvertised object/iu;

/** The serving side runs with a clean configuration, so what it is to allow goes with its name: any commit, whoever owns the folder. */
export const uploadPack = "git -c 'safe.directory=*' -c uploadpack.allowAnySHA1InWant=true upload-pack";

async function fromMirror(deps: Deps, lock: Mutex, start: Start): Promise<Base> {
  const { git, host } = deps;
  const mirror = await updateMirror(deps, lock, start.repository);
  const branch = start.baseBranch || start.repository.default_branch || (await defaultBranch(git, mirror));
  const commit = await resolveBase(deps, mirror, start, branch);
  const format = (await git.ok(["rev-parse", "--show-object-format"], own(mirror))).toString("utf8").trim();
  const gitDir = await initialize(deps, start, format);
  await host.files.write(join(gitDir, "objects", "info", "alternates"), `${join(mirror, "objects")}\n`);
  if (commit !== "") await git.ok(["update-ref", `refs/heads/${start.branch}`, commit], own(gitDir));
  return { branch, commit };
}

async function resolveBase(deps: Deps, mirror: string, { repository, baseCommit }: Start, branch: string): Promise<string> {
  const { git } = deps;
  if (baseCommit === "") return "";
  const wanted = baseCommit ?? `refs/heads/${branch}`;
  const found = await git.run(["rev-parse", "--quiet", "--verify", "--end-of-options", `${wanted}^{commit}`], own(mirror));
  if (found.code === 0) return found.stdout.toString("utf8").trim();
  if (baseCommit === undefined) {
    const any = await git.ok(["for-each-ref", "--count=1"], own(mirror));
    // A repository without any commit: the session begins with its first.
    if (any.length === 0) return "";
    throw new Problem(422, "unknown_branch", `base_branch: ${repository.full_name} has no branch "${branch}"`);
  }
  return fetchCommit(deps, mirror, repository, baseCommit);
}

/** A commit that no branch of the origin has (any more); most servers give it away by its id. */
async function fetchCommit(deps: Deps, mirror: string, repository: Repository, commit: string): Promise<string> {
  const { git } = deps;
  try {
    await git.ok(["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--", originAddress(repository), commit], {
      ...own(mirror),
      ...(await originAccess(deps, repository)),
    });
    await git.ok(["cat-file", "-e", `${commit}^{commit}`], own(mirror));
    return commit;
  } catch (error) {
    if (error instanceof FerryError && notThere.test(error.message))
      throw new Problem(422, "unknown_commit", `base_commit: ${repository.full_name} has no commit ${commit} to give`);
    throw unreachable(repository, error);
  }
}

async function initialize({ git, host, data }: Deps, { sessionId, branch }: Start, format: string): Promise<string> {
  const gitDir = layout.repository(data, sessionId);
  const args = ["init", "--quiet", "--bare", "--template=", `--object-format=${format}`, `--initial-branch=${branch}`, gitDir];
  await git.ok(args, { cwd: data, isolated: true });
  // Attributes of the machine or of the user would decide what is a text: the series is the same everywhere.
  await host.files.write(join(gitDir, "info", "attributes"), "* !diff !text !eol !ident !filter !working-tree-encoding\n");
  return gitDir;
}
