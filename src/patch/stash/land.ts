import type { Context } from "../context.ts";
import { land, type Landing } from "../land/land.ts";
import type { PathCheck } from "../land/path-check.ts";
import { recoverStash } from "./recover.ts";
import type { StashPlan } from "./plan.ts";
import { applyOver, leave, type StashLeft, storeStash } from "./stash.ts";

export interface StashedLanding {
  readonly blocked: PathCheck["blocked"];
  /** Undefined where all is back as it was. */
  readonly left: StashLeft | undefined;
}

/**
 * Lands with local changes, merged with what comes, in the step that moves all else: no moment in which they are out of the tree.
 * Only what conflicts goes through git's list of stashes, where it is before anything is written.
 * @throws FerryError as `land` does, with the changes where they were
 */
export async function landStashed(landing: Landing, plan: StashPlan, context: Context): Promise<StashedLanding> {
  const { changes, overlay, stash, outcome } = plan;
  const own = { ...landing, changes, overlay };
  if (outcome === "back") return { blocked: await land(own, context), left: undefined };
  const note = await storeStash(stash, context);
  const blocked = await land(own, context).catch(async (error: unknown) => {
    await recoverStash(context);
    throw error;
  });
  if (blocked.length > 0) {
    await recoverStash(context);
    return { blocked, left: undefined };
  }
  await context.checkpoint("stash-landed");
  const left = outcome === "away" ? applyOver(note, context) : leave(note, { paths: [], giveUp: "", isBack: true }, context);
  return { blocked, left: await left };
}
