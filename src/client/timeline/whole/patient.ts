import { FerryError, NoAnswerError } from "../../../base/errors.ts";
import type { Clock } from "../../../host/host.ts";
import { backoff } from "../../http/retry.ts";

export interface Patience {
  readonly clock: Clock;
  readonly random: (size: number) => Uint8Array;
  readonly signal?: AbortSignal | undefined;
}

const mostTries = 8;
const freshPause = 500;

/**
 * Reads again what is cut off while it is read. With `fresh` a 404 is taken for a session that isn't known everywhere yet, over
 * some 4 s. What an attempt brought before it failed was brought: whoever takes it knows what was there already.
 */
export async function* patiently<T>(
  { signal, clock, random }: Patience,
  fresh: boolean,
  attempt: () => AsyncGenerator<T, unknown>,
): AsyncGenerator<T> {
  for (let tries = 0; ; tries++) {
    try {
      yield* attempt();
      return;
    } catch (error) {
      signal?.throwIfAborted();
      const unknown = fresh && error instanceof FerryError && error.status === 404;
      if (tries === mostTries || !(unknown || error instanceof NoAnswerError)) throw error;
      await clock.sleep(unknown ? freshPause : backoff(tries, random), signal);
    }
  }
}
