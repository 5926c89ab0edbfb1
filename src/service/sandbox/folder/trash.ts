import { chmod, lstat, mkdir, mkdtemp, opendir, readdir, rename, rmdir, unlink } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { asFerryError, FerryError } from "../../../base/errors.ts";

/** So many entries of a folder are removed at once. */
const batch = 32;

/**
 * Moves a sandbox's folder into the trash beside `root`: the same file system, so that it is one rename, however much is in it. A folder
 * that isn't there is fine.
 */
export async function throwAway(root: string, path: string): Promise<void> {
  const trash = trashOf(root);
  do {
    await mkdir(trash, { recursive: true, mode: 0o700 });
    const place = await mkdtemp(join(trash, `${basename(path)}-`));
    await rename(path, join(place, "folder")).catch(unlessMissing);
    // The place may have been taken for trash before anything lay in it.
  } while ((await lstat(path).catch(unlessMissing)) !== undefined);
}

/** What lies in the trash beside `root` now: the paths for `emptyTrash`. */
export async function trashed(root: string): Promise<string[]> {
  const trash = trashOf(root);
  return ((await readdir(trash).catch(unlessMissing)) ?? []).map((name) => join(trash, name));
}

/**
 * Removes those from the trash, until the signal aborts: what is left then is there for a later service.
 * @throws FerryError failure after all were tried, with a line for each that couldn't be removed
 */
export async function emptyTrash(places: readonly string[], signal: AbortSignal): Promise<void> {
  const details: string[] = [];
  for (const place of places) {
    if (signal.aborted) break;
    await remove(place, signal).catch((error: unknown) => details.push(`${place}: ${asFerryError(error).message}`));
  }
  if (details.length > 0) throw new FerryError("failure", "not all of the trash could be removed", { details });
}

function trashOf(root: string): string {
  return join(dirname(root), "trash");
}

/**
 * Nobody else writes in the trash, so that no path in it changes between a look and a removal, and a link itself is unlinked, never what
 * it points to. A folder's folders are moved aside, into the trash again, before they are emptied in turn: an agent makes them so deep that
 * the path of the last is longer than any call takes (PATH_MAX). Names are bytes, and may be no text.
 */
async function remove(place: string, signal: AbortSignal): Promise<void> {
  const aside = await mkdtemp(join(dirname(place), "aside-"));
  let moved = 0;
  const folders = [place];
  const moveAside = async (path: Buffer): Promise<void> => {
    const to = join(aside, String((moved += 1)));
    // One that its owner may not write can't be moved.
    await chmod(path, 0o700);
    await rename(path, to);
    folders.push(to);
  };
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    // An agent can shut their own owner out.
    await chmod(folder, 0o700).catch(unlessMissing);
    do {
      await empty(folder, moveAside, signal);
      if (signal.aborted) return;
      // Of what is removed while it is read some file systems pass over entries.
    } while (!(await removeEmpty(folder)));
  }
  await rmdir(aside);
}

/** Its type knows of text alone, unlike readdir's (fs.opendir in Node's documentation: the encoding is readdir's). */
export const bytes = { encoding: "buffer" as BufferEncoding, bufferSize: batch };

async function empty(folder: string, moveAside: (path: Buffer) => Promise<void>, signal: AbortSignal): Promise<void> {
  const opened = await opendir(folder, bytes).catch(unlessMissing);
  if (opened === undefined) return;
  let removing: Promise<void>[] = [];
  for await (const entry of opened) {
    if (signal.aborted) break;
    const path = Buffer.concat([Buffer.from(`${folder}${sep}`), nameOf(entry)]);
    removing.push(entry.isDirectory() ? moveAside(path) : unlink(path).catch(unlessMissing));
    if (removing.length < batch) continue;
    await Promise.all(removing);
    removing = [];
  }
  await Promise.all(removing);
}

/** Of an entry that was read in `bytes`. */
export function nameOf({ name }: { readonly name: string | Buffer }): Buffer {
  return typeof name === "string" ? Buffer.from(name) : name;
}

async function removeEmpty(folder: string): Promise<boolean> {
  try {
    await rmdir(folder).catch(unlessMissing);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOTEMPTY") return false;
    throw error;
  }
}

function unlessMissing(error: unknown): undefined {
  if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
}
