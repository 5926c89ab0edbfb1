import type { Stats } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { sep } from "node:path";
import { type GitPath, pathBytes } from "../../git/path.ts";

/** What lies at a path of the working tree. `behind`: a folder on the way is a link or a file, named by `at`. */
export type Found =
  | { readonly what: "nothing" }
  | { readonly what: "behind"; readonly at: GitPath }
  | { readonly what: "file" | "link" | "folder" | "other"; readonly size: number };

/** A path of the repository as the system takes it: bytes, but Windows has only text. */
export function onDisk(workTree: string, path: GitPath): Buffer | string {
  const bytes = pathBytes(path);
  if (sep === "\\") return `${workTree}\\${bytes.toString("utf8").replaceAll("/", "\\")}`;
  return Buffer.concat([Buffer.from(`${workTree}/`), bytes]);
}

/** Looks at a path without following a link on the way to it. */
export async function look(workTree: string, path: GitPath): Promise<Found> {
  const names = path.split("/");
  for (let depth = 1; depth < names.length; depth++) {
    const at = names.slice(0, depth).join("/");
    const status = await statusOf(workTree, at);
    if (status === undefined) return { what: "nothing" };
    if (!status.isDirectory()) return { what: "behind", at };
  }
  const status = await statusOf(workTree, path);
  if (status === undefined) return { what: "nothing" };
  const what = status.isDirectory() ? "folder" : status.isSymbolicLink() ? "link" : status.isFile() ? "file" : "other";
  return { what, size: status.size };
}

/** All files, links and other things below a folder, not the folders themselves; links aren't followed. */
export async function* walk(workTree: string, folder: GitPath): AsyncGenerator<GitPath> {
  const entries = await readdir(onDisk(workTree, folder), { encoding: "buffer", withFileTypes: true });
  for (const entry of entries) {
    const path = `${folder}/${Buffer.from(entry.name).toString("latin1")}`;
    if (entry.isDirectory()) yield* walk(workTree, path);
    else yield path;
  }
}

async function statusOf(workTree: string, path: GitPath): Promise<Stats | undefined> {
  try {
    return await lstat(onDisk(workTree, path));
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) return undefined;
    throw error;
  }
}
