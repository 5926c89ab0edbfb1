import { createHash } from "node:crypto";
import { createReadStream, type Dirent, readdirSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type GitPath, gitPath } from "../../git/path.ts";
import type { Context } from "../context.ts";
import { type Entry, presentAs } from "../land/compare.ts";
import { look, onDisk, stampOf } from "../land/disk.ts";
import { ferryFolder } from "../quarantine.ts";
import { isBeginningOf, isCheckoutOf } from "../recovery/contents.ts";
import { changesBetween } from "../recovery/settle.ts";
import { inTree, type ParkedTree } from "./tree.ts";

/** Each file and link of a worktree, by what it was like (stampOf). */
export type Seen = ReadonlyMap<GitPath, string>;

/** What of a worktree may go with it. */
export interface Known {
  /** Commits that have it. */
  readonly commits: readonly string[];
  /** What was there when the worktree was read, and was taken over or given up by intent. Unknown after a kill. */
  readonly seen?: Seen | undefined;
  /** What was given up, or made here: paths by the SHA-256 of their content. */
  readonly contents?: readonly Readonly<Record<GitPath, string>>[];
  /** A git may have been killed that was checking these commits out: what it had begun to write is nobody's. */
  readonly isHalfMade?: boolean;
}

export interface Looked {
  /** What may go, as it was when it was looked at. */
  readonly known: Seen;
  /** All else: someone has worked there. Folders in which nothing else lies are named as a whole. */
  readonly own: readonly GitPath[];
}

/** All that lies in a worktree at this moment, whether git tracks it, ignores it or doesn't know it. */
export function seeAll({ workTree }: Pick<ParkedTree, "workTree">): Seen {
  return listAll(workTree).files;
}

/** Tells what may go with a worktree from what someone has made there since it was read. */
export async function lookAt(tree: ParkedTree, about: Known, context: Context): Promise<Looked> {
  const { files, closed } = listAll(tree.workTree);
  const rest = new Set([...files].flatMap(([path, stamp]) => (about.seen?.get(path) === stamp ? [] : [path])));
  await accountFor(rest, tree, { about, context });
  const known = new Map([...files].filter(([path]) => !rest.has(path)));
  return { known, own: wholes([...rest, ...closed], known.keys()) };
}

/** What differs from a commit in a worktree, by its content, where it is as it was seen; what isn't a file is left out. */
export async function changedContents(
  commit: string,
  { tree, seen }: { tree: ParkedTree; seen: Seen },
  context: Context,
): Promise<Readonly<Record<GitPath, string>>> {
  const changed: Record<GitPath, string> = {};
  for (const path of (await differing(commit, tree, context)) ?? []) {
    const content = await contentOf(path, tree.workTree);
    if (content !== "" && stampOf(onDisk(tree.workTree, path)) === seen.get(path)) changed[path] = content;
  }
  return changed;
}

/** What lies at these paths of a folder, by its content; what isn't a file is left out. */
export async function contentsOf(paths: readonly GitPath[], folder: string): Promise<Record<GitPath, string>> {
  const contents: Record<GitPath, string> = {};
  for (const path of paths) {
    const content = await contentOf(path, folder);
    if (content !== "") contents[path] = content;
  }
  return contents;
}

/** The file that makes a folder a worktree is git's. */
export const gitLink = ".git";

function listAll(workTree: string): { files: Map<GitPath, string>; closed: GitPath[] } {
  const files = new Map<GitPath, string>();
  const closed: GitPath[] = [];
  const visit = (folder: GitPath) => {
    const entries = entriesOf(onDisk(workTree, folder));
    if (entries === undefined) closed.push(folder);
    for (const entry of entries ?? []) {
      const path = folder === "" ? gitPath(entry.name) : `${folder}/${gitPath(entry.name)}`;
      if (entry.isDirectory()) visit(path);
      else if (path !== gitLink || !entry.isFile()) files.set(path, stampOf(onDisk(workTree, path)) ?? "");
    }
  };
  visit("");
  return { files, closed };
}

/** Undefined where we may not look into it. */
function entriesOf(folder: Buffer | string): Dirent<Buffer>[] | undefined {
  try {
    return readdirSync(folder, { encoding: "buffer", withFileTypes: true });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    if (code === "EACCES" || code === "EPERM") return undefined;
    throw error;
  }
}

