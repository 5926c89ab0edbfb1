import { type GitPath, showPath } from "../../git/path.ts";
import type { Context } from "../context.ts";
import { Looker } from "../land/disk.ts";
import { type PathCheck, unmerged } from "../land/path-check.ts";
import { permissionsOf, restorePermissions } from "../land/permissions.ts";
import { committerEnvironment } from "../place/identity.ts";
import { porcelainError, runPorcelain } from "../recovery/porcelain.ts";
import { changesBetween } from "../recovery/settle.ts";
import type { StashBefore } from "../place/place.ts";
import { giveUp } from "./give-up.ts";
import { removeStashNote, type StashNote, writeStashNote } from "./note.ts";
import { stashMessage } from "./plan.ts";

/** What could not be put back as it was: it is in the stash still. */
export interface StashLeft {
  /** As git names it now, e.g. `stash@{0}`. */
  readonly name: string;
  /** Paths with conflicts between it and what came. */
  readonly paths: readonly string[];
  /** The command that gives up those, and where it went on top of what came. */
  readonly giveUp: string;
  /** Whether its content is in the tree as well. */
  readonly isBack: boolean;
}

/** Enters a stash into the list, before anything is taken out of the tree. @throws FerryError where git can't */
export async function storeStash(stash: string, context: Context): Promise<StashNote> {
  const { gitDir, workTree } = context.repository;
  const note = { stash, gitDir, workTree };
  await writeStashNote(note, context);
  await context.checkpoint("stash-made");
  const args = ["stash", "store", "--quiet", "-m", stashMessage, stash];
  const result = await run(args, context);
  if (result.code !== 0) {
    await dropStash(note, context);
    throw porcelainError(args, result);
  }
  await context.checkpoint("stash-stored");
  return note;
}

/** Lays changes that conflict with what came over it, as git does; the stash stays. */
export async function applyOver(note: StashNote, context: Context): Promise<StashLeft> {
  const { git, repository } = context;
  const looker = new Looker(repository.workTree);
  const changes = new Map(
    (await changesBetween({ git, repository }, `${note.stash}^1`, note.stash)).map((each) => [each.path, each]),
  );
  const permissions = permissionsOf(new Map([...changes.keys()].map((path) => [path, looker.look(path)])));
  const staged = new Set(await stagedPaths(context));
  const applied = await run(["stash", "apply", "--quiet", note.stash], context);
  await restorePermissions(repository.workTree, permissions, changes);
  const paths = await unmergedPaths(context);
  const touched = (await stagedPaths(context)).filter((path) => !staged.has(path));
  const command = await giveUp(touched, context);
  await context.checkpoint("stash-applied");
  return leave(note, { paths: paths.map(showPath), giveUp: command, isBack: paths.length > 0 || applied.code === 0 }, context);
}

/** Ends with the stash in the list. */
export async function leave(note: StashNote, is: Omit<StashLeft, "name">, context: Context): Promise<StashLeft> {
  await removeStashNote(context);
  return { ...is, name: (await stashName(note, context)) ?? note.stash };
}

export async function dropStash(note: StashNote, context: Context): Promise<void> {
  const name = await stashName(note, context);
  const args = ["stash", "drop", "--quiet", name ?? ""];
  const result = name === undefined ? undefined : await run(args, context);
  if (result !== undefined && result.code !== 0) throw porcelainError(args, result);
  await removeStashNote(context);
}

/** Undefined where it isn't in the list. */
export async function stashName({ stash }: StashNote, { git, repository }: Context): Promise<string | undefined> {
  const { gitDir } = repository;
  const listing = await git.run(["log", "-g", "--format=%H", "refs/stash", "--"], { cwd: gitDir, gitDir });
  const at = listing.code === 0 ? listing.stdout.toString("latin1").split("\n").indexOf(stash) : -1;
  return at < 0 ? undefined : `stash@{${at}}`;
}

/**
 * The stash of a pull with --autostash that began at this commit, where it is still listed, and the command that gives up what it is
 * about of what is in the way: conflicts, and what of it went on top of what came.
 */
export async function stashBefore(
  commit: string,
  blocked: PathCheck["blocked"],
  context: Context,
): Promise<StashBefore | undefined> {
  const { git, repository } = context;
  const { gitDir } = repository;
  const listing = await git.run(["log", "-g", "--format=%P %gs", "refs/stash", "--"], { cwd: gitDir, gitDir });
  const lines = listing.code === 0 ? listing.stdout.toString("utf8").split("\n") : [];
  const at = lines.findIndex((line) => line.startsWith(`${commit} `) && line.endsWith(` ${stashMessage}`));
  if (at < 0) return undefined;
  const name = `stash@{${at}}`;
  const own = new Set((await changesBetween({ git, repository }, commit, name)).map(({ path }) => path));
  const paths = blocked.filter(({ path, why }) => why === unmerged || own.has(path)).map(({ path }) => path);
  return { name, giveUp: await giveUp(paths, context) };
}

function unmergedPaths(context: Context): Promise<GitPath[]> {
  return differing(["diff", "--diff-filter=U"], context);
}

/** What is unmerged among them. */
function stagedPaths(context: Context): Promise<GitPath[]> {
  return differing(["diff", "--cached", "--no-renames", "HEAD"], context);
}

async function differing([command = "", ...args]: readonly string[], { git, repository }: Context): Promise<GitPath[]> {
  const { gitDir, workTree } = repository;
  const listing = await git.ok([command, "--name-only", "-z", ...args], { cwd: workTree, gitDir, workTree });
  return [...new Set(listing.toString("latin1").split("\0").filter(Boolean))];
}

function run(args: readonly string[], context: Context) {
  const { gitDir, workTree } = context.repository;
  return runPorcelain(args, { cwd: workTree, gitDir, workTree, env: committerEnvironment(context.host) }, context);
}
