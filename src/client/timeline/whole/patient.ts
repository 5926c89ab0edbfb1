import { FerryError, NoAnswerError } from "../../../base/errors.ts";
import type { Clock } from "../../../host/host.ts";
import { isUnreadable } from "../../http/json.ts";
import { backoff, isGateway } from "../../http/retry.ts";

export interface Patience {
  readonly clock: Clock;
  readonly random: (size: number) => Uint8Array;
  readonly signal?: AbortSignal | undefined;
}

const mostTries = 8;
/** The same where nobody hung up, and what came is cut or garbled all the same: the next will be, too. */
const mostCut = 3;
const freshPause = 500;

/** What passes besides a line that is cut. */
export interface Passing {
  /** A 404: the session was made a moment ago and isn't known everywhere yet. It is taken for that over some 4 s. */
  readonly fresh?: boolean;
  /** A service that has a fault just now (5xx). */
  readonly faults?: boolean;
}

/**
 * Reads again what is cut off while it is read, or fails in a way that passes. What an attempt brought before it failed was brought: whoever takes it knows what was there already.
 */
export async function* patiently<T>(
  { signal, clock, random }: Patience,
  { fresh = false, faults = false }: Passing,
  attempt: () => AsyncGenerator<T, unknown>,
): AsyncGenerator<T> {
  for (let tries = 0; ; tries++) {
    try {
      yield* attempt();
      return;
    } catch (error) {
      signal?.throwIfAborted();
      const unknown = fresh && error instanceof FerryError && error.status === 404;
      const isFault = faults && error instanceof FerryError && isFaulty(error.status);
      const passes = unknown || isFault || (error instanceof NoAnswerError && error.code !== "gone");
      if (!passes || tries === (isUnreadable(error) ? mostCut : mostTries)) throw error;
      await clock.sleep(unknown ? freshPause : backoff(tries, random), signal);
    }
  }
}

/** A gateway's answers have had the request's own patience. */
function isFaulty(status = 0): boolean {
  return status >= 500 && status !== 501 && !isGateway(status);
}