/** Leaves in `rest` what no commit has, and nobody gave up. */
async function accountFor(
  rest: Set<GitPath>,
  tree: ParkedTree,
  { about, context }: { about: Known; context: Context },
): Promise<void> {
  const { git, repository } = context;
  // Not by the worktree's own git folder, which may be half made or half gone.
  const copy = { git, repository: { ...repository, gitDir: repository.commonDir, workTree: tree.workTree } };
  for (const commit of new Set(about.commits)) {
    if (rest.size === 0) return;
    const tracked = (await changesBetween(copy, undefined, commit)).flatMap(({ path, newMode, newId }): Entry[] =>
      rest.has(path) ? [{ path, mode: newMode, id: newId }] : [],
    );
    const changed = await differing(commit, tree, context);
    if (changed !== undefined) {
      const left = new Set(changed);
      for (const entry of tracked) if (!left.has(entry.path) && (await isWhole(copy, entry))) rest.delete(entry.path);
    }
    const scratch = await makeScratch(context);
    const entries = tracked.filter(({ path }) => rest.has(path));
    const present = new Set(await presentAs(git, copy.repository, { entries, scratch }));
    for (const entry of entries) if (present.has(entry.path) && (await isWhole(copy, entry))) rest.delete(entry.path);
    await rm(scratch, { recursive: true, force: true });
    for (const entry of about.isHalfMade === true ? entries : [])
      if (rest.has(entry.path) && (await isBegun(copy, entry))) rest.delete(entry.path);
  }
  for (const path of rest) {
    const contents = (about.contents ?? []).flatMap((each) => each[path] ?? []);
    if (contents.length > 0 && contents.includes(await contentOf(path, tree.workTree))) rest.delete(path);
  }
}

/** Whether a commit has all of a file that git takes for its content: a filter may lead there from many a content. */
async function isWhole(copy: Parameters<typeof isCheckoutOf>[0], entry: Entry): Promise<boolean> {
  const { workTree } = copy.repository;
  if ((await look(workTree, entry.path)).what !== "file") return true;
  return isCheckoutOf(copy, onDisk(workTree, entry.path), entry);
}

async function isBegun(copy: Parameters<typeof isBeginningOf>[0], entry: Entry): Promise<boolean> {
  const { workTree } = copy.repository;
  if ((await look(workTree, entry.path)).what !== "file") return false;
  return isBeginningOf(copy, onDisk(workTree, entry.path), entry);
}

async function makeScratch({ repository }: Context): Promise<string> {
  const scratch = join(ferryFolder(repository), "recovery");
  await rm(scratch, { recursive: true, force: true });
  await mkdir(scratch, { recursive: true, mode: 0o700 });
  return scratch;
}

/** The paths where a worktree isn't as a commit has it, also those that git is told not to look at. Undefined where the worktree has no index that git can read. */
export async function differing(commit: string, tree: ParkedTree, { git }: Context): Promise<GitPath[] | undefined> {
  const plain = ["--name-only", "-z", "--no-ext-diff", "--no-renames", "--ignore-submodules=all"];
  const ask = (args: readonly string[]) => git.run(args, inTree(tree));
  const unseen = await ask(["ls-files", "-z", "-v"]);
  const changed = await ask(["diff", ...plain, commit, "--"]);
  // A filter that takes no conflict markers, say: then what has another time, or another entry, than when git last looked.
  const found =
    changed.code === 0
      ? [changed]
      : [await ask(["diff-index", "--cached", ...plain, commit, "--"]), await ask(["diff-files", ...plain])];
  if (unseen.code !== 0 || found.some(({ code }) => code !== 0)) return undefined;
  const names = (listing: Buffer) => listing.toString("latin1").split("\0").filter(Boolean);
  const hidden = names(unseen.stdout).filter((line) => /^[a-zS]/u.test(line));
  return [...new Set([...found.flatMap(({ stdout }) => names(stdout)), ...hidden.map((line) => line.slice(2))])];
}

/** Its SHA-256; "" for what is no file, or can't be read. */
async function contentOf(path: GitPath, workTree: string): Promise<string> {
  if ((await look(workTree, path)).what !== "file") return "";
  const hash = createHash("sha256");
  try {
    for await (const chunk of createReadStream(onDisk(workTree, path))) hash.update(chunk as Buffer);
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "EACCES" || error.code === "EPERM")) return "";
    throw error;
  }
  return hash.digest("hex");
}

/** Each path, or the outermost folder around it in which nothing known lies. */
function wholes(own: readonly GitPath[], known: Iterable<GitPath>): GitPath[] {
  const shared = new Set<GitPath>();
  for (const path of known)
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      if (shared.has(path.slice(0, end))) break;
      shared.add(path.slice(0, end));
    }
  const found = own.map((path) => {
    for (let end = path.indexOf("/"); end > 0; end = path.indexOf("/", end + 1))
      if (!shared.has(path.slice(0, end))) return path.slice(0, end);
    return path;
  });
  return [...new Set(found)];
}
