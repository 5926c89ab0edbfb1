import type { Change } from "../../git/records.ts";
import type { Context } from "../context.ts";
import type { Overlay } from "../land/overlay.ts";
import { Merges } from "../place/merges.ts";
import type { Quarantine } from "../quarantine.ts";
import { makeCommit } from "../uncommitted/memory.ts";
import { overlayOf } from "../uncommitted/plan.ts";
import { changesBetween, treeOf } from "../uncommitted/trees.ts";
import type { Captured } from "./capture.ts";

export const stashMessage = "ferry pull: autostash";

/** A landing that takes local changes along in one step. */
export interface StashPlan {
  /** From what the index has to what it is to have. */
  readonly changes: readonly Change[];
  readonly overlay: Overlay;
  /** The commit of the stash, as git-stash(1) makes one: on HEAD as it was and the index. */
  readonly stash: string;
  /** All that it takes. */
  readonly objects: readonly string[];
  /**
   * back: the changes are in the tree again, staged what was staged. unstaged: they are, but what of them was staged isn't. away: they
   * conflict with what comes, so that only the stash has them.
   */
  readonly outcome: "back" | "unstaged" | "away";
}

/** Merges the changes with what comes, in the quarantine, where no filter and no merge driver acts. */
export async function planStash(
  { index, tree }: Captured,
  { head, tip }: { head: string; tip: string },
  { git, host, quarantine }: Context & { readonly quarantine: Quarantine },
): Promise<StashPlan> {
  const trees = { git, quarantine };
  const indexCommit = await makeCommit({ tree: index, parents: [head], message: `index: ${stashMessage}` }, trees);
  const treeCommit = await makeCommit({ tree, parents: [head], message: stashMessage }, trees);
  const stash = await makeCommit({ tree, parents: [head, indexCommit], message: stashMessage }, trees);
  const merges = await Merges.open(git, quarantine, host.interrupt);
  try {
    const merged = await merges.merge(tip, treeCommit, false);
    const staged = await merges.merge(tip, indexCommit, true);
    const plain = await treeOf(tip, trees);
    const outcome = !merged.isClean ? "away" : staged.isClean ? "back" : "unstaged";
    const to = { index: outcome === "back" ? staged.tree : plain, tree: outcome === "away" ? plain : merged.tree };
    const overlay = await overlayOf(tree, to.tree, { from: index, to: to.index }, trees);
    const changes = await changesBetween(index, to.index, trees);
    const objects = [stash, index, tree, to.index, to.tree];
    return { changes, overlay: { ...overlay, index: { old: index, new: to.index } }, stash, objects, outcome };
  } finally {
    await merges.close();
  }
}
