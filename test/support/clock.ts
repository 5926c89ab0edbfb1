import type { Clock } from "../../src/host/host.ts";

/** A clock that a test moves: nothing sleeps longer than it says. */
export interface TestClock extends Clock {
  /** Moves on by `ms`; who slept until then, or less, wakes. */
  advance(ms: number): void;
  /** How many sleep now. */
  sleepers(): number;
}

/** Starts at 2026-01-01 and ticks one millisecond at each reading, so that things made one after the other differ in age. */
export function makeTestClock(): TestClock {
  let now = Date.UTC(2026, 0, 1);
  const sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();
  return {
    now: () => now++,
    elapsed: () => now,
    sleep: (ms, signal) =>
      new Promise<void>((resolve, reject) => {
        signal?.throwIfAborted();
        const abort = () => {
          sleepers.delete(sleeper);
          reject(signal?.reason as Error);
        };
        const wake = () => {
          sleepers.delete(sleeper);
          signal?.removeEventListener("abort", abort);
          resolve();
        };
        const sleeper = { until: now + ms, wake };
        sleepers.add(sleeper);
        signal?.addEventListener("abort", abort, { once: true });
      }),
    advance(ms) {
      now += ms;
      for (const sleeper of sleepers) if (sleeper.until <= now) sleeper.wake();
    },
    sleepers: () => sleepers.size,
  };
}
