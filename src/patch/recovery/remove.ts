import { readdir, rmdir } from "node:fs/promises";
import { type GitPath, gitPath } from "../../git/path.ts";
import { onDisk } from "../land/disk.ts";
import type { WorkingCopy } from "../land/working-copy.ts";

type Place = Pick<WorkingCopy, "repository">;

/** Why the system lets a file or a folder stay: it is full, no folder, in a read-only place, or in use. */
const stays = new Set(["ENOTEMPTY", "EEXIST", "ENOTDIR", "EPERM", "EACCES", "EROFS", "EBUSY", "ETXTBSY"]);

/** False where it stays. */
export async function removeEmptyFolder({ repository }: Place, path: GitPath): Promise<boolean> {
  return rmdir(onDisk(repository.workTree, path)).then(() => true, isGone);
}

/** With the empty folders in it. One that a file is in stays, and those that it lies in. */
export async function removeEmptyTree(copy: Place, path: GitPath): Promise<boolean> {
  const entries = await readdir(onDisk(copy.repository.workTree, path), { encoding: "buffer", withFileTypes: true });
  for (const entry of entries) if (entry.isDirectory()) await removeEmptyTree(copy, `${path}/${gitPath(entry.name)}`);
  return removeEmptyFolder(copy, path);
}

/** For `catch`: whether nothing is there; false where something is that can't go. */
export function isGone(error: NodeJS.ErrnoException): boolean {
  if (error.code === "ENOENT") return true;
  if (stays.has(error.code ?? "")) return false;
  throw error;
}
