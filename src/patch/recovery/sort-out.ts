import type { GitPath } from "../../git/path.ts";
import { type Change, modes } from "../../git/records.ts";
import { type Entry, presentAs } from "../land/compare.ts";
import { look, onDisk, stampOf, stampsOf } from "../land/disk.ts";
import type { WorkingCopy } from "../land/working-copy.ts";
import type { Aside } from "./aside.ts";
import { blobId, isBeginningOf } from "./contents.ts";
import { removeEmptyFolder } from "./remove.ts";

export interface Sorted {
  /** To be written with their old content, once what is there is gone. */
  readonly restored: Entry[];
  /** New content, or part of it, each by its stamp (land/disk.ts) from before anybody looked into it: another one is someone's work. */
  readonly removed: Map<GitPath, string>;
  /** Of these, what git takes for the new content, though it would write other bytes: a filter leads there from many a content. */
  readonly doubtful: GitPath[];
  readonly foreign: GitPath[];
}

/** Tells what a landing that ended half way has written from what was there, and from what someone has written since. */
export async function sortOut(copy: WorkingCopy, changes: readonly Change[], aside?: Aside): Promise<Sorted> {
  const { git, repository, scratch } = copy;
  const { workTree } = repository;
  const stamps = stampsOf(
    workTree,
    changes.map(({ path }) => path),
  );
  const asNew = await presentAs(git, repository, { entries: changes.map(newEntry), scratch });
  const asOld = await presentAs(git, repository, { entries: changes.map(oldEntry), scratch });
  const sorted: Sorted = { restored: [], removed: new Map(), doubtful: [], foreign: [] };
  for (const change of changes) {
    const { path, oldMode, newMode } = change;
    const isKept = aside?.has(path) === true;
    if (oldMode === modes.gitlink || (isKept ? await aside.isThere(path) : asOld.has(path))) continue;
    const { what } = await look(workTree, path);
    const hadFile = oldMode !== modes.absent;
    if (what === "nothing" || what === "behind" || what === "folder") {
      if (hadFile) sorted.restored.push(oldEntry(change));
      else if (newMode === modes.gitlink) await removeEmptyFolder(copy, path);
      continue;
    }
    const isOurs = what === "file" ? await isWritten(copy, change) : asNew.has(path);
    const isDoubtful = !isOurs && asNew.has(path) && !asOld.has(path);
    const stamp = stamps.get(path);
    const isSame = stamp !== undefined && stampOf(onDisk(workTree, path)) === stamp;
    if ((isOurs || isDoubtful) && isSame) {
      sorted.removed.set(path, stamp);
      if (isDoubtful) sorted.doubtful.push(path);
      if (hadFile) sorted.restored.push(oldEntry(change));
    } else sorted.foreign.push(path);
  }
  return sorted;
}

/** Whether a file has the new bytes, or the beginning of them or of the old ones. */
async function isWritten(copy: WorkingCopy, change: Change): Promise<boolean> {
  const { workTree, objectFormat } = copy.repository;
  const file = onDisk(workTree, change.path);
  if ((await blobId(file, objectFormat)) === change.newId) return true;
  return (await isBeginningOf(copy, file, newEntry(change))) || (await isBeginningOf(copy, file, oldEntry(change)));
}

function newEntry(change: Change): Entry {
  return { path: change.path, mode: change.newMode, id: change.newId };
}

export function oldEntry(change: Change): Entry {
  return { path: change.path, mode: change.oldMode, id: change.oldId };
}
