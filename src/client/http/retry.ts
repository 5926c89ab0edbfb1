import { FerryError, NoAnswerError } from "../../base/errors.ts";
import type { Clock } from "../../host/host.ts";

/** The waits grow from here, doubling, up to `longest`; each is drawn from the whole range (full jitter). In ms. */
const first = 500;
const longest = 10_000;

export interface Patience {
  readonly clock: Clock;
  readonly random: (size: number) => Uint8Array;
  /** How long trying again may go on, in ms. */
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
}

/** An answer that asks to be tried again, and when, in ms. */
export class TryAgain extends Error {
  override readonly name = "TryAgain";
  readonly failure: FerryError;
  readonly after: number | undefined;

  constructor(failure: FerryError, after: number | undefined) {
    super(failure.message);
    this.failure = failure;
    this.after = after;
  }
}

/**
 * Runs an attempt until it is done, fails for good, or the patience is at its end. Again: after a TryAgain; without an answer,
 * where the request is `repeatable` or was never sent.
 */
export async function persevere<T>(patience: Patience, repeatable: boolean, attempt: () => Promise<T>): Promise<T> {
  const end = patience.clock.elapsed() + patience.limit;
  for (let count = 0; ; count++) {
    try {
      return await attempt();
    } catch (error) {
      patience.signal?.throwIfAborted();
      const failure = error instanceof TryAgain ? error.failure : error;
      if (!(error instanceof TryAgain) && !(error instanceof NoAnswerError && (repeatable || !error.sent))) throw failure;
      const wait = (error instanceof TryAgain ? error.after : undefined) ?? backoff(count, patience.random);
      if (patience.clock.elapsed() + wait >= end) throw failure;
      await patience.clock.sleep(wait, patience.signal);
    }
  }
}

/** The wait before try `count` + 2, in ms. */
export function backoff(count: number, random: (size: number) => Uint8Array): number {
  const [high = 0, low = 0] = random(2);
  const share = (high * 256 + low) / 0x1_0000;
  return Math.round(share * Math.min(longest, first * 2 ** count));
}

/** `Retry-After` in ms (RFC 9110, 10.2.3: seconds or a date); undefined where there is none that can be read. */
export function retryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\s*\d{1,9}\s*$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
