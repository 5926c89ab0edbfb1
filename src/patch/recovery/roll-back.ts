import { copyFile, mkdir, readFile, rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { type GitPath, pathBytes, showPath } from "../../git/path.ts";
import { type Change, modes } from "../../git/records.ts";
import { type Entry, indexInfo, presentAs, withIndex } from "../land/compare.ts";
import { look, onDisk } from "../land/disk.ts";
import type { Before } from "./journal.ts";
import { refreshIndex, writeIndex } from "../land/locks.ts";
import type { WorkingCopy } from "../land/working-copy.ts";

export interface RollBack {
  readonly copy: WorkingCopy;
  /** From the old tree to the new one. */
  readonly changes: readonly Change[];
  readonly before: Before;
  /** Where copies go of what is neither old nor new. */
  readonly rescue: string;
}

/**
 * Takes working tree and index back to the old tree, as far as they hold what the new one would: a path with the new content, or
 * the beginning of it, or nothing. Whatever else lies at a path is someone's work: it stays, a copy goes to the rescue folder, and
 * its path is given back.
 */
export async function rollBack({ copy, changes, before, rescue }: RollBack): Promise<string[]> {
  const [kept, indexed] = [new Set(before.kept), new Set(before.indexed)];
  const ours = changes.filter(({ path }) => !kept.has(path));
  const { restored, removed, foreign } = await sortOut(copy, ours);
  for (const path of removed) await removeFile(copy, path);
  const blocked = await clearFolders(copy, restored);
  await checkOut(copy, restored.filter((entry) => !blocked.includes(entry.path)));
  await resetIndex(copy, changes.filter(({ path }) => !indexed.has(path)));
  for (const path of foreign) await rescueFile(copy, path, rescue);
  return [...foreign, ...blocked].map(showPath);
}

interface Sorted {
  /** To be written with their old content, once what is there is gone. */
  readonly restored: Entry[];
  /** New content, or part of it. */
  readonly removed: GitPath[];
  readonly foreign: GitPath[];
}

async function sortOut(copy: WorkingCopy, changes: readonly Change[]): Promise<Sorted> {
  const { git, repository, scratch } = copy;
  const [unwatched, asNew, asOld] = [
    await skipped(copy),
    await presentAs(git, repository, { entries: changes.map(newEntry), scratch }),
    await presentAs(git, repository, { entries: changes.map(oldEntry), scratch }),
  ];
  const sorted: Sorted = { restored: [], removed: [], foreign: [] };
  for (const change of changes) {
    const { path, oldMode, newMode } = change;
    if (asOld.has(path) || oldMode === modes.gitlink || unwatched.has(path)) continue;
    const found = await look(repository.workTree, path);
    const hadFile = oldMode !== modes.absent;
    if (found.what === "nothing" || found.what === "behind" || found.what === "folder") {
      if (hadFile) sorted.restored.push(oldEntry(change));
      else if (newMode === modes.gitlink) await removeEmptyFolder(copy, path);
    } else if (newMode !== modes.absent && (asNew.has(path) || (await isBeginning(copy, change)))) {
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

/** Paths that aren't wanted in the working tree (sparse checkout): their absence isn't our doing. */
async function skipped({ git, repository }: WorkingCopy): Promise<Set<GitPath>> {
  const { workTree, gitDir } = repository;
  const tagged = await git.ok(["ls-files", "-z", "-t"], { cwd: workTree, gitDir, workTree });
  const lines = tagged.toString("latin1").split("\0");
  return new Set(lines.filter((line) => line.startsWith("S ")).map((line) => line.slice(2)));
}

/** A git that was killed while it wrote a file leaves the beginning of what it would have written, filters applied. */
async function isBeginning({ git, repository }: WorkingCopy, change: Change): Promise<boolean> {
  const { workTree, gitDir } = repository;
  const found = await look(workTree, change.path);
  if (found.what !== "file") return false;
  const name = pathBytes(change.path).toString("utf8");
  const whole = await git.run(["cat-file", "--filters", `--path=${name}`, change.newId], { cwd: workTree, gitDir, workTree });
  if (whole.code !== 0 || found.size > whole.stdout.length) return false;
  const part = await readFile(onDisk(workTree, change.path));
  return whole.stdout.subarray(0, part.length).equals(part);
}

async function removeFile(copy: WorkingCopy, path: GitPath): Promise<void> {
  await unlink(onDisk(copy.repository.workTree, path));
  const names = path.split("/");
  for (let depth = names.length - 1; depth > 0; depth--)
    if (!(await removeEmptyFolder(copy, names.slice(0, depth).join("/")))) return;
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
  try {
    await rmdir(onDisk(repository.workTree, path));
    return true;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOTEMPTY" || code === "EEXIST" || code === "EPERM" || code === "ENOTDIR" || code === "ENOENT") return code === "ENOENT";
    throw error;
  }
}

/** Without --force: git then overwrites nothing that is there. */
async function checkOut({ git, repository, scratch }: WorkingCopy, entries: readonly Entry[]): Promise<void> {
  if (entries.length === 0) return;
  const options = withIndex(repository, join(scratch, "restore-index"));
  await git.ok(["update-index", "-z", "--index-info"], { ...options, input: indexInfo(entries) });
  await git.ok(["checkout-index", "--all", "--quiet"], options);
}

/** Entries of the new tree become the old tree's; what the user staged meanwhile stays. */
async function resetIndex(copy: WorkingCopy, changes: readonly Change[]): Promise<void> {
  const { workTree, gitDir } = copy.repository;
  const byPath = new Map(changes.map((change) => [change.path, change]));
  const listing = await copy.git.ok(["ls-files", "-z", "--stage", "-t"], { cwd: workTree, gitDir, workTree });
  const found = new Map<GitPath, { tag: string; mode: string; id: string }>();
  for (const line of listing.toString("latin1").split("\0")) {
    const tab = line.indexOf("\t");
    const [tag = "", mode = "", id = ""] = line.slice(0, tab).split(" ");
    if (byPath.has(line.slice(tab + 1))) found.set(line.slice(tab + 1), { tag, mode, id });
  }
  const isNew = ({ path, newMode, newId }: Change) => {
    const entry = found.get(path);
    return entry === undefined ? newMode === modes.absent : entry.mode === newMode && entry.id === newId;
  };
  const back = changes.filter(isNew);
  if (back.length === 0) return;
  // Removals first, so that a file can take the place of a folder.
  const entries = back.map(oldEntry).sort((one, other) => Number(one.mode !== modes.absent) - Number(other.mode !== modes.absent));
  await writeIndex(copy, ["update-index", "-z", "--index-info"], indexInfo(entries));
  const sparse = back.filter(({ path }) => found.get(path)?.tag === "S").map(({ path }) => `${path}\0`);
  if (sparse.length > 0) await writeIndex(copy, ["update-index", "-z", "--skip-worktree", "--stdin"], pathBytes(sparse.join("")));
  await refreshIndex(copy);
}

async function rescueFile({ repository }: WorkingCopy, path: GitPath, rescue: string): Promise<void> {
  const found = await look(repository.workTree, path);
  if (found.what !== "file") return;
  await mkdir(rescue, { recursive: true, mode: 0o700 });
  await copyFile(onDisk(repository.workTree, path), join(rescue, encodeURIComponent(path).slice(0, 200)));
}
