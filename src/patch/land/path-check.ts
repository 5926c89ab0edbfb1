import { join } from "node:path";
import type { GitPath } from "../../git/path.ts";
import { type Change, modes } from "../../git/records.ts";
import { type Entry, presentAs, withIndex } from "./compare.ts";
import { type Found, look, Looker, stampsOf, walk } from "./disk.ts";
import { copyIndex, type IndexEntry, isIndexed, isStaged, readIndex } from "./index-entries.ts";
import { foldersOf, type Permissions, permissionsOf } from "./permissions.ts";
import type { Watched } from "./working-copy.ts";

export interface PathCheck {
  /** What is in the way: each path, and why. */
  readonly blocked: readonly { readonly path: GitPath; readonly why: string }[];
  /** Entries that lie in the working tree already, though the index doesn't know. */
  readonly present: readonly Entry[];
  readonly own: readonly Own[];
  readonly before: Before;
  /** What the files were like before anybody looked into them (recovery/aside.ts). */
  readonly stamps: ReadonlyMap<GitPath, string>;
}

/** What the working tree has already as it will be, an absent file among it, and not from the old tree: someone's own work. */
export interface Own extends Entry {
  /** Whether the index has it so, too. */
  readonly staged: boolean;
}

/** What was as it will be, or out of sight, before anything is written: not to be taken back. */
export interface Before {
  /** Paths that the working tree has so, or by the user's wish doesn't have. */
  readonly kept: readonly GitPath[];
  /** Paths that the index has so. */
  readonly indexed: readonly GitPath[];
  /** Paths with the skip-worktree bit. */
  readonly skipped: readonly GitPath[];
  /** Of all files that are there. Not in a journal of an earlier version. */
  readonly permissions?: Permissions | undefined;
  /** Of the folders that may go with what lies in them. Not in a journal of an earlier version. */
  readonly folders?: Permissions | undefined;
  /** Files that are kept aside (recovery/aside.ts). Not in a journal of an earlier version. */
  readonly aside?: readonly GitPath[] | undefined;
  /** What each of them was like, so that an edit shows. */
  readonly stamps?: readonly string[] | undefined;
}

/** Of a working copy that nothing is written in. */
export const untouched: Pick<PathCheck, "blocked" | "own"> = { blocked: [], own: [] };

const reasons = { changed: "has local changes", staged: "has staged changes", deletion: "is staged for deletion" };

/** Two sides of a merge that nobody has decided on: git can't stash that. */
export const unmerged = "is unmerged";

/** Git has nothing of it that could be lost or brought back. */
export const untracked = "is here, but not in git";

/** Reasons that git stash takes away. */
export const stashable: ReadonlySet<string> = new Set(Object.values(reasons));

/**
 * Whether the working copy can go from one tree to another without losing a byte: each path that changes must be the old tree's
 * tracked, unmodified content, or already what it will become. Git's own check knows nothing of ignored files, of what lies
 * below a link, and of content behind skip-worktree and assume-unchanged. Writes nothing of the user's.
 */
export async function checkPaths(copy: Watched, changes: readonly Change[]): Promise<PathCheck> {
  const state = await readState(copy, changes);
  const verdicts = await Promise.all(changes.map((change) => judgePath(copy, change, state)));
  const doubtful = changes.filter((_, at) => verdicts[at] !== undefined);
  const { repository, scratch } = copy;
  const wanted = doubtful.filter(({ newMode }) => newMode !== modes.absent).map((change) => newEntry(change));
  const same = await presentAs(copy.git, repository, { entries: wanted, scratch });
  const isSettled = ({ path }: Change) => same.has(path) && !state.staged.has(path);
  const present = doubtful.filter(isSettled).map(newEntry);
  const before = whatWas(repository.workTree, state, { changes, present });
  const touched = new Set(changes.map(({ path }) => path));
  const besides = [...state.index].filter(([path, { kind }]) => kind === "unmerged" && !touched.has(path));
  const blocked = changes.flatMap((change, at) => {
    const why = verdicts[at];
    return why === undefined || isSettled(change) ? [] : [{ path: change.path, why }];
  });
  return {
    // Git merges no tree into an index that has an unmerged path anywhere.
    blocked: [...blocked, ...besides.map(([path]) => ({ path, why: unmerged }))],
    present,
    own: ownWork(state, changes, before),
    before,
    stamps: state.stamps,
  };
}

/** A file that only isn't to be seen is nobody's work. */
function ownWork({ missing }: State, changes: readonly Change[], before: Before): Own[] {
  const [kept, indexed, skipped] = [new Set(before.kept), new Set(before.indexed), new Set(before.skipped)];
  const isHidden = ({ path, newMode }: Change) => skipped.has(path) || (newMode !== modes.absent && missing.has(path));
  const isOwn = (change: Change) => kept.has(change.path) && !isHidden(change);
  return changes.filter(isOwn).map((change) => ({ ...newEntry(change), staged: indexed.has(change.path) }));
}

function whatWas(
  workTree: string,
  state: State,
  { changes, present }: { readonly changes: readonly Change[]; readonly present: readonly Entry[] },
): Before {
  const indexed = changes.filter(({ path, newMode }) => isIndexed(state.index.get(path), newMode)).map(({ path }) => path);
  return {
    kept: [...indexed, ...present.map(({ path }) => path), ...state.missing],
    indexed,
    skipped: [...state.index].filter(([, entry]) => entry.skipped).map(([path]) => path),
    permissions: permissionsOf(state.found),
    folders: foldersOf(
      workTree,
      changes.filter(({ oldMode }) => oldMode !== modes.absent).map(({ path }) => path),
    ),
  };
}

