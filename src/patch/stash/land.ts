import { asFerryError, FerryError } from "../../base/errors.ts";
import type { Context } from "../context.ts";
import { land, type Landing } from "../land/land.ts";
import { type PathCheck, stashable } from "../land/path-check.ts";
import { recoverStash } from "./recover.ts";
import { bringBack, stashAway, type StashLeft } from "./stash.ts";

export interface StashedLanding {
  readonly blocked: PathCheck["blocked"];
  /** Undefined where all is back as it was. */
  readonly left: StashLeft | undefined;
}

/** Whether changes of tracked files are all that is in the way. */
export function isStashable(blocked: PathCheck["blocked"]): boolean {
  return blocked.length > 0 && blocked.every(({ why }) => stashable.has(why));
}

/** Lands with the local changes put away meanwhile. @throws FerryError as `land` does, with the changes back in the tree */
export async function landStashed(landing: Landing, context: Context): Promise<StashedLanding> {
  const note = await stashAway(context).catch(async (error: unknown) => {
    await recoverStash(context);
    throw error;
  });
  const blocked = await land(landing, context).catch(async (error: unknown) => {
    const left = await bringBack(note, context);
    if (left === undefined) throw error;
    const { message } = asFerryError(error);
    throw new FerryError("attention", `${message}; your changes are in ${left.name}`, {
      hint: "git stash apply brings them back",
      cause: error,
    });
  });
  if (blocked.length === 0) await context.checkpoint("stash-landed");
  return { blocked, left: await bringBack(note, context) };
}
