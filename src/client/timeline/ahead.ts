import type { Clock } from "../../host/host.ts";
import type { Update } from "./items.ts";
import { orTimeUp, timeUp } from "./time-up.ts";

/** What the source has brought already; undefined where it has ended or failed, which is for whoever takes the step itself. */
export async function readyNow(
  next: Promise<IteratorResult<Update, void>>,
  clock: Clock,
): Promise<Update | undefined | typeof timeUp> {
  const step = next.then(({ value }) => value ?? undefined).catch(() => undefined);
  return orTimeUp(step, 0, clock);
}

/** Whether there is one. */
export function isUpdate(ahead: Update | undefined | typeof timeUp): ahead is Update {
  return ahead !== undefined && ahead !== timeUp;
}

/** Where in the rest an update belongs that was taken in meanwhile; -1 for after all of it, or anywhere. */
export function placeAmong(rest: readonly Update[], ahead: Update): number {
  return ahead.kind === "events" ? rest.findIndex((each) => each.kind === "events" && each.order > ahead.order) : -1;
}
