import type { Clock } from "../../host/host.ts";

export const timeUp: unique symbol = Symbol("time is up");

/** What the promise brings, or `timeUp` after `ms`; the promise goes on and can be waited for again. Infinity waits for good. */
export async function orTimeUp<T>(promise: Promise<T>, ms: number, clock: Clock): Promise<T | typeof timeUp> {
  if (ms === Infinity) return promise;
  const timer = new AbortController();
  try {
    return await Promise.race<T | typeof timeUp>([promise, clock.sleep(Math.max(0, ms), timer.signal).then(() => timeUp)]);
  } finally {
    timer.abort();
  }
}
