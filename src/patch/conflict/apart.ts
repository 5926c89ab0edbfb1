import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { type GitPath, gitPath, pathBytes } from "../../git/path.ts";
import type { Context } from "../context.ts";
import { foldersTo, onDisk, statusOf } from "../land/disk.ts";
import { filtered } from "../land/replace.ts";
import { mustRunPorcelain } from "../recovery/porcelain.ts";
import { cherryPick } from "./pick.ts";

/** A working copy, and the empty folder in which git makes files for it. */
export interface Apart {
  readonly gitDir: string;
  readonly workTree: string;
  readonly folder: string;
  /** Paths where the working copy isn't as its index is: they are made, too. */
  readonly far?: readonly GitPath[];
}

/** What an index has, by path. */
type Entries = ReadonlyMap<GitPath, string>;

export interface Picked {
  /** The paths that the pick changed in the index. */
  readonly changed: readonly GitPath[];
  /** What the index has since. */
  readonly after: Entries;
}

/**
 * Cherry-picks a commit in a working copy's git folder, but not in its working tree; it stops in any case. Git
 * looks at all files before it writes the first, and then writes over whatever it finds: what is saved in between is lost. In an empty
 * folder it takes what is missing for untouched, and makes there what changes; that can then come where nothing else has (exchange.ts).
 * Only what git reads of the working tree besides is there from the start.
 * @throws FerryError where git didn't get that far
 */
export async function pickApart(commit: string, place: Apart, context: Context): Promise<Picked> {
  const { gitDir, folder } = place;
  const before = await readEntries(place, context);
  const config = await filtersAtHome(place, context);
  await checkOut(before, { place, config, touched: await touchedBy(commit, place, context) }, context);
  copyAttributes(before, place);
  await cherryPick(commit, { cwd: folder, gitDir, workTree: folder }, { config, context });
  const after = await readEntries(place, context);
  const all = [...new Set([...before.keys(), ...after.keys()])];
  return { changed: all.filter((path) => before.get(path) !== after.get(path)), after };
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

/**
 * A filter runs at the top of the working tree (gitattributes(5)), and may be a program of it, or read something there. In a command git
 * puts the file's path for `%f` and one `%` for two, but not in that of a process.
 */
async function filtersAtHome(place: Apart, { git }: Context): Promise<Record<string, string>> {
  const args = ["config", "-z", "--get-regexp", "^filter\\..*\\.(clean|smudge|process)$"];
  const lines = (await git.run(args, inPlace(place))).stdout.toString("utf8").split("\0");
  // The last one counts, which may turn the filter off.
  const last = new Map(
    lines.map((line): [string, string] => {
      const [name = "", ...command] = line.split("\n");
      return [name, command.join("\n")];
    }),
  );
  const home = `'${place.workTree.replaceAll("\\", "/").replaceAll("'", "'\\''")}'`;
  const commands = [...last].filter(([name, command]) => command.trim() !== "" && !name.includes("="));
  return Object.fromEntries(
    commands.map(([name, command]) => {
      const path = name.endsWith(".process") ? home : home.replaceAll("%", "%%");
      return [name, `cd ${path} && export GIT_WORK_TREE=${path} && ${command}`];
    }),
  );
}

/**
 * What the working copy is behind in, the attributes that the commit changes, and all that a merge driver may need, which runs in the
 * folder. With their times in the index, by which the cherry-pick knows them for untouched.
 */
async function checkOut(
  entries: Entries,
  { place, config, touched }: { place: Apart; config: Record<string, string>; touched: ReadonlySet<GitPath> },
  context: Context,
): Promise<void> {
  const { folder, far = [] } = place;
  const isInSight = (path: GitPath) => /^[^Ss]/u.test(entries.get(path) ?? "S");
  const isFar = new Set(far);
  const hasDrivers = await usesDrivers(place, context);
  const paths = [...entries.keys()].filter(
    (path) => isInSight(path) && (hasDrivers || isFar.has(path) || (attributes.test(path) && touched.has(path))),
  );
  const last = await filtered({ git: context.git, repository: { ...context.repository, ...inPlace(place) } }, paths);
  const args = ["checkout-index", "-u", "-z", "--stdin"];
  const options = { ...inPlace(place), cwd: folder, workTree: folder, config };
  for (const turn of [paths.filter((path) => !last.has(path)), paths.filter((path) => last.has(path) && isFar.has(path))]) {
    const input = pathBytes(turn.map((path) => `${path}\0`).join(""));
    if (turn.length > 0) await mustRunPorcelain(args, { ...options, input }, context);
  }
  if (hasDrivers) linkUntracked([...entries.keys(), ...touched], place);
}

async function touchedBy(commit: string, place: Apart, { git }: Context): Promise<Set<GitPath>> {
  const args = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", "--no-commit-id", "--root", commit];
  return new Set((await git.ok(args, inPlace(place))).toString("latin1").split("\0"));
}

const attributes = /(?:^|\/)\.gitattributes$/u;

async function usesDrivers(place: Apart, { git }: Context): Promise<boolean> {
  return (await git.run(["config", "--get-regexp", "^merge\\..*\\.driver$"], inPlace(place))).code === 0;
}

/** What lies at the top of the working tree, isn't git's and doesn't become so: a driver's own files, say. */
function linkUntracked(paths: readonly GitPath[], { workTree, folder }: Apart): void {
  const tops = new Set([".git", ".gitattributes", ...paths.map((path) => path.split("/", 1)[0])]);
  for (const entry of readdirSync(workTree, { encoding: "buffer" })) {
    const name = gitPath(entry);
    if (!tops.has(name)) link(onDisk(workTree, name), onDisk(folder, name));
  }
}

/** Windows lets not everybody make links. */
function link(to: Buffer | string, from: Buffer | string): void {
  try {
    symlinkSync(to, from);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EPERM")) throw error;
  }
}

/** Git merges by the attributes that the working tree has, committed or not. */
function copyAttributes(entries: Entries, { workTree, folder, far = [] }: Apart): void {
  const isMade = new Set(far);
  for (const each of new Set(["", ...[...entries.keys()].flatMap(foldersTo)])) {
    const path = each === "" ? ".gitattributes" : `${each}/.gitattributes`;
    const [from, to] = [onDisk(workTree, path), onDisk(folder, path)];
    if (isMade.has(path) || !isFile(from)) continue;
    const content = readFileSync(from);
    if (isFile(to) && readFileSync(to).equals(content)) continue;
    if (each !== "") mkdirSync(onDisk(folder, each), { recursive: true });
    // Never through a link.
    rmSync(to, { force: true });
    writeFileSync(to, content, { flag: "wx" });
  }
}

function isFile(path: Buffer | string): boolean {
  return statusOf(path)?.isFile() === true;
}

function inPlace({ gitDir, workTree }: Apart) {
  return { cwd: workTree, gitDir, workTree };
}
