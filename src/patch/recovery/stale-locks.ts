import type { Stats } from "node:fs";
import { stat, unlink } from "node:fs/promises";
import type { ChildKind, JournalChild, Left } from "./journal.ts";

/** Git takes its locks first of all; more time passes only on a machine that hardly runs. In ms. */
const takesLock = 5000;
/** File systems stamp by a coarser clock than ours. In ms. */
const coarse = 100;

/**
 * Removes the locks that a git of ours left when it was killed. They are told from those of someone else, who may hold one at
 * this moment (a commit in an editor), by when they were made: just after that git of ours had started. The children are dead.
 */
export async function removeStaleLocks(left: Pick<Left, "children" | "locks">, kind: ChildKind): Promise<void> {
  const children = left.children.filter((child) => child.kind === kind);
  for (const path of left.locks[kind]) {
    const made = await stat(path).then(madeAt, missing);
    if (made !== undefined && children.some((child) => isOf(made, child))) await unlink(path);
  }
}

/**
 * Some file systems (NFS, 9p, ramfs) don't tell when a file was made, and git writes its locks once, at the beginning. That of a copied
 * repository (cp -a) is made later than it was written.
 */
function madeAt({ birthtimeMs, mtimeMs }: Stats): number {
  return birthtimeMs === 0 ? mtimeMs : Math.min(birthtimeMs, mtimeMs);
}

function isOf(made: number, { at }: JournalChild): boolean {
  return made >= at - coarse && made <= at + takesLock;
}

function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
  return undefined;
}
