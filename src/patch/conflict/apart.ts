import { type GitPath, pathBytes } from "../../git/path.ts";
import { modes } from "../../git/records.ts";
import type { Context } from "../context.ts";
import { indexInfo, withIndex } from "../land/compare.ts";
import { Looker } from "../land/disk.ts";
import { filtered } from "../land/replace.ts";
import { porcelainError, runPorcelain } from "../recovery/porcelain.ts";
import { cherryPick } from "./pick.ts";

/** A working copy, and the empty folder in which git makes files for it. */
export interface Apart {
  readonly gitDir: string;
  readonly workTree: string;
  readonly folder: string;
  /** Paths where the working copy isn't as its index is: they are made, too. */
  readonly far?: readonly GitPath[];
  /** See cherryPick. */
  readonly isHeld?: boolean;
}

/** What an index has, by path. */
export type Entries = ReadonlyMap<GitPath, string>;

export interface Picked {
  readonly outcome: "stopped" | "came";
  /** The index before and after. */
  readonly before: Entries;
  readonly after: Entries;
}

/**
 * Cherry-picks a commit in a working copy's git folder, but not in its working tree. Git looks at all files before it writes the first,
 * and then writes over whatever it finds: what is saved in between is lost. In an empty folder it takes what is missing for untouched,
 * and makes there what changes; that can then come where nothing else has (exchange.ts).
 * @throws FerryError where git didn't get that far
 */
export async function pickApart(commit: string, place: Apart, context: Context): Promise<Picked> {
  const { gitDir, folder, far = [], isHeld = false } = place;
  const before = await readEntries(place, context);
  await checkOut(far, before, place, context);
  const outcome = await cherryPick(commit, { cwd: folder, gitDir, workTree: folder }, context, { isHeld });
  return { outcome, before, after: await readEntries(place, context) };
}

/**
 * The tree that a working tree has once what was made apart has come to it, from an index as it was before. What git left alone stays:
 * one side of a conflict, and what is out of sight.
 */
export async function treeApart(
  { folder, gitDir }: Apart,
  { before, after }: Picked,
  { index, context: { git, repository } }: { index: string; context: Context },
): Promise<string> {
  const looker = new Looker(folder);
  const changed = changedIn({ before, after }).filter((path) => !after.has(path) || looker.look(path).what !== "nothing");
  const options = withIndex({ ...repository, gitDir, workTree: folder }, index);
  const submodules = changed.flatMap((path) => {
    const [, id] = / 160000 (\w+) \d/u.exec(after.get(path) ?? "") ?? [];
    return id === undefined || looker.look(path).what !== "folder" ? [] : [{ path, mode: modes.gitlink, id }];
  });
  const others = changed.filter((path) => looker.look(path).what !== "folder" || !after.has(path));
  const input = pathBytes(others.map((path) => `${path}\0`).join(""));
  await git.ok(["update-index", "-z", "--add", "--remove", "--replace", "--stdin"], { ...options, input });
  await git.ok(["update-index", "-z", "--add", "--replace", "--index-info"], { ...options, input: indexInfo(submodules) });
  return (await git.ok(["write-tree"], options)).toString("latin1").trim();
}

/** The paths that the pick changed in the index. */
export function changedIn({ before, after }: Pick<Picked, "before" | "after">): GitPath[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path));
}

/** The index: what it has at each path, its stages and whether git is told not to look there among it. */
async function readEntries(place: Apart, { git }: Context): Promise<Map<GitPath, string>> {
  const records = (await git.ok(["ls-files", "-z", "-v", "--stage"], inPlace(place))).toString("latin1").split("\0");
  const entries = new Map<GitPath, string>();
  for (const record of records) {
    const tab = record.indexOf("\t");
    const path = record.slice(tab + 1);
    if (tab > 0) entries.set(path, (entries.get(path) ?? "") + record.slice(0, tab));
  }
  return entries;
}

/** Into the folder, with their times in the index, by which the cherry-pick knows them for untouched. */
async function checkOut(
  far: readonly GitPath[],
  entries: ReadonlyMap<GitPath, string>,
  place: Apart,
  context: Context,
): Promise<void> {
  const isInSight = (path: GitPath) => /^[^Ss]/u.test(entries.get(path) ?? "S");
  const all = (await runsFromTree(entries, place, context)) ? [...entries.keys()] : far;
  const paths = all.filter(isInSight);
  const last = await filtered({ git: context.git, repository: { ...context.repository, ...inPlace(place) } }, paths);
  const args = ["checkout-index", "-u", "-z", "--stdin"];
  const options = { ...inPlace(place), cwd: place.folder, workTree: place.folder };
  for (const turn of [paths.filter((path) => !last.has(path)), paths.filter((path) => last.has(path))]) {
    const input = pathBytes(turn.map((path) => `${path}\0`).join(""));
    const result = turn.length === 0 ? undefined : await runPorcelain(args, { ...options, input }, context);
    if (result !== undefined && result.code !== 0) throw porcelainError(args, result);
  }
}

/** Whether a filter or a merge driver is a program of the tree itself, which git runs at its top. */
async function runsFromTree(entries: ReadonlyMap<GitPath, string>, place: Apart, { git }: Context): Promise<boolean> {
  const args = ["config", "-z", "--get-regexp", "^(filter|merge)\\..*\\.(clean|smudge|process|driver)$"];
  const commands = (await git.run(args, inPlace(place))).stdout.toString("latin1");
  const words = commands.split(/[\s\0"'`;|&()=]+/u).map((word) => word.replace(/^(?:\.\/+)+/u, ""));
  return words.some((word) => entries.has(word));
}

function inPlace({ gitDir, workTree }: Apart) {
  return { cwd: workTree, gitDir, workTree };
}
