import { FerryError } from "../base/errors.ts";
import type { Spool } from "../host/host.ts";
import type { Outcome } from "./outcome.ts";
import { followAfter } from "./timeline/after.ts";
import { followArray, readAll, readRest } from "./timeline/array.ts";
import { makeEnding, type EndingOptions } from "./timeline/ending.ts";
import type { EventItem, SourceName, Update } from "./timeline/items.ts";
import { isNotOffered, type Watched } from "./timeline/source.ts";
import { followStream } from "./timeline/stream.ts";
import { orTimeUp, timeUp } from "./timeline/time-up.ts";
import { makeTimeline } from "./timeline/timeline.ts";
import { makeWholeTimeline } from "./timeline/whole/array.ts";

/** What a follower sees; the outcome is the last. */
export type FollowItem =
  | EventItem
  | Exclude<Update, { kind: "events" }>
  | { readonly kind: "outcome"; readonly outcome: Outcome; readonly note?: string };

export interface FollowOptions extends EndingOptions {
  readonly random: (size: number) => Uint8Array;
  /** Where a timeline is put aside that doesn't fit into memory. */
  readonly makeSpool: () => Promise<Spool>;
  /** Only events made at or after this are shown, in epoch ms. */
  readonly since?: number | undefined;
  /** The session was made just now by ourselves: a 404 is not yet its answer. */
  readonly fresh?: boolean | undefined;
}

/**
 * The timeline of a session, from its start and then as it goes on: every event once, each change of one, in order, by the best
 * way that the service has, through cut connections and restarts. The last item is the outcome; with `never` there is none.
 * @throws FerryError auth, not_found; the signal's reason when it aborts
 */
export async function* follow(options: FollowOptions): AsyncGenerator<FollowItem, void> {
  const { clock, signal } = options;
  const stop = new AbortController();
  const watched = watch(options, AbortSignal.any([signal, stop.signal]));
  const ending = makeEnding(options);
  const updates = allUpdates(watched, options.fresh ?? false);
  let next = updates.next();
  try {
    for (;;) {
      const step = await orTimeUp(next, ending.patience(), clock);
      if (step !== timeUp) {
        if (step.done === true) throw new FerryError("unavailable", "the timeline broke off");
        yield* shown(step.value, options.since);
        ending.observe(step.value);
        next = updates.next();
      }
      let end = await ending.decide();
      while (end !== undefined) {
        // What the source was too slow to bring, or missed on a dead line, may tell otherwise.
        const rest = end.outcome === "timeout" ? [] : await readRest(watched);
        for (const update of rest) {
          yield* shown(update, options.since);
          ending.observe(update);
        }
        const isReady = end.outcome !== "timeout" && (await orTimeUp(next, 0, clock)) !== timeUp;
        if (rest.length === 0 && !isReady) {
          yield { kind: "outcome", ...end };
          return;
        }
        end = isReady ? undefined : await ending.decide();
      }
    }
  } finally {
    stop.abort();
    // It ends by our own signal; why it ended before that was told already. What it holds (a file, a connection) is let go.
    next.catch(() => undefined);
    await updates.return(undefined).catch(() => undefined);
  }
}

function* shown(update: Update, since = -Infinity): Generator<FollowItem> {
  if (update.kind !== "events") yield update;
  // A time that can't be read says nothing against an event.
  else for (const item of update.items) if (!(Date.parse(item.event.created_at ?? "") < since)) yield item;
}

function watch({ client, sessionId, clock, random, makeSpool }: FollowOptions, signal: AbortSignal): Watched {
  const array = makeWholeTimeline({ client, sessionId, signal, makeSpool });
  return { client, sessionId, clock, random, signal, array, timeline: makeTimeline() };
}

/** First all that is there, then what comes, by each way that the service offers until one holds. */
async function* allUpdates(watched: Watched, fresh: boolean): AsyncGenerator<Update> {
  yield* readAll(watched, fresh);
  const capabilities = await watched.client.capabilities();
  const ways: readonly [SourceName, (watched: Watched) => AsyncGenerator<Update>][] = [
    ["stream", followStream],
    ["after", followAfter],
    ["array", followArray],
  ];
  for (const [name, source] of ways) {
    if (name !== "array" && !capabilities.has(name)) continue;
    yield { kind: "source", name };
    try {
      yield* source(watched);
    } catch (error) {
      if (name === "array" || !isNotOffered(error)) throw error;
    }
  }
}
