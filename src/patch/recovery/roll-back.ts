import { readFile, rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { type GitPath, pathBytes, showPath } from "../../git/path.ts";
import { type Change, modes } from "../../git/records.ts";
import { type Entry, indexInfo, presentAs, withIndex } from "../land/compare.ts";
import { look, onDisk } from "../land/disk.ts";
import { refreshIndex, writeIndex } from "../land/locks.ts";
import type { Before } from "../land/path-check.ts";
import { restorePermissions } from "../land/permissions.ts";
import type { WorkingCopy } from "../land/working-copy.ts";
import { rescueFile } from "./rescue.ts";
import { unfilter } from "./unfilter.ts";

/** Why the system lets a file or a folder stay: it is full, no folder, in a read-only place, or in use. */
const stays = new Set(["ENOTEMPTY", "EEXIST", "ENOTDIR", "EPERM", "EACCES", "EROFS", "EBUSY", "ETXTBSY"]);

export interface RollBack {
  readonly copy: WorkingCopy;
  /** What was written into the working tree: from the old tree to the new one. */
  readonly changes: readonly Change[];
  /** What was written into the index. */
  readonly indexed: readonly Change[];
  readonly before: Before;
  /** Where copies go of what is neither old nor new. */
  readonly rescue: string;
}

/**
 * Takes working tree and index back to the old tree, as far as they hold what the new one would: a path with the new content, or
 * the beginning of either, or nothing. Whatever else lies at a path is someone's work: it stays, a copy goes to the rescue folder, and
 * its path is given back with the reason; so is one that can't be removed, and one that git can't check out.
 */
export async function rollBack({ copy, changes, indexed, before, rescue }: RollBack): Promise<string[]> {
  const [kept, were] = [new Set(before.kept), new Set(before.indexed)];
  const ours = changes.filter(({ path }) => !kept.has(path));
  const { restored, removed, foreign } = await sortOut(copy, ours);
  const stuck = new Set<GitPath>();
  for (const path of removed) if (!(await removeFile(copy, path))) stuck.add(path);
  const wanted = restored.filter(({ path }) => !stuck.has(path));
  const blocked = new Set(await clearFolders(copy, wanted));
  const free = wanted.filter(({ path }) => !blocked.has(path));
  const failed = await checkOut(copy, free);
  await unfilter(copy, free, before.sizes ?? {});
  const asBefore = new Map(free.map(({ path, mode }) => [path, { oldMode: mode, newMode: mode }]));
  await restorePermissions(copy.repository.workTree, before.permissions ?? {}, asBefore);
  await resetIndex(copy, { changes: indexed.filter(({ path }) => !were.has(path)), skipped: new Set(before.skipped) });
  for (const path of foreign) await rescueFile(copy.repository.workTree, path, rescue);
  const lines = (paths: readonly GitPath[], why: string) => paths.map((path) => `${showPath(path)}, which ${why}`);
  return [
    ...lines([...foreign, ...blocked], "was changed meanwhile"),
    ...lines([...stuck], "can't be removed"),
    ...lines(failed, "can't be checked out again"),
  ];
}

interface Sorted {
  /** To be written with their old content, once what is there is gone. */
  readonly restored: Entry[];
  /** New content, or part of it. */
  readonly removed: GitPath[];
  readonly foreign: GitPath[];
}

export async function sortOut(copy: WorkingCopy, changes: readonly Change[]): Promise<Sorted> {
  const { git, repository, scratch } = copy;
  const asNew = await presentAs(git, repository, { entries: changes.map(newEntry), scratch });
  const asOld = await presentAs(git, repository, { entries: changes.map(oldEntry), scratch });
  const sorted: Sorted = { restored: [], removed: [], foreign: [] };
  for (const change of changes) {
    const { path, oldMode, newMode } = change;
    if (asOld.has(path) || oldMode === modes.gitlink) continue;
    const found = await look(repository.workTree, path);
    const hadFile = oldMode !== modes.absent;
    if (found.what === "nothing" || found.what === "behind" || found.what === "folder") {
      if (hadFile) sorted.restored.push(oldEntry(change));
      else if (newMode === modes.gitlink) await removeEmptyFolder(copy, path);
    } else if (asNew.has(path) || (await isBeginning(copy, newEntry(change))) || (await isBeginning(copy, oldEntry(change)))) {
      sorted.removed.push(path);
      if (hadFile) sorted.restored.push(oldEntry(change));
    } else sorted.foreign.push(path);
  }
  return sorted;
}

function newEntry(change: Change): Entry {
  return { path: change.path, mode: change.newMode, id: change.newId };
}

function oldEntry(change: Change): Entry {
  return { path: change.path, mode: change.oldMode, id: change.oldId };
}

/** A git that was killed while it wrote a file leaves the beginning of what it would have written, filters applied. */
async function isBeginning({ git, repository }: WorkingCopy, { path, mode, id }: Entry): Promise<boolean> {
  const { workTree, gitDir } = repository;
  const found = await look(workTree, path);
  if (found.what !== "file" || mode === modes.absent) return false;
  const name = pathBytes(path).toString("utf8");
  const whole = await git.run(["cat-file", "--filters", `--path=${name}`, id], { cwd: workTree, gitDir, workTree });
  if (whole.code !== 0 || found.size > whole.stdout.length) return false;
  const part = await readFile(onDisk(workTree, path));
  return whole.stdout.subarray(0, part.length).equals(part);
}

/** With the folders that are empty then. False where the system keeps the file: its folder is read-only, or a program has it open. */
async function removeFile(copy: WorkingCopy, path: GitPath): Promise<boolean> {
  if (!(await unlink(onDisk(copy.repository.workTree, path)).then(() => true, isGone))) return false;
  const names = path.split("/");
  for (let depth = names.length - 1; depth > 0; depth--)
    if (!(await removeEmptyFolder(copy, names.slice(0, depth).join("/")))) break;
  return true;
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

async function removeEmptyFolder({ repository }: WorkingCopy, path: GitPath): Promise<boolean> {
  return rmdir(onDisk(repository.workTree, path)).then(() => true, isGone);
}

/** For `catch`: whether nothing is there; false where something is that can't go. */
function isGone(error: NodeJS.ErrnoException): boolean {
  if (error.code === "ENOENT") return true;
  if (stays.has(error.code ?? "")) return false;
  throw error;
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
