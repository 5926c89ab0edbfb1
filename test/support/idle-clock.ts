import type { Clock } from "../../src/host/host.ts";

export interface IdleClock extends Clock {
  /** How long was slept, in ms, in the order in which the sleepers woke. */
  readonly slept: readonly number[];
}

/** So many turns of the event loop without a new sleeper mean that everything in this process waits. */
const turns = 12;

/** A test that wakes more often than this waits for what never comes. */
const mostWakes = 20_000;

/** A clock for things that happen within the process alone: when all wait, it moves on to the next that wakes. */
export function makeIdleClock(start = Date.UTC(2026, 0, 1)): IdleClock {
  const sleepers = new Set<{
    readonly ms: number;
    readonly until: number;
    readonly wake: () => void;
    readonly fail: (error: Error) => void;
  }>();
  const slept: number[] = [];
  let elapsed = 0;
  let activity = 0;
  let watching = false;

  async function watch(): Promise<void> {
    watching = true;
    while (sleepers.size > 0) {
      const before = activity;
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
      const [first] = [...sleepers].sort((one, other) => one.until - other.until);
      if (before !== activity || first === undefined) continue;
      sleepers.delete(first);
      elapsed = Math.max(elapsed, first.until);
      slept.push(first.ms);
      if (slept.length > mostWakes) first.fail(new Error("nothing happens but the passing of time"));
      else first.wake();
    }
    watching = false;
  }

  return {
    slept,
    now: () => start + elapsed,
    elapsed: () => elapsed,
    sleep: (ms, signal) =>
      new Promise<void>((resolve, reject) => {
        signal?.throwIfAborted();
        const leave = () => {
          sleepers.delete(sleeper);
          activity += 1;
          reject(signal?.reason as Error);
        };
        const wake = () => {
          signal?.removeEventListener("abort", leave);
          resolve();
        };
        const sleeper = { ms, until: elapsed + ms, wake, fail: reject };
        sleepers.add(sleeper);
        activity += 1;
        signal?.addEventListener("abort", leave, { once: true });
        if (!watching) void watch();
      }),
  };
}
