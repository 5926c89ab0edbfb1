import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import type { WorkingCopy } from "../land/working-copy.ts";
import type { GitPath } from "../../git/path.ts";
import { onDisk, stampOf } from "../land/disk.ts";
import { ferryFolder } from "../quarantine.ts";
import { moveBack } from "./aside.ts";
import { isGone } from "./remove.ts";
import { freeName, nameOf, rescueFolder } from "./rescue.ts";

/** Where a file lies for the moment between its being moved and its being known for the one that was looked at. */
const limbo = (repository: WorkingCopy["repository"]): string => join(ferryFolder(repository), "taken-out");

/** `changed`: it is another one than was looked at, and is where it was, or in limbo where that place is taken. `stays`: the system keeps it. */
export type TakenOut = "gone" | "changed" | "stays";

/**
 * Takes a file out of the working tree for good, if it is still the one that had this stamp when it was looked at: it is moved first, so
 * that what is saved at its path meanwhile is another file, and stays.
 */
export function takeOut(repository: WorkingCopy["repository"], path: GitPath, stamp: string): TakenOut {
  const file = onDisk(repository.workTree, path);
  mkdirSync(limbo(repository), { recursive: true, mode: 0o700 });
  const name = freeName(limbo(repository), nameOf(path));
  try {
    renameSync(file, name);
  } catch (error) {
    return withoutMoving(file, stamp, error as NodeJS.ErrnoException);
  }
  if (stampOf(name) === stamp) {
    unlinkSync(name);
    return "gone";
  }
  moveBack(name, file);
  return "changed";
}

/** Where moving it failed: a worktree may lie on another file system. */
export function withoutMoving(file: Buffer | string, stamp: string, error: NodeJS.ErrnoException): TakenOut {
  if (error.code === "ENOTDIR") return "gone";
  if (error.code !== "EXDEV") return isGone(error) ? "gone" : "stays";
  if (stampOf(file) !== stamp) return "changed";
  try {
    unlinkSync(file);
    return "gone";
  } catch (failure) {
    return isGone(failure as NodeJS.ErrnoException) ? "gone" : "stays";
  }
}

/** What is in limbo, of this run or of one that was killed, goes to the rescue folder. */
export function emptyLimbo(repository: WorkingCopy["repository"]): void {
  const folder = limbo(repository);
  if (!existsSync(folder)) return;
  const names = readdirSync(folder);
  if (names.length > 0) mkdirSync(rescueFolder(repository), { recursive: true, mode: 0o700 });
  for (const name of names) renameSync(join(folder, name), freeName(rescueFolder(repository), name));
  rmdirSync(folder);
}
