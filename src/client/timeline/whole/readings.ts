import type { Clock } from "../../../host/host.ts";

/** The reads of a whole timeline, by the time that they take. */
export interface Readings {
  /** The same read, timed. */
  timed<T>(read: AsyncGenerator<T>): AsyncGenerator<T>;
  /** Whether one is under way for so much longer than any that came to its end that what is known of the timeline may be old. */
  readonly hangs: () => boolean;
}

/** In ms. */
const muchLonger = 3_000;

export function makeReadings(clock: Pick<Clock, "elapsed">): Readings {
  const begun = new Set<{ readonly at: number }>();
  let longest = 0;
  return {
    async *timed(read) {
      const mine = { at: clock.elapsed() };
      begun.add(mine);
      try {
        yield* read;
        longest = Math.max(longest, clock.elapsed() - mine.at);
      } finally {
        begun.delete(mine);
      }
    },
    hangs: () => [...begun].some(({ at }) => clock.elapsed() - at > longest + muchLonger),
  };
}
