import { rm } from "node:fs/promises";
import { join } from "node:path";
import { FerryError } from "../../base/errors.ts";
import { pathBytes, showPath } from "../../git/path.ts";
import { type Change, modes } from "../../git/records.ts";
import { type Entry, indexInfo, withIndex } from "./compare.ts";
import { copyIndex, isIndexed, isStaged, readIndex } from "./index-entries.ts";
import { refreshIndex, writeIndex } from "./locks.ts";
import { checkPaths, type PathCheck } from "./path-check.ts";
import { restorePermissions } from "./permissions.ts";
import type { Replacement } from "./replace.ts";
import type { ChildNotes, Watched, WorkingCopy } from "./working-copy.ts";
import { moveTree } from "./write-tree.ts";

/** Files of the working tree that hold, or are to hold, something else than the branch: changes that nobody staged. */
export interface Overlay {
  /** The tree that the working tree has, as far as it matters here, and the one that it is to have. */
  readonly old: string;
  readonly new: string;
  /** From the one to the other. */
  readonly changes: readonly Change[];
  /** Of these paths the old tree's entry isn't the branch's. From the branch's entry to the old tree's. */
  readonly held: readonly Change[];
  /** Paths that are to differ from the branch: they must not be out of sight. */
  readonly wanted: readonly Change[];
  /** Paths that stay as they are, and are looked at as if they went this way: what someone did to them since is in the way. */
  readonly staying?: readonly Change[] | undefined;
  /** What the index has at these paths and is to have, where that is not the branch's: `changes` are then those between the two. */
  readonly index?: { readonly old: string; readonly new: string } | undefined;
}

export interface OverlayCheck extends PathCheck {
  /** The user's index with what the working tree holds as if that were staged: git's own two-tree merge goes on from it. */
  readonly index: string;
}

/**
 * The check of paths where the working tree and the index go different ways: the index must have what the branch has, old or new,
 * and the working tree what the old tree has, or already what the new one will have.
 */
export async function checkOverlay(copy: Watched, changes: readonly Change[], overlay: Overlay): Promise<OverlayCheck> {
  const { git, repository, scratch } = copy;
  const staged = await readIndex(copy, byPath(changes));
  const indexed = await readIndex(copy, byPath(overlay.held));
  const isUnstaged = ({ path, oldMode }: Change) => {
    const entry = indexed.get(path);
    return entry === undefined ? oldMode === modes.absent : entry.kind === "old";
  };
  const moving = byPath(overlay.changes);
  const blocked = [
    ...changes.filter((change) => isStaged(change, staged)),
    ...overlay.held.filter((change) => moving.has(change.path) && !isUnstaged(change)),
  ]
    .filter(({ path }) => (staged.get(path) ?? indexed.get(path))?.kind !== "unmerged")
    .map(({ path }) => ({ path, why: "has staged changes" }));
  const index = join(scratch, "overlay-index");
  await rm(index, { force: true });
  await copyIndex(join(repository.gitDir, "index"), index);
  const options = {
    ...withIndex(repository, index),
    input: indexInfo(removalsFirst(overlay.held.filter(isUnstaged).map(newEntry))),
  };
  await git.ok(["update-index", "-z", "--replace", "--index-info"], options);
  const check = await checkPaths({ ...copy, index }, [...overlay.changes, ...(overlay.staying ?? [])]);
  const known = new Set(blocked.map(({ path }) => path));
  const inIndex = changes.filter(({ path, newMode }) => isIndexed(staged.get(path), newMode)).map(({ path }) => path);
  const done = new Set(inIndex);
  return {
    index,
    blocked: [...blocked, ...check.blocked.filter(({ path }) => !known.has(path))],
    present: check.present,
    own: check.own.map((entry) => ({ ...entry, staged: done.has(entry.path) })),
    before: {
      kept: check.before.kept,
      indexed: inIndex,
      skipped: [...staged].filter(([, entry]) => entry.skipped).map(([path]) => path),
      permissions: check.before.permissions,
      folders: check.before.folders,
    },
    stamps: check.stamps,
  };
}

export interface OverlayMove {
  /** From the branch's old tree to its new one: what becomes of the index. */
  readonly changes: readonly Change[];
  readonly overlay: Overlay;
  readonly check: OverlayCheck;
  /** Told of the gits that write the working tree and not the user's index. */
  readonly children: ChildNotes;
  readonly checkpoint: Replacement["checkpoint"];
  readonly replacement: Replacement;
}

/** Takes the working tree from the overlay's old tree to its new one, by an index of its own, and then the index to the branch's new tree. */
export async function writeOverlay(copy: WorkingCopy, move: OverlayMove): Promise<void> {
  const { overlay, check, children, checkpoint, replacement } = move;
  const aside: WorkingCopy = { ...copy, children, index: check.index };
  if (check.present.length > 0)
    await writeIndex(aside, ["update-index", "-z", "--replace", "--index-info"], indexInfo(removalsFirst(check.present)));
  await checkpoint("adopted");
  await refreshIndex(aside);
  await moveTree(aside, { from: overlay.old, to: overlay.new, replacement });
  await refuseOutOfSight(aside, overlay.wanted);
  // These are someone's own, and may be nobody else's to read.
  await restorePermissions(copy.repository.workTree, check.before.permissions ?? {}, byPath(overlay.changes));
  await writeEntries(copy, move);
  await refreshIndex(copy);
  await checkpoint("tree-written");
}

async function writeEntries(copy: WorkingCopy, { changes, check }: OverlayMove): Promise<void> {
  const done = new Set(check.before.indexed);
  const todo = changes.filter(({ path }) => !done.has(path));
  if (todo.length === 0) return;
  await writeIndex(copy, ["update-index", "-z", "--replace", "--index-info"], indexInfo(removalsFirst(todo.map(newEntry))));
  // Git has decided on the way what lies out of the sparse checkout's cone.
  const after = await readIndex({ ...copy, index: check.index }, byPath(todo));
  const sparse = [...after].filter(([, entry]) => entry.skipped).map(([path]) => `${path}\0`);
  if (sparse.length > 0) await writeIndex(copy, ["update-index", "-z", "--skip-worktree", "--stdin"], pathBytes(sparse.join("")));
}

/** What isn't committed can't be out of the sparse checkout's cone: nothing would be left of it. */
async function refuseOutOfSight(aside: Watched, wanted: readonly Change[]): Promise<void> {
  const [hidden] = [...(await readIndex(aside, byPath(wanted)))].filter(([, entry]) => entry.skipped);
  if (hidden === undefined) return;
  throw new FerryError("attention", `${showPath(hidden[0])} is not committed, and lies out of the sparse checkout`, {
    hint: "git sparse-checkout add its folder, or pull without --uncommitted",
  });
}

function newEntry({ path, newMode, newId }: Change): Entry {
  return { path, mode: newMode, id: newId };
}

/** So that a file can take the place of a folder, and the reverse. */
export function removalsFirst(entries: readonly Entry[]): Entry[] {
  return entries.toSorted((one, other) => Number(one.mode !== modes.absent) - Number(other.mode !== modes.absent));
}

function byPath(changes: readonly Change[]): Map<string, Change> {
  return new Map(changes.map((change) => [change.path, change]));
}