function newEntry(change: Change): Entry {
  return { path: change.path, mode: change.newMode, id: change.newId };
}

interface State {
  readonly index: ReadonlyMap<GitPath, IndexEntry>;
  /** Paths whose index entry is neither the old tree's nor the new one's. */
  readonly staged: ReadonlySet<GitPath>;
  /** Tracked paths whose content isn't the index's, by git's own comparison. */
  readonly modified: ReadonlySet<GitPath>;
  /** Tracked paths with nothing in the working tree. */
  readonly missing: ReadonlySet<GitPath>;
  /** What the series takes away or replaces; those among them that may go. */
  readonly going: ReadonlySet<GitPath>;
  /** What lies at each path that changes. */
  readonly found: ReadonlyMap<GitPath, Found>;
  readonly stamps: PathCheck["stamps"];
}

async function readState(copy: Watched, changes: readonly Change[]): Promise<State> {
  const { git, repository, scratch } = copy;
  const byPath = new Map(changes.map((change) => [change.path, change]));
  const stamps = stampsOf(repository.workTree, byPath.keys());
  const index = await readIndex(copy, byPath);
  const aside = join(scratch, "index");
  await copyIndex(copy.index ?? join(repository.gitDir, "index"), aside);
  const options = withIndex(repository, aside);
  // Refreshed in the copy: an untouched file whose times changed isn't modified. Exits with 1 where some are.
  await git.run(["update-index", "-q", "--refresh"], options);
  const differing = await git.ok(["diff-files", "-z", "--name-only", "--no-ext-diff", "--ignore-submodules=all"], options);
  const modified = new Set(differing.toString("latin1").split("\0"));
  const isBlind = await trustsTimes(copy);
  const isUnwatched = ({ unwatched, kind, mode }: IndexEntry) =>
    unwatched || (isBlind && kind === "old" && mode !== modes.gitlink);
  const unwatched = [...index].filter(([, entry]) => isUnwatched(entry)).map(([path, { mode, id }]) => ({ path, mode, id }));
  const asIndexed = await presentAs(git, repository, { entries: unwatched, scratch });
  const looker = new Looker(repository.workTree);
  const found = new Map([...byPath.keys()].map((path) => [path, looker.look(path)]));
  const missing = new Set([...index.keys()].filter((path) => found.get(path)?.what === "nothing"));
  for (const { path } of unwatched) if (!missing.has(path) && !asIndexed.has(path)) modified.add(path);
  const going = new Set(
    changes.filter(({ oldMode, path }) => oldMode !== modes.absent && !modified.has(path)).map(({ path }) => path),
  );
  const staged = new Set(changes.filter((change) => isStaged(change, index)).map(({ path }) => path));
  return { index, staged, modified, missing, going, found, stamps };
}

/** Whether git is told not to look at what no tool can set back (git-config(1)): an edit that keeps length and time is unseen then. */
async function trustsTimes({ git, repository: { gitDir } }: Watched): Promise<boolean> {
  const found = await git.run(["config", "--get-regexp", "^core\\.(trustctime|checkstat)$"], { cwd: gitDir, gitDir });
  return /^core\.(trustctime (false|no|off|0)|checkstat minimal)$/imu.test(found.stdout.toString("utf8"));
}

/** Why this path is in the way as it is, undefined where it isn't; content that is the new one already is for the caller to find. */
async function judgePath({ repository }: Watched, change: Change, state: State): Promise<string | undefined> {
  const { path, oldMode, newMode } = change;
  const entry = state.index.get(path);
  if (entry?.kind === "unmerged") return unmerged;
  if (state.staged.has(path)) return entry === undefined ? reasons.deletion : reasons.staged;
  const found = state.found.get(path) ?? (await look(repository.workTree, path));
  if (oldMode === modes.gitlink && newMode !== modes.gitlink)
    return found.what === "nothing" || (await isEmptyFolder(repository.workTree, path))
      ? undefined
      : "is a submodule with content";
  if (newMode === modes.gitlink && oldMode !== modes.gitlink && found.what === "folder")
    return (await holdsOnly(repository.workTree, path, state.going)) ? undefined : "is a folder with files of its own";
  if (oldMode === modes.gitlink) return undefined;
  if (state.modified.has(path)) return found.what === "nothing" && newMode === modes.absent ? undefined : reasons.changed;
  if (oldMode !== modes.absent && entry !== undefined) return undefined;
  switch (found.what) {
    case "nothing":
      return undefined;
    case "behind":
      return state.going.has(found.at) ? undefined : "would be written through a local link or file";
    case "folder":
      return (await holdsOnly(repository.workTree, path, state.going)) ? undefined : "is a folder with files of its own";
    case "file":
    case "link":
    case "other":
      return entry === undefined || state.modified.has(path) ? untracked : undefined;
  }
}

async function isEmptyFolder(workTree: string, path: GitPath): Promise<boolean> {
  return holdsOnly(workTree, path, new Set());
}

/** Whether all below a folder is about to go, so that nothing is lost with it. */
async function holdsOnly(workTree: string, folder: GitPath, going: ReadonlySet<GitPath>): Promise<boolean> {
  if ((await look(workTree, folder)).what !== "folder") return false;
  for await (const path of walk(workTree, folder)) if (!going.has(path)) return false;
  return true;
}
