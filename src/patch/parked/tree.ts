import { readFile, realpath, rename, rmdir, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { openOperations, type Operation } from "../../git/operations.ts";
import { showPath } from "../../git/path.ts";
import { modes } from "../../git/records.ts";
import { gitError } from "../../git/runner.ts";
import type { Context } from "../context.ts";
import { presentAs } from "../land/compare.ts";
import { Looker } from "../land/disk.ts";
import { linkedTo } from "../worktree/link.ts";
import { runPorcelain } from "../recovery/porcelain.ts";
import { parkedFolder, type ParkedNote } from "./note.ts";

/** A worktree that a pull is parked in. */
export interface ParkedTree {
  readonly gitDir: string;
  readonly workTree: string;
}

/**
 * Where it is now, since it can be moved (git worktree move); undefined where git knows nothing of it any more. Where the whole repository
 * was moved or copied, git names its old place, which is none of ours: then it is the one in this repository. One that lies elsewhere is
 * ours also where its own link leads to where the repository was, and nothing is there any more.
 */
export async function findTree(
  note: Pick<ParkedNote, "name">,
  context: Pick<Context, "repository">,
): Promise<ParkedTree | undefined> {
  const gitDir = gitDirOf(note, context);
  const text = await readFile(join(gitDir, "gitdir"), "utf8").catch(missing);
  if (text === undefined) return undefined;
  const workTree = dirname(resolve(gitDir, text.trim()));
  const link = await linkedTo(workTree);
  const isOurs = link === (await realpath(gitDir)) || (link !== undefined && (await ledHere(link, note)));
  return { gitDir, workTree: isOurs ? workTree : join(parkedFolder(context), note.name) };
}

async function ledHere(link: string, { name }: Pick<ParkedNote, "name">): Promise<boolean> {
  return basename(link) === name && (await stat(link).catch(missing)) === undefined;
}

/** Where git has it, be it there or not. */
export async function placeIn({ gitDir }: Pick<ParkedTree, "gitDir">): Promise<string> {
  return dirname(resolve(gitDir, (await readFile(join(gitDir, "gitdir"), "utf8")).trim()));
}

/** Its own git folder, which it needn't have any more. */
export function gitDirOf({ name }: Pick<ParkedNote, "name">, { repository }: Pick<Context, "repository">): string {
  return join(repository.commonDir, "worktrees", name);
}

/**
 * Mends the two links between a worktree and its git folder once the repository was moved or copied (gitrepository-layout(5)): a git
 * that is run in the worktree would find nothing, or the original, and git-worktree(1)'s repair follows them there.
 */
export async function relink(note: Pick<ParkedNote, "name">, context: Pick<Context, "repository">): Promise<void> {
  const tree = await findTree(note, context);
  if (tree === undefined || !(await isThere(tree)) || (await linkedTo(tree.workTree)) === (await realpath(tree.gitDir))) return;
  const links = {
    [join(tree.workTree, ".git")]: `gitdir: ${tree.gitDir}`,
    [join(tree.gitDir, "gitdir")]: join(tree.workTree, ".git"),
  };
  for (const [file, content] of Object.entries(links)) {
    const made = join(tree.gitDir, "gitdir.new");
    await writeFile(made, `${content.replaceAll("\\", "/")}\n`);
    await rename(made, file);
  }
}

export async function isThere({ workTree }: ParkedTree): Promise<boolean> {
  return (await stat(join(workTree, ".git")).catch(missing)) !== undefined;
}

/** Where it lies while it is taken away. */
export function asideOf({ name }: Pick<ParkedNote, "name">, context: Pick<Context, "repository">): string {
  return join(parkedFolder(context), `${name}.over`);
}

/** Where the git folders of submodules lie that were cloned for it alone. */
export function modulesOf({ gitDir }: Pick<ParkedTree, "gitDir">): string {
  return join(gitDir, "modules");
}

/** How git is run in it. */
export function inTree({ gitDir, workTree }: ParkedTree) {
  return { cwd: workTree, gitDir, workTree };
}

/** How git is asked of its index and HEAD, wherever its files are. */
export function inGitFolder({ gitDir }: Pick<ParkedTree, "gitDir">) {
  return { cwd: gitDir, gitDir, workTree: gitDir };
}

/** Makes it, with a detached HEAD. git-worktree(1): it would run post-checkout; our git has no hooks. */
export async function addTree({ name, clean }: ParkedNote, context: Context): Promise<void> {
  const args = ["worktree", "add", "--quiet", "--detach", join(parkedFolder(context), name), clean];
  const { gitDir, workTree } = context.repository;
  const result = await runPorcelain(args, { cwd: workTree, gitDir, workTree }, context);
  if (result.code !== 0) throw gitError(args, result);
}

export interface TreeState {
  readonly head: string;
  /** The commit of a cherry-pick that stands in it. */
  readonly pick: string | undefined;
  readonly operations: readonly Operation[];
  readonly unmerged: readonly string[];
  /** Tracked files with changes that aren't staged. */
  readonly unstaged: readonly string[];
  readonly staged: readonly string[];
  /** Files that git doesn't track, ignored ones among them. */
  readonly untracked: readonly string[];
  /** Tracked files that git is told not to look at (skip-worktree of a sparse checkout excepted: nothing is there), with other content. */
  readonly unseen: readonly string[];
  /** Whether submodules were cloned for it: into its own git folder (git-worktree(1), BUGS). */
  readonly hasSubmodules: boolean;
}

export async function readState(tree: ParkedTree, context: Context): Promise<TreeState> {
  const { git, repository } = context;
  const options = inTree(tree);
  const ask = async (name: string) => {
    const result = await git.run(["rev-parse", "--verify", "--quiet", `${name}^{commit}`], options);
    return result.code === 0 ? result.stdout.toString("latin1").trim() : undefined;
  };
  const args = [
    "status",
    "--porcelain=v2",
    "-z",
    "--no-renames",
    "--untracked-files=all",
    "--ignored",
    "--ignore-submodules=none",
  ];
  const records = (await git.ok(args, options))
    .toString("latin1")
    .split("\0")
    .filter((record) => record !== "");
  const paths = (marks: RegExp, at: number) =>
    records.filter((record) => marks.test(record)).map((record) => showPath(record.split(" ").slice(at).join(" ")));
  return {
    head: (await ask("HEAD")) ?? "",
    pick: await ask("CHERRY_PICK_HEAD"),
    operations: await openOperations(git, { ...repository, ...tree }),
    unmerged: paths(/^u /u, 10),
    unstaged: paths(/^1 .[^.]/u, 8),
    staged: paths(/^1 [^.]/u, 8),
    untracked: paths(/^[?!] /u, 1),
    unseen: await unseen(tree, context),
    hasSubmodules: (await stat(modulesOf(tree)).catch(missing)) !== undefined,
  };
}

async function unseen(tree: ParkedTree, context: Context): Promise<string[]> {
  const { git, repository } = context;
  const out = (await git.ok(["ls-files", "-z", "-v", "--stage"], inTree(tree))).toString("latin1").split("\0");
  const entries = out.flatMap((line) => {
    const tab = line.indexOf("\t");
    const [tag = "", mode = "", id = ""] = line.slice(0, tab).split(" ");
    return /^[a-zS]$/u.test(tag) ? [{ path: line.slice(tab + 1), mode, id }] : [];
  });
  const looker = new Looker(tree.workTree);
  const there = entries.filter(({ path, mode }) => mode !== modes.gitlink && looker.look(path).what !== "nothing");
  const same = await presentAs(git, { ...repository, ...tree }, { entries: there, scratch: tree.gitDir });
  return there.filter(({ path }) => !same.has(path)).map(({ path }) => showPath(path));
}

/** Whether anything is parked, without asking git: nothing is in nearly every pull. The folder is there as long as a note is. */
export async function hasParked(context: Context): Promise<boolean> {
  return (await stat(parkedFolder(context)).catch(missing)) !== undefined;
}

/** Takes the folder away when the last one went. */
export async function removeFolder(context: Context): Promise<void> {
  await rmdir(parkedFolder(context)).catch(unlessInUse);
}

/** For what needn't be there. */
export function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error;
  return undefined;
}

/** For a folder that goes once it is empty. */
export function unlessInUse(error: NodeJS.ErrnoException): void {
  if (!["ENOENT", "ENOTEMPTY", "EEXIST"].includes(error.code ?? "")) throw error;
}
