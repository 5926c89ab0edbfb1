import { FerryError } from "../../base/errors.ts";
import type { Clock } from "../../host/host.ts";
import type { Client } from "../calls.ts";
import { backoff } from "../http/retry.ts";
import type { Update } from "./items.ts";
import type { Timeline } from "./timeline.ts";
import type { WholeTimeline } from "./whole/array.ts";

/** What every source works on. */
export interface Watched {
  readonly client: Client;
  readonly sessionId: string;
  readonly timeline: Timeline;
  readonly array: WholeTimeline;
  readonly clock: Clock;
  readonly random: (size: number) => Uint8Array;
  readonly signal: AbortSignal;
}

/**
 * Runs an attempt again and again, each from where the timeline is, through everything that passes: cut connections, 5xx, 429.
 * @throws FerryError what doesn't pass (401, 403, 404, and what the service doesn't offer); the signal's reason
 */
export async function* persistently(
  { clock, random, signal }: Watched,
  attempt: () => AsyncGenerator<Update>,
): AsyncGenerator<Update> {
  for (let failures = 0; ; failures++) {
    let pause: number | undefined;
    try {
      for await (const update of attempt()) {
        // How the session stands is read at each new connection, which may break at once all the same.
        if (update.kind !== "session") failures = 0;
        yield update;
      }
    } catch (error) {
      signal.throwIfAborted();
      if (!passes(error)) throw error;
      pause = error.retryAfter;
      yield { kind: "trouble", error };
    }
    // A service that says "at once" isn't taken at its word for ever.
    await clock.sleep(Math.max(pause ?? 0, backoff(failures, random)), signal);
  }
}

/** `gone`: whoever sends our requests knows that nobody will answer any more. */
export function passes(error: unknown): error is FerryError {
  return error instanceof FerryError && error.kind === "unavailable" && error.code !== "gone" && !isNotOffered(error);
}

/** The service doesn't follow this way: the next source is tried. */
export function notOffered(what: string): FerryError {
  return new FerryError("unavailable", what, { code: "not_offered" });
}

/** Also a service that refuses what a source adds to the plain read of the seed. */
export function isNotOffered(error: unknown): boolean {
  return (
    error instanceof FerryError && (error.code === "not_offered" || [400, 405, 406, 415, 422, 501].includes(error.status ?? 0))
  );
}
