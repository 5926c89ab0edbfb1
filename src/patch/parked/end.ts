import { realpath } from "node:fs/promises";
import { FerryError } from "../../base/errors.ts";
import { oneLine } from "../../base/text.ts";
import type { Context } from "../context.ts";
import { moveRefs } from "../land/move-refs.ts";
import { moveRef } from "../land/transaction.ts";
import { isHalfMade } from "../recovery/half-made.ts";
import { reopen } from "./closed.ts";
import type { Known } from "./look.ts";
import { listParked, type Parked, replaceNote, tipRef } from "./note.ts";
import { isOnItsWay, knownOf, sweepStop } from "./next-stop.ts";
import { takeAway } from "./take-away.ts";
import { findTree, gitDirOf, hasParked, inTree, isThere, missing, relink, removeFolder } from "./tree.ts";

/**
 * Takes a parked pull away: the worktree, then what remembers it. Killed on the way, the next run goes on with it. What someone has made
 * in the worktree since it was `seen` is kept, and told at the end.
 */
export async function end(parked: Parked, given: Context, { seen }: { seen?: Known["seen"] } = {}): Promise<void> {
  // We may have been called in the very worktree that goes.
  const context = { ...given, repository: { ...given.repository, gitDir: given.repository.commonDir } };
  const isHalfMade = parked.note.stage === "adding";
  const over = parked.note.stage === "over" ? parked : await replaceNote(parked, { stage: "over" }, { context });
  await sweepStop(over.note, context);
  context.edited.push(...(await takeAway(over.note, { ...knownOf(over.note), seen, isHalfMade }, context)));
  await context.checkpoint("park-removed");
  const { git, repository } = context;
  const { gitDir } = repository;
  const tip = await git.run(["rev-parse", "--verify", "--quiet", tipRef(over)], { cwd: gitDir, gitDir });
  const held = tip.code === 0 ? [moveRef(tipRef(over), tip.stdout.toString("latin1").trim(), undefined)] : [];
  await moveRefs({ updates: [moveRef(over.ref, over.id, undefined), ...held], reason: "ferry pull: parked no more" }, context);
  await removeFolderAtLast(context);
}

/**
 * Ends what was being made, or being taken away, when its ferry was killed; one that stands at its conflict already is parked. The caller
 * holds the repository's lock.
 */
export async function sweepParked(context: Context): Promise<void> {
  if (!(await hasParked(context))) return;
  const all = await listParked(context);
  for (const parked of all) {
    await relink(parked.note, context);
    await reopen({ gitDir: gitDirOf(parked.note, context) });
    await endUnfinished(parked, context);
  }
  await removeFolderAtLast(context);
}

/** One that was being made, or taken away: it is parked where it stands at its conflict already, or where someone has committed. */
export async function endUnfinished(parked: Parked, context: Context): Promise<void> {
  const { stage } = parked.note;
  if (stage === "adding" && (await stands(parked, context))) await replaceNote(parked, { stage: "stopped" }, { context });
  else if (stage === "adding" || stage === "over") await end(parked, context);
}

/** Whether the commit that doesn't fit was picked there: git names it once its markers are written. Or someone has committed since. */
async function stands({ note }: Parked, context: Context): Promise<boolean> {
  const tree = await findTree(note, context);
  if (tree === undefined || !(await isThere(tree)) || (await isHalfMade(tree.gitDir))) return false;
  const ask = async (name: string) => {
    const found = await context.git.run(["rev-parse", "--verify", "--quiet", `${name}^{commit}`], inTree(tree));
    return found.code === 0 ? found.stdout.toString("latin1").trim() : undefined;
  };
  const head = await ask("HEAD");
  if (head === undefined) return false;
  return head !== note.clean || (!isOnItsWay(note, context) && (await ask("CHERRY_PICK_HEAD")) === note.queue[0]?.commit);
}

async function removeFolderAtLast(context: Context): Promise<void> {
  if ((await listParked(context)).length === 0) await removeFolder(context);
}

/**
 * The parked pull whose worktree this working copy is.
 * @throws FerryError attention in a copy of it, whose `.git` leads to the original
 */
export async function parkedHere(context: Context): Promise<Parked | undefined> {
  if (!(await hasParked(context))) return undefined;
  const { gitDir, workTree } = context.repository;
  const here = (await listParked(context)).find(({ note }) => gitDirOf(note, context) === gitDir);
  const tree = here && (await findTree(here.note, context));
  if (tree === undefined || (await realpath(tree.workTree).catch(missing)) === (await realpath(workTree))) return here;
  throw new FerryError("attention", `${oneLine(workTree)} is a copy of a parked worktree, and git takes it for the original`, {
    hint: `ferry pull in the copied repository mends that; the original is ${oneLine(tree.workTree)}`,
  });
}
