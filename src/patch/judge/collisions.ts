import { ObjectReader } from "../../git/objects.ts";
import { type GitPath, showPath } from "../../git/path.ts";
import type { Court } from "./court.ts";
import { foldPath } from "./names.ts";

const maxTree = 64 * 1024 * 1024;
const shown = 20;

/**
 * Pairs of names within one folder that some systems take for one: of what a series adds against all else in the folders that it adds
 * to, in its last commit and among its own additions. Gives them as text for a person, at most twenty.
 */
export async function collisionsOf(tip: string, added: ReadonlySet<GitPath>, { git, quarantine }: Court): Promise<string[]> {
  const names = foldersOf(added);
  if (names.size === 0) return [];
  const objects = await ObjectReader.open(git, quarantine.options);
  const pairs: string[] = [];
  for (const [folder, own] of names) {
    const tree = await objects.read(`${tip}:${folder}`, maxTree);
    const all = new Set([...own, ...(tree?.type === "tree" ? treeNames(tree.content, tree.id.length / 2) : [])]);
    for (const pair of collide(folder, own, all)) pairs.push(pair);
  }
  await objects.close();
  return pairs.slice(0, shown);
}

/** For each folder that gets a new name, which names: also of folders, since `Lib/` and `lib/` are one there too. */
function foldersOf(paths: ReadonlySet<GitPath>): Map<GitPath, Set<string>> {
  const folders = new Map<GitPath, Set<string>>();
  for (const path of paths) {
    const names = path.split("/");
    for (const [depth, name] of names.entries()) {
      const folder = names.slice(0, depth).join("/");
      const own = folders.get(folder) ?? new Set();
      folders.set(folder, own.add(name));
    }
  }
  return folders;
}

function collide(folder: GitPath, own: ReadonlySet<string>, all: ReadonlySet<string>): string[] {
  const byFold = new Map<string, string[]>();
  for (const name of all) byFold.set(foldPath(name), [...(byFold.get(foldPath(name)) ?? []), name]);
  return [...byFold.values()]
    .filter((names) => names.length > 1 && names.some((name) => own.has(name)))
    .map((names) => names.map((name) => showPath(folder === "" ? name : `${folder}/${name}`)).join(", "));
}

/** gitformat-tree: mode, blank, name, NUL, raw id. */
function treeNames(content: Buffer, idLength: number): string[] {
  const names: string[] = [];
  for (let at = 0; at < content.length;) {
    const blank = content.indexOf(0x20, at);
    const end = content.indexOf(0, blank);
    names.push(content.subarray(blank + 1, end).toString("latin1"));
    at = end + 1 + idLength;
  }
  return names;
}
