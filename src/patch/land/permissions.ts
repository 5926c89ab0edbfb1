import { chmodSync, lstatSync, mkdirSync } from "node:fs";
import { chmod } from "node:fs/promises";
import type { GitPath } from "../../git/path.ts";
import { type Change, modes } from "../../git/records.ts";
import { foldersTo, type Found, Looker, onDisk } from "./disk.ts";

/** What git doesn't record of files, which it makes anew: paths by their permissions, in octal. */
export type Permissions = Readonly<Record<string, readonly GitPath[]>>;

export function permissionsOf(found: ReadonlyMap<GitPath, Found>): Permissions {
  const all: Record<string, GitPath[]> = {};
  for (const [path, file] of found) if (file.what === "file") (all[file.permissions.toString(8)] ??= []).push(path);
  return all;
}

/** Of the folders that these files lie in, on all the way: where one is emptied it goes with its last file. */
export function foldersOf(workTree: string, paths: Iterable<GitPath>): Permissions {
  const folders = new Set([...paths].flatMap(foldersTo));
  const looker = new Looker(workTree);
  const all: Record<string, GitPath[]> = {};
  for (const folder of folders) {
    const found = looker.look(folder);
    if (found.what === "folder") (all[found.permissions.toString(8)] ??= []).push(folder);
  }
  return all;
}

/**
 * Makes those of these folders that are gone, as far as the entries need them, with the permissions that they had: nobody else reads what
 * is put back into one that was private. Gives what makes them what they were again where they couldn't be filled so.
 */
export async function makeFolders(
  workTree: string,
  permissions: Permissions,
  entries: readonly { readonly path: GitPath }[],
): Promise<() => Promise<void>> {
  const needed = new Set(entries.flatMap(({ path }) => foldersTo(path)));
  const known = Object.entries(permissions).flatMap(([octal, folders]) =>
    folders.map((folder) => ({ folder, mode: Number.parseInt(octal, 8) })),
  );
  const made: { readonly place: Buffer | string; readonly mode: number }[] = [];
  for (const { folder, mode } of known.toSorted((one, other) => one.folder.length - other.folder.length)) {
    if (!needed.has(folder) || new Looker(workTree).look(folder).what !== "nothing") continue;
    const place = onDisk(workTree, folder);
    mkdirSync(place, { mode: 0o700 });
    if (mode !== (lstatSync(place).mode & 0o7777)) chmodSync(place, mode | 0o700);
    made.push({ place, mode });
  }
  return async () => {
    for (const { place, mode } of made.toReversed()) await chmod(place, mode).catch(unlessGone);
  };
}

function unlessGone(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}

/** Gives the files among these paths the permissions that they had; what the change does to being executable is done to them, too. */
export async function restorePermissions(
  workTree: string,
  permissions: Permissions,
  changes: ReadonlyMap<GitPath, Pick<Change, "oldMode" | "newMode">>,
): Promise<void> {
  const looker = new Looker(workTree);
  for (const [octal, paths] of Object.entries(permissions))
    for (const path of paths) {
      const change = changes.get(path);
      const found = change === undefined ? undefined : looker.look(path);
      if (change === undefined || found?.what !== "file") continue;
      const wanted = adjusted(Number.parseInt(octal, 8), change);
      if (wanted !== found.permissions) await chmod(onDisk(workTree, path), wanted);
    }
}

/** Whoever can read it can run it, as git has it. */
function adjusted(permissions: number, { oldMode, newMode }: Pick<Change, "oldMode" | "newMode">): number {
  if (oldMode === modes.file && newMode === modes.executable) return permissions | ((permissions & 0o444) >> 2);
  if (oldMode === modes.executable && newMode === modes.file) return permissions & ~0o111;
  return permissions;
}
