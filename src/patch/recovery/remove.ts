import { rmdir } from "node:fs/promises";
import type { GitPath } from "../../git/path.ts";
import { onDisk } from "../land/disk.ts";
import type { WorkingCopy } from "../land/working-copy.ts";

/** Why the system lets a file or a folder stay: it is full, no folder, in a read-only place, or in use. */
const stays = new Set(["ENOTEMPTY", "EEXIST", "ENOTDIR", "EPERM", "EACCES", "EROFS", "EBUSY", "ETXTBSY"]);

/** False where it stays. */
export async function removeEmptyFolder({ repository }: WorkingCopy, path: GitPath): Promise<boolean> {
  return rmdir(onDisk(repository.workTree, path)).then(() => true, isGone);
}

/** For `catch`: whether nothing is there; false where something is that can't go. */
export function isGone(error: NodeJS.ErrnoException): boolean {
  if (error.code === "ENOENT") return true;
  if (stays.has(error.code ?? "")) return false;
  throw error;
}
