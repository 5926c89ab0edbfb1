/** What is needed of a clock. */
interface BreatherClock {
  elapsed(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** In ms: long enough to cost nothing, short enough that nobody sees it. */
const longestBreath = 50;

/**
 * For work without end that waits for nothing, as the writes to a terminal or a file and the reads of a spool do not: called within its
 * loop it lets all else have its turn from time to time, a Ctrl-C first of all.
 * @throws from a call: the signal's reason
 */
export function makeBreather(clock: BreatherClock, signal: AbortSignal | undefined): () => Promise<void> {
  let last = clock.elapsed();
  return async () => {
    signal?.throwIfAborted();
    if (clock.elapsed() - last < longestBreath) return;
    await clock.sleep(0, signal);
    last = clock.elapsed();
  };
}
