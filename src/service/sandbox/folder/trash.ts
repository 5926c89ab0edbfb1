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
  await rename(path, join(place, "folder")).catch(unlessMissing);
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
    await rm(path, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Lets the owner into each folder. The removal that failed is still at work on others, so that any may be gone already. */
async function unlock(path: string): Promise<void> {
  const status = await lstat(path).catch(unlessMissing);
  if (status?.isDirectory() !== true) return;
  await chmod(path, 0o700).catch(unlessMissing);
  for (const name of await names(path)) await unlock(join(path, name));
}

async function names(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(unlessMissing)) ?? [];
}

function unlessMissing(error: unknown): undefined {
  if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
}
