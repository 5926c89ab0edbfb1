import type { PullContext } from "../context.ts";
import { stopHere } from "../here/stop.ts";
import { park } from "../parked/park.ts";
import type { Verdict } from "../verdict.ts";
import type { Stop } from "./found.ts";

/**
 * What becomes of a pull that a commit doesn't fit: as the user wished, by default nothing.
 * @throws PullRefused
 */
export async function stop(found: Stop, context: PullContext): Promise<Verdict> {
  const { onConflict, dryRun } = context.request;
  if (onConflict === "park" && dryRun !== true) return park(found, context);
  if (onConflict === "here" && dryRun !== true) return stopHere(found, context);
  throw found.error;
}
