import { setTimeout as wait } from "node:timers/promises";
import type { Clock } from "./host.ts";

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  async sleep(ms, signal) {
    try {
      await wait(ms, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      // Node's own AbortError says nothing about why; the signal's reason does.
      throw signal?.aborted === true ? signal.reason : error;
    }
  },
};
