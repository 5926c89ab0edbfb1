import { resolve } from "node:path";
import type { Context } from "../context.ts";
import { moveRefs } from "../land/move-refs.ts";
import { moveRef } from "../land/transaction.ts";
import { listParked, type Parked, replaceNote, tipRef } from "./note.ts";
import { hasParked, removeFolder, removeTree } from "./tree.ts";

/** Takes a parked pull away: the worktree, then what remembers it. Killed on the way, the next run goes on with it. */
export async function end(parked: Parked, given: Context): Promise<void> {
  // We may have been called in the very worktree that goes.
  const context = { ...given, repository: { ...given.repository, gitDir: given.repository.commonDir } };
  const over = parked.note.stage === "over" ? parked : await replaceNote(parked, { stage: "over" }, { context });
  await removeTree(over.note, context);
  await context.checkpoint("park-removed");
  const { git, repository } = context;
  const { gitDir } = repository;
  const tip = await git.run(["rev-parse", "--verify", "--quiet", tipRef(over)], { cwd: gitDir, gitDir });
  const held = tip.code === 0 ? [moveRef(tipRef(over), tip.stdout.toString("latin1").trim(), undefined)] : [];
  await moveRefs({ updates: [moveRef(over.ref, over.id, undefined), ...held], reason: "ferry pull: parked no more" }, context);
  await removeFolderAtLast(context);
}

/**
 * Ends what was being made, or being taken away, when its ferry was killed. The caller holds the repository's lock.
 */
export async function sweepParked(context: Context): Promise<void> {
  if (!(await hasParked(context))) return;
  const all = await listParked(context);
  for (const parked of all) if (parked.note.stage === "adding" || parked.note.stage === "over") await end(parked, context);
  await removeFolderAtLast(context);
}

async function removeFolderAtLast(context: Context): Promise<void> {
  if ((await listParked(context)).length === 0) await removeFolder(context);
}

/** The parked pull whose worktree this working copy is. */
export async function parkedHere(context: Context): Promise<Parked | undefined> {
  if (!(await hasParked(context))) return undefined;
  const { gitDir, commonDir } = context.repository;
  return (await listParked(context)).find(({ note }) => resolve(commonDir, "worktrees", note.name) === gitDir);
}
