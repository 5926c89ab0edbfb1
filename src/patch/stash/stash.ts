import { FerryError } from "../../base/errors.ts";
import { showPath } from "../../git/path.ts";
import type { Context } from "../context.ts";
import { committerEnvironment } from "../place/identity.ts";
import { porcelainError, runPorcelain } from "../recovery/porcelain.ts";
import { removeStashNote, type StashNote, writeStashNote } from "./note.ts";
import { takeBack } from "./take-back.ts";

const message = "ferry pull: autostash";

/** What could not be put back as it was: it is in the stash still. */
export interface StashLeft {
  /** As git names it now, e.g. `stash@{0}`. */
  readonly name: string;
  /** Paths with conflicts between it and what came. */
  readonly paths: readonly string[];
  /** Whether its content is in the tree as well. */
  readonly isBack: boolean;
}

/**
 * Puts all changes of tracked files away, as git's own autostash does: untracked files stay where they are. First as a commit, then
 * in the list of stashes, and only then out of the tree.
 * @throws FerryError attention where git can't stash them (intent to add, say); nothing has changed then
 */
export async function stashAway(context: Context): Promise<StashNote> {
  const { gitDir, workTree } = context.repository;
  const create = ["stash", "create", message];
  const created = await run(create, context);
  const stash = created.stdout.toString("latin1").trim();
  if (created.code !== 0 || stash === "")
    throw new FerryError("attention", `your changes can't be stashed: ${porcelainError(create, created).message}`, {
      hint: "nothing was changed; commit them, or move them away",
    });
  const note = { stash, gitDir, workTree };
  await writeStashNote(note, context);
  await context.checkpoint("stash-made");
  await ok(["stash", "store", "--quiet", "-m", message, stash], context);
  await context.checkpoint("stash-stored");
  await ok(["reset", "--quiet", "--hard"], context);
  await context.checkpoint("stash-cleared");
  return note;
}

/** Puts them back, staged what was staged, and takes the stash away; where that fails it stays, and is named. */
export async function bringBack(note: StashNote, context: Context): Promise<StashLeft | undefined> {
  const apply = ["stash", "apply", "--quiet", "--index", note.stash];
  const applied = await run(apply, context);
  // One that was killed may have come half way.
  const state = applied.code > 128 ? await takeBack(note, context) : "untouched";
  const isBack = applied.code === 0 || state === "as it was" || (state === "without" && (await run(apply, context)).code === 0);
  if (!isBack) return leave(note, context);
  await context.checkpoint("stash-applied");
  await dropStash(note, context);
  return undefined;
}

/** Where the index can't be put back, git does nothing at all with --index: the content comes without. */
async function leave(note: StashNote, context: Context): Promise<StashLeft> {
  const again =
    (await unmergedPaths(context)).length === 0 ? await run(["stash", "apply", "--quiet", note.stash], context) : undefined;
  const paths = await unmergedPaths(context);
  const isBack = paths.length > 0 || again?.code === 0;
  if (!isBack) await takeBack(note, context).catch(() => undefined);
  await removeStashNote(context);
  return { name: (await stashName(note, context)) ?? note.stash, paths, isBack };
}

export async function dropStash(note: StashNote, context: Context): Promise<void> {
  const name = await stashName(note, context);
  if (name !== undefined) await ok(["stash", "drop", "--quiet", name], context);
  await context.checkpoint("stash-dropped");
  await removeStashNote(context);
}

/** Undefined where it isn't in the list. */
export async function stashName({ stash }: StashNote, { git, repository }: Context): Promise<string | undefined> {
  const { gitDir } = repository;
  const listing = await git.run(["log", "-g", "--format=%H", "refs/stash", "--"], { cwd: gitDir, gitDir });
  const at = listing.code === 0 ? listing.stdout.toString("latin1").split("\n").indexOf(stash) : -1;
  return at < 0 ? undefined : `stash@{${at}}`;
}

/** The stash of a pull with --autostash that began at this commit, where it is still listed. */
export async function stashBefore(commit: string, { git, repository }: Context): Promise<string | undefined> {
  const { gitDir } = repository;
  const listing = await git.run(["log", "-g", "--format=%P %gs", "refs/stash", "--"], { cwd: gitDir, gitDir });
  const lines = listing.code === 0 ? listing.stdout.toString("utf8").split("\n") : [];
  const at = lines.findIndex((line) => line.startsWith(`${commit} `) && line.endsWith(` ${message}`));
  return at < 0 ? undefined : `stash@{${at}}`;
}

async function unmergedPaths({ git, repository }: Context): Promise<string[]> {
  const { gitDir, workTree } = repository;
  const listing = await git.ok(["diff", "--name-only", "--diff-filter=U", "-z"], { cwd: workTree, gitDir, workTree });
  return [...new Set(listing.toString("latin1").split("\0").filter(Boolean))].map(showPath);
}

function run(args: readonly string[], context: Context) {
  const { gitDir, workTree } = context.repository;
  return runPorcelain(args, { cwd: workTree, gitDir, workTree, env: committerEnvironment(context.host) }, context);
}

async function ok(args: readonly string[], context: Context): Promise<void> {
  const result = await run(args, context);
  if (result.code !== 0) throw porcelainError(args, result);
}
