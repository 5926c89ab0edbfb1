import type { Clock } from "../../host/host.ts";

export interface Activity {
  /** Whether something goes on right now. */
  readonly busy: () => boolean;
  /** A number that grows with each thing that was done. */
  readonly done: () => number;
}

/** How often it is looked, in ms. */
const interval = 60_000;

/** Resolves when nothing was done for `patience` ms; never, once the signal aborted. */
export async function untilIdle(activity: Activity, patience: number, clock: Clock, signal: AbortSignal): Promise<void> {
  let seen = activity.done();
  for (let quiet = 0; quiet < patience;) {
    const pause = Math.min(interval, patience - quiet);
    await clock.sleep(pause, signal);
    quiet = activity.busy() || activity.done() !== seen ? 0 : quiet + pause;
    seen = activity.done();
  }
}
