import { FerryError } from "../base/errors.ts";
import type { Clock } from "../host/host.ts";

/**
 * Each time that `ms` are over, `end` ends whatever runs, and so does whoever waits for it; until `over`. More than once, since who has
 * something to do may begin the next of it.
 */
export async function endAllAfter(clock: Clock, ms: number, end: () => Promise<void>, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    const late = await clock.sleep(ms, over).then(
      () => true,
      () => false,
    );
    if (late) await end();
  }
}

/**
 * The work's result, if it comes within `ms`.
 * @throws FerryError failure that says what took too long
 */
export async function within<T>(clock: Clock, ms: number, what: string, work: Promise<T>): Promise<T> {
  const over = new AbortController();
  const late = clock.sleep(ms, over.signal).then(() => {
    throw new FerryError("failure", `${what} took longer than ${Math.round(ms / 1000)} s`);
  });
  // Its other end is the abort below, which nobody waits for.
  late.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    over.abort();
  }
}
