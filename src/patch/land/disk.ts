import { type BigIntStats, lstatSync, type Stats } from "node:fs";
import { readdir } from "node:fs/promises";
import { sep } from "node:path";
import { type GitPath, pathBytes } from "../../git/path.ts";

/** What lies at a path of the working tree. `behind`: a folder on the way is a link or a file, named by `at`. */
export type Found =
  | { readonly what: "nothing" }
  | { readonly what: "behind"; readonly at: GitPath }
  | { readonly what: "file" | "link" | "folder" | "other"; readonly size: number; readonly permissions: number };

/** A path of the repository as the system takes it: bytes, but Windows has only text. */
export function onDisk(workTree: string, path: GitPath): Buffer | string {
  const bytes = pathBytes(path);
  if (sep === "\\") return `${workTree}\\${bytes.toString("utf8").replaceAll("/", "\\")}`;
  return Buffer.concat([Buffer.from(`${workTree}/`), bytes]);
}

/** The folders on the way to a path, the innermost first. */
export function foldersTo(path: GitPath): GitPath[] {
  const names = path.split("/");
  return names.slice(1).map((_, at) => names.slice(0, names.length - 1 - at).join("/"));
}

/** Looks at a path without following a link on the way to it. */
export async function look(workTree: string, path: GitPath): Promise<Found> {
  return new Looker(workTree).look(path);
}

/** Looks at many paths of one moment: each folder on the way is looked at once. */
export class Looker {
  private readonly workTree: string;
  private readonly ways = new Map<GitPath, Way>();

  constructor(workTree: string) {
    this.workTree = workTree;
  }

  look(path: GitPath): Found {
    const way = this.wayTo(path);
    if (way === "nothing") return { what: "nothing" };
    if (way !== "open") return { what: "behind", at: way.at };
    const status = this.statusOf(path);
    if (status === undefined) return { what: "nothing" };
    const what = status.isDirectory() ? "folder" : status.isSymbolicLink() ? "link" : status.isFile() ? "file" : "other";
    return { what, size: status.size, permissions: status.mode & 0o7777 };
  }

  private wayTo(path: GitPath): Way {
    const end = path.lastIndexOf("/");
    if (end < 0) return "open";
    const folder = path.slice(0, end);
    const way = this.ways.get(folder) ?? this.findWay(folder);
    this.ways.set(folder, way);
    return way;
  }

  private findWay(folder: GitPath): Way {
    const before = this.wayTo(folder);
    if (before !== "open") return before;
    const status = this.statusOf(folder);
    if (status === undefined) return "nothing";
    return status.isDirectory() ? "open" : { at: folder };
  }

  private statusOf(path: GitPath): Stats | undefined {
    return orNothing(() => lstatSync(onDisk(this.workTree, path), { throwIfNoEntry: false }));
  }
}

/** Folders all along, an end, or something that is no folder. */
type Way = "open" | "nothing" | { readonly at: GitPath };

/** What a file or link is like, so that another one in its place shows, and an edit. Undefined where there is none. */
export function stampOf(file: Buffer | string): string | undefined {
  const status = statusOf(file);
  return status && !status.isDirectory() ? `${status.ino} ${status.size} ${status.mtimeNs}` : undefined;
}

/** Exactly; undefined where nothing is, also since a file stands in the place of a folder on the way. */
export function statusOf(file: Buffer | string): BigIntStats | undefined {
  return orNothing(() => lstatSync(file, { bigint: true, throwIfNoEntry: false }));
}

/** Those of the files and links that are there. */
export function stampsOf(workTree: string, paths: Iterable<GitPath>): Map<GitPath, string> {
  const looker = new Looker(workTree);
  const stamps = new Map<GitPath, string>();
  for (const path of paths) {
    const { what } = looker.look(path);
    const stamp = what === "file" || what === "link" ? stampOf(onDisk(workTree, path)) : undefined;
    if (stamp !== undefined) stamps.set(path, stamp);
  }
  return stamps;
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

/** Not by a promise: there are thousands, and each would take ten times as long. */
function orNothing<T>(ask: () => T | undefined): T | undefined {
  try {
    return ask();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOTDIR") return undefined;
    throw error;
  }
}
