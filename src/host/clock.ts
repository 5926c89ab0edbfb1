import type { Clock } from "./host.ts";

/** What one timer can take, in ms; Node makes a longer one fire at once. */
const longest = 2 ** 31 - 1;

/** In ms. Not by `performance`, which Node loads a dozen modules for. */
const elapsed = (): number => Number(process.hrtime.bigint()) / 1e6;

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed,
  async sleep(ms, signal) {
    const end = elapsed() + ms;
    // Most commands wait for nothing.
    const { setTimeout: wait } = await import("node:timers/promises");
    let left = ms;
    try {
      do {
        await wait(Math.min(left, longest), undefined, signal === undefined ? {} : { signal });
        left = end - elapsed();
      } while (left > 0);
    } catch (error) {
      // Node's own AbortError says nothing about why; the signal's reason does.
      throw signal?.aborted === true ? signal.reason : error;
    }
  },
};
