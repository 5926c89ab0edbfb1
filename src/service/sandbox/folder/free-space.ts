import { statfs } from "node:fs/promises";

/** What an ordinary user may still write on the file system of a folder, in bytes. */
export async function freeSpace(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
