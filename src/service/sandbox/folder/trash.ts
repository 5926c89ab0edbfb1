import { chmod, lstat, mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/**
 * Moves a sandbox's folder into the trash beside `root` (the same file system, so that it is one rename) and removes it there.
 * Nobody else writes in the trash, so that no path in it changes between a look and a removal. A folder that isn't there is fine.
 */
export async function discard(root: string, path: string): Promise<void> {
  const trash = trashOf(root);
  await mkdir(trash, { recursive: true, mode: 0o700 });
  const place = await mkdtemp(join(trash, `${basename(path)}-`));
  try {
    await rename(path, join(place, "folder"));
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  await remove(place);
}

/** Removes what an earlier removal left in the trash beside `root`. */
export async function emptyTrash(root: string): Promise<void> {
  const trash = trashOf(root);
  for (const name of await names(trash)) await remove(join(trash, name));
}

function trashOf(root: string): string {
  return join(dirname(root), "trash");
}

/** `rm` looks at each entry with lstat and unlinks a link itself, never what it points to. */
async function remove(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    // An agent can make folders that their own owner can't empty; a second failure is told.
    await unlock(path);
    await rm(path, { recursive: true, force: true });
  }
}

async function unlock(path: string): Promise<void> {
  if (!(await lstat(path)).isDirectory()) return;
  await chmod(path, 0o700);
  for (const name of await readdir(path)) await unlock(join(path, name));
}

async function names(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
