import { constants } from "node:fs";
import { access, lstat, readdir, realpath } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { FerryError } from "../../base/errors.ts";
import { oneLine } from "../../base/text.ts";
import { discover, readHead, type Repository } from "../../git/discover.ts";
import type { Git } from "../../git/git.ts";
import { noneUnlessKilled } from "../../git/runner.ts";
import { halfMadeError, isHalfMade } from "../recovery/half-made.ts";
import { listWorktrees } from "./list.ts";

/** A folder to land in: a working copy of the repository that is there, or one that is to be made. */
export type WorktreeFolder =
  | { readonly is: "there"; readonly path: string; readonly branch: string | undefined }
  | { readonly is: "new"; readonly path: string };

/**
 * Looks at the folder that was named. It may be another working copy of this repository, or nothing (an empty folder) outside of
 * git's own and of what this checkout would show as untracked.
 * @throws FerryError attention for anything else, usage for this very checkout
 */
export async function findFolder(git: Git, given: string, repository: Repository): Promise<WorktreeFolder> {
  const path = await realPath(resolve(given)).catch((error: unknown) => {
    throw unreachable(given, error);
  });
  if (path === (await realPath(repository.workTree ?? "")))
    throw new FerryError("usage", `${oneLine(given)} is this checkout itself`, { hint: "leave --worktree out" });
  if (isBelow(path, repository.commonDir)) throw refused(given, "lies in git's own folder");
  const names = await readdir(path).catch(missing);
  if (names === "no folder") throw refused(given, "is a file");
  const own = names === undefined || names.length === 0 ? undefined : await discover(git, path).catch(noneUnlessKilled);
  if (own?.workTree !== undefined && (await realPath(own.workTree)) === path) return existing(git, path, { own, repository });
  if (names !== undefined && names.length > 0) throw refused(given, "is there already, and is no worktree of this repository");
  await refuseInCheckout(git, path, repository);
  await refuseUnmakeable(git, path, repository);
  return { is: "new", path };
}

async function existing(
  git: Git,
  path: string,
  { own, repository }: { own: Repository; repository: Repository },
): Promise<WorktreeFolder> {
  if (own.commonDir !== repository.commonDir) throw refused(path, "is a working copy of another repository");
  if (await isHalfMade(own.gitDir)) throw halfMadeError(path);
  const head = await readHead(git, own);
  return { is: "there", path, branch: head.state === "detached" ? undefined : head.ref.replace(/^refs\/heads\//u, "") };
}

/** In the checkout it would be an untracked folder, unless git ignores it. */
async function refuseInCheckout(git: Git, path: string, { workTree, gitDir }: Repository): Promise<void> {
  if (workTree === undefined || !isBelow(path, await realPath(workTree))) return;
  const name = `${relative(await realPath(workTree), path)}/`;
  const ignored = await git.run(["check-ignore", "--quiet", "--", name], { cwd: workTree, gitDir, workTree });
  if (ignored.code !== 0) throw refused(path, "lies in this checkout, which would show it as untracked");
}

/** What `git worktree add` would stumble over, which comes when the branch has moved. */
async function refuseUnmakeable(git: Git, path: string, repository: Repository): Promise<void> {
  for (const listed of await listWorktrees(git, repository))
    if ((await realPath(listed.path).catch(() => listed.path)) === path)
      throw new FerryError("attention", `${oneLine(path)} is known as a worktree, but its files are gone`, {
        hint: "git worktree prune forgets it (one that is locked: git worktree unlock DIR first); or name another folder",
      });
  const above = await nearest(path);
  const isWritable = await access(above, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!isWritable) throw refused(path, `can't be made: ${oneLine(above)} can't be written`);
}

/** The deepest folder of a path that is there. */
async function nearest(path: string): Promise<string> {
  const is = await lstat(path).catch(() => undefined);
  return is === undefined && dirname(path) !== path ? nearest(dirname(path)) : path;
}

function unreachable(given: string, error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOTDIR") return refused(given, "lies in a file");
  if (code === "ELOOP") return refused(given, "goes through links in a circle");
  if (code === "EACCES") return refused(given, "can't be reached");
  return error;
}

function refused(path: string, why: string): FerryError {
  return new FerryError("attention", `${oneLine(path)} ${why}`, {
    hint: "name a folder that isn't there yet, or a worktree of this repository",
  });
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep);
}

/** Also of what isn't there yet: of the nearest folder that is. @throws FerryError attention for a link to nothing on the way */
async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT") || dirname(path) === path) throw error;
    if ((await lstat(path).catch(() => undefined)) !== undefined) throw refused(path, "is a link to what isn't there");
    return join(await realPath(dirname(path)), basename(path));
  }
}

function missing(error: NodeJS.ErrnoException): undefined | "no folder" {
  if (error.code === "ENOENT") return undefined;
  if (error.code === "ENOTDIR") return "no folder";
  throw error;
}
