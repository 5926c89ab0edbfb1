import { mkdir } from "node:fs/promises";
import { FerryError } from "../../base/errors.ts";
import { type GitPath, showPath } from "../../git/path.ts";
import { foldersTo, Looker, onDisk, statusOf } from "../land/disk.ts";
import { moveBack } from "../recovery/aside.ts";
import { removeEmptyFolder, removeEmptyTree } from "../recovery/remove.ts";
import type { WorkingCopy } from "../land/working-copy.ts";

/** What was made for a working copy in a folder that nobody else works in. */
export interface Made {
  /** Where what is to come lies, each below its path; a submodule as an empty folder. */
  readonly folder: string;
  readonly coming: readonly GitPath[];
  readonly going: readonly GitPath[];
}

export interface Exchange {
  readonly copy: Pick<WorkingCopy, "repository">;
  /** Moves a file out of the working copy. False where it isn't the one that was looked at. */
  readonly take: (path: GitPath) => boolean | Promise<boolean>;
  /** Makes room where something else lies than was looked at, and is someone's own. May give up by throwing. */
  readonly makeRoom: (path: GitPath) => Promise<void>;
}

/** How often room is made for one file. */
const attempts = 3;

/**
 * Brings what was made into a working copy, and writes over nothing that wasn't looked at: each old file is moved out of the way, which
 * tells whether it is still the one, and each new one comes by a second name, which is given to nothing that is there.
 * @throws FerryError attention where a path is written to again and again
 */
export async function exchange({ folder, coming, going }: Made, way: Exchange): Promise<void> {
  const needed = new Set(coming.flatMap(foldersTo));
  for (const path of going) {
    await takeAway(path, way);
    for (const each of foldersTo(path)) if (needed.has(each) || !(await removeEmptyFolder(way.copy, each))) break;
  }
  for (const path of coming) await bring(path, folder, way);
}

async function takeAway(path: GitPath, { copy, take, makeRoom }: Exchange): Promise<void> {
  const isSubmodule = isFolder(onDisk(copy.repository.workTree, path));
  if (isSubmodule) await removeEmptyFolder(copy, path);
  else if (!(await take(path))) await makeRoom(path);
}

async function bring(path: GitPath, folder: string, way: Exchange): Promise<void> {
  if (!isFolder(onDisk(way.copy.repository.workTree, path)) && !(await way.take(path))) await way.makeRoom(path);
  for (let left = attempts; ; left--) {
    const taken = await place(path, folder, way);
    if (taken === undefined) return;
    if (left <= 1)
      throw new FerryError("attention", `${showPath(path)} is being written to`, {
        hint: "try again when nothing else works there",
      });
    await way.makeRoom(taken);
  }
}

/** Gives what is in the way: at the path itself, or where a folder on the way to it would have to be. */
async function place(path: GitPath, folder: string, { copy }: Exchange): Promise<GitPath | undefined> {
  const { workTree } = copy.repository;
  const [from, to] = [onDisk(folder, path), onDisk(workTree, path)];
  const found = new Looker(workTree).look(path);
  if (found.what === "behind") return found.at;
  if (found.what === "folder" && isFolder(from)) return undefined;
  if (found.what === "folder") await removeEmptyTree(copy, path);
  await makeFolderOf(path, workTree);
  return moveBack(from, to) ? undefined : path;
}

function isFolder(place: Buffer | string): boolean {
  return statusOf(place)?.isDirectory() === true;
}

/** What is in the way of that shows where the file can't come. */
async function makeFolderOf(path: GitPath, workTree: string): Promise<void> {
  const [folder] = foldersTo(path);
  if (folder === undefined) return;
  await mkdir(onDisk(workTree, folder), { recursive: true }).catch(unlessInTheWay);
}

function unlessInTheWay(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST" && error.code !== "ENOTDIR") throw error;
}
