import { join } from "node:path";
import { type GitPath, pathBytes, showPath } from "../../git/path.ts";
import { type Change, modes } from "../../git/records.ts";
import { type Entry, indexInfo, withIndex } from "../land/compare.ts";
import { foldersTo, look } from "../land/disk.ts";
import { refreshIndex, writeIndex } from "../land/locks.ts";
import type { Before } from "../land/path-check.ts";
import { makeFolders, restorePermissions } from "../land/permissions.ts";
import type { WorkingCopy } from "../land/working-copy.ts";
import type { Aside, Rescue } from "./aside.ts";
import { removeEmptyFolder } from "./remove.ts";
import { rescuePath } from "./rescue.ts";
import { oldEntry, sortOut } from "./sort-out.ts";
import { emptyLimbo, type TakenOut, takeOut } from "./take-out.ts";

export interface RollBack {
  readonly copy: WorkingCopy;
  /** What was written into the working tree: from the old tree to the new one. */
  readonly changes: readonly Change[];
  /** What was written into the index. */
  readonly indexed: readonly Change[];
  readonly before: Before;
  /** The files as they were, where they were kept. */
  readonly aside: Aside;
  /** Where copies go of what is neither old nor new. */
  readonly rescue: Rescue;
}

/**
 * Takes working tree and index back to the old tree, as far as they hold what the new one would: a path with the new content, or
 * the beginning of either, or nothing. Whatever else lies at a path is someone's work: it stays, a copy goes to the rescue folder, and
 * its path is given back with the reason; so is one that can't be removed, and one that git can't check out. A file that was kept aside
 * and can't come back goes to the rescue folder, too.
 */
export async function rollBack({ copy, changes, indexed, before, aside, rescue }: RollBack): Promise<string[]> {
  const { workTree } = copy.repository;
  const [kept, were] = [new Set(before.kept), new Set(before.indexed)];
  const ours = changes.filter(({ path }) => !kept.has(path));
  const { restored, removed, doubtful, foreign } = await sortOut(copy, ours, aside);
  for (const path of doubtful) await rescuePath(workTree, path, rescue.folder);
  const [stuck, late] = [new Set<GitPath>(), new Set<GitPath>()];
  for (const [path, stamp] of removed) {
    const taken = await removeFile(copy, path, stamp);
    if (taken !== "gone") (taken === "stays" ? stuck : late).add(path);
  }
  emptyLimbo(copy.repository);
  const wanted = restored.filter(({ path }) => !stuck.has(path) && !late.has(path));
  const blocked = new Set(await clearFolders(copy, wanted));
  const refill = await makeFolders(workTree, before.folders ?? {}, wanted);
  const free = wanted.filter(({ path }) => !blocked.has(path));
  const failed = await checkOut(
    copy,
    free.filter(({ path }) => !aside.putBack(path)),
  );
  const asBefore = new Map(free.map(({ path, mode }) => [path, { oldMode: mode, newMode: mode }]));
  await restorePermissions(workTree, before.permissions ?? {}, asBefore);
  await refill();
  await resetIndex(copy, { changes: indexed.filter(({ path }) => !were.has(path)), skipped: new Set(before.skipped) });
  const others = [...foreign, ...late];
  for (const path of others) await rescuePath(workTree, path, rescue.folder);
  const known = new Set([...others, ...doubtful, ...blocked, ...stuck, ...failed]);
  const displaced = (await aside.rescue(ours, rescue)).map(({ path }) => path).filter((path) => !known.has(path));
  const lines = (paths: readonly GitPath[], why: string) => paths.map((path) => `${showPath(path)}, which ${why}`);
  return [
    ...lines([...new Set([...others, ...doubtful, ...blocked, ...displaced])], "was changed meanwhile"),
    ...lines([...stuck], "can't be removed"),
    ...lines(failed, "can't be checked out again"),
  ];
}

/** With the folders that are empty then. The system keeps a file whose folder is read-only, or that a program has open. */
async function removeFile(copy: WorkingCopy, path: GitPath, stamp: string): Promise<TakenOut> {
  const taken = takeOut(copy.repository, path, stamp);
  if (taken !== "gone") return taken;
  for (const folder of foldersTo(path)) if (!(await removeEmptyFolder(copy, folder))) break;
  return taken;
}

/** Folders that stand where a file was: ours are empty by now. Gives the paths where they aren't. */
async function clearFolders(copy: WorkingCopy, restored: readonly Entry[]): Promise<GitPath[]> {
  const blocked: GitPath[] = [];
  for (const { path } of restored) {
    const found = await look(copy.repository.workTree, path);
    if (found.what === "folder" && !(await removeEmptyFolder(copy, path))) blocked.push(path);
    else if (found.what === "behind") blocked.push(path);
  }
  return blocked;
}

/** Without --force: git then overwrites nothing that is there. Gives the paths that it couldn't write, each tried by itself. */
async function checkOut({ git, repository, scratch }: WorkingCopy, entries: readonly Entry[]): Promise<GitPath[]> {
  if (entries.length === 0) return [];
  const options = withIndex(repository, join(scratch, "restore-index"));
  await git.ok(["update-index", "-z", "--index-info"], { ...options, input: indexInfo(entries) });
  const all = await git.run(["checkout-index", "--all", "--quiet"], options);
  if (all.code === 0) return [];
  const failed: GitPath[] = [];
  for (const { path } of entries) {
    if ((await look(repository.workTree, path)).what !== "nothing") continue;
    const one = await git.run(["checkout-index", "--quiet", "-z", "--stdin"], { ...options, input: pathBytes(`${path}\0`) });
    if (one.code !== 0) failed.push(path);
  }
  return failed;
}

/** Entries of the new tree become the old tree's; what the user staged meanwhile stays. */
async function resetIndex(
  copy: WorkingCopy,
  { changes, skipped }: { changes: readonly Change[]; skipped: ReadonlySet<GitPath> },
): Promise<void> {
  const { workTree, gitDir } = copy.repository;
  const byPath = new Map(changes.map((change) => [change.path, change]));
  const listing = await copy.git.ok(["ls-files", "-z", "--stage"], { cwd: workTree, gitDir, workTree });
  const found = new Map<GitPath, { mode: string; id: string }>();
  for (const line of listing.toString("latin1").split("\0")) {
    const tab = line.indexOf("\t");
    const [mode = "", id = ""] = line.slice(0, tab).split(" ");
    if (byPath.has(line.slice(tab + 1))) found.set(line.slice(tab + 1), { mode, id });
  }
  const isNew = ({ path, newMode, newId }: Change) => {
    const entry = found.get(path);
    return entry === undefined ? newMode === modes.absent : entry.mode === newMode && entry.id === newId;
  };
  const back = changes.filter(isNew);
  if (back.length === 0) return;
  // Removals first, so that a file can take the place of a folder.
  const entries = back
    .map(oldEntry)
    .sort((one, other) => Number(one.mode !== modes.absent) - Number(other.mode !== modes.absent));
  await writeIndex(copy, ["update-index", "-z", "--index-info"], indexInfo(entries));
  const sparse = back.filter(({ path }) => skipped.has(path)).map(({ path }) => `${path}\0`);
  if (sparse.length > 0) await writeIndex(copy, ["update-index", "-z", "--skip-worktree", "--stdin"], pathBytes(sparse.join("")));
  await refreshIndex(copy);
}
