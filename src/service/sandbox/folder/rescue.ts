import { chmod, lstat, rename, writeFile } from "node:fs/promises";
import { FerryError } from "../../../base/errors.ts";
import type { Folder } from "./layout.ts";
import { throwAway } from "./trash.ts";

/** Takes out of a sandbox's folder what may not go with it; given the sandbox's id. */
export type Rescue = (id: string) => Promise<void>;

export const nothingToRescue: Rescue = () => Promise.resolve();

/**
 * The end of a sandbox's folder: all that runs there is ended, then its files are rescued, also where that couldn't be done, and then it
 * goes into the trash. Where anything of it failed it stays; and where something is in it that couldn't be rescued, for ever: it is marked.
 * @throws FerryError failure with what failed, or that it is marked
 */
export async function giveUp<T>(root: string, folder: Folder, end: () => Promise<T>, rescue: () => Promise<void>): Promise<T> {
  const ended = await end().finally(() => rescueFrom(folder, rescue));
  if (await isThere(folder.kept))
    throw new FerryError("failure", `${folder.path} stays: what is in it could not be saved, and nothing else removes it`);
  await throwAway(root, folder.path);
  return ended;
}

async function rescueFrom({ path, kept }: Folder, rescue: () => Promise<void>): Promise<void> {
  if (!(await isThere(path))) return;
  try {
    // An agent that isn't locked in can shut that, too.
    await chmod(path, 0o755);
    await rescue();
  } catch (error) {
    await writeFile(kept, "", { mode: 0o600 });
    throw error;
  }
}

/** Whatever it is. */
export async function isThere(path: string | Buffer): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/**
 * Moves a folder that an agent may have shut (`chmod 555`): one that its owner can't write can't be moved below another (rename(2)). It is
 * 0700 then.
 * @throws FerryError failure where it is no folder but, say, a link
 */
export async function moveFolder(from: string, to: string): Promise<void> {
  if (!(await lstat(from)).isDirectory()) throw new FerryError("failure", `${from} is no folder`);
  await chmod(from, 0o700);
  await rename(from, to);
}

/**
 * Moves a folder into the place of one that was moved there before, which goes into the trash beside `root`.
 * @param shut whether nobody may look into it there until its owner opens it (mode 000)
 * @throws FerryError failure as `moveFolder` does
 */
export async function replaceFolder(root: string, from: string, to: string, shut: boolean): Promise<void> {
  // One that is shut can't be moved, by an ordinary user.
  if (await isThere(to)) await chmod(to, 0o700);
  await throwAway(root, to);
  await moveFolder(from, to);
  if (shut) await chmod(to, 0);
}
