import { chmod } from "node:fs/promises";
import type { GitPath } from "../../git/path.ts";
import { type Change, modes } from "../../git/records.ts";
import { type Found, Looker, onDisk } from "./disk.ts";

/** What git doesn't record of files, which it makes anew: paths by their permissions, in octal. */
export type Permissions = Readonly<Record<string, readonly GitPath[]>>;

export function permissionsOf(found: ReadonlyMap<GitPath, Found>): Permissions {
  const all: Record<string, GitPath[]> = {};
  for (const [path, file] of found) if (file.what === "file") (all[file.permissions.toString(8)] ??= []).push(path);
  return all;
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
