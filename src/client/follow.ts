import { FerryError } from "../base/errors.ts";
import type { Clock } from "../host/host.ts";
import type { Client } from "./calls.ts";
import { isOpen, isTelling, judge, type Outcome, type Verdict } from "./outcome.ts";
import { followAfter } from "./timeline/after.ts";
import { followArray, readAll } from "./timeline/array.ts";
import type { SessionState, SourceName, TimelineEvent, Update } from "./timeline/items.ts";
import { isNotOffered, type Watched } from "./timeline/source.ts";
import { followStream } from "./timeline/stream.ts";
import { orTimeUp, timeUp } from "./timeline/time-up.ts";
import { makeTimeline } from "./timeline/timeline.ts";

/** What a follower sees; the outcome is the last. */
export type FollowItem = Update | { readonly kind: "outcome"; readonly outcome: Outcome; readonly note?: string };

export interface FollowOptions {
  readonly client: Client;
  readonly sessionId: string;
  readonly clock: Clock;
  readonly random: (size: number) => Uint8Array;
  readonly signal: AbortSignal;
  /**
   * When to stop: when the agent needs nothing more or needs you, when the session is over, when it is merged (or can't be
   * any more), or never.
   */
  readonly until: "idle" | "end" | "merged" | "never";
  /** Only events made at or after this are shown, in epoch ms. */
  readonly since?: number | undefined;
  /** The id or client_id of the message whose end `idle` means; without it, the newest. */
  readonly message?: string | undefined;
  /** The session was made just now by ourselves: a 404 is not yet its answer. */
  readonly fresh?: boolean | undefined;
  /** The outcome is `timeout` after this long, in ms. */
  readonly timeout?: number | undefined;
}

/** What still comes after the end of a session is waited for this long, in ms. */
const drainTime = 2_000;

/**
 * The timeline of a session, from its start and then as it goes on: every event once, each change of one, in order, by the best
 * way that the service has, through cut connections and restarts. The last item is the outcome; with `never` there is none.
 * @throws FerryError auth, not_found; the signal's reason when it aborts
 */
export async function* follow(options: FollowOptions): AsyncGenerator<FollowItem, void> {
  const { clock, signal } = options;
  const stop = new AbortController();
  const watched = watch(options, AbortSignal.any([signal, stop.signal]));
  const state = makeState(options);
  const updates = allUpdates(watched, options.fresh ?? false);
  let next = updates.next();
  try {
    for (;;) {
      const step = await orTimeUp(next, state.patience(), clock);
      if (step !== timeUp) {
        if (step.done === true) throw new FerryError("unavailable", "the timeline broke off");
        if (state.shows(step.value)) yield step.value;
        state.observe(step.value);
        next = updates.next();
      }
      const end = await state.decide();
      if (end !== undefined) {
        yield { kind: "outcome", ...end };
        return;
      }
    }
  } finally {
    stop.abort();
    // It ends by our own signal; why it ended before that was told already.
    next.catch(() => undefined);
  }
}

function watch({ client, sessionId, clock, random }: FollowOptions, signal: AbortSignal): Watched {
  return { client, sessionId, clock, random, signal, timeline: makeTimeline() };
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

type End = { readonly outcome: Outcome; readonly note?: string };

interface State {
  shows(update: Update): boolean;
  observe(update: Update): void;
  /** How long nothing need be decided, in ms. */
  patience(): number;
  decide(): Promise<End | undefined>;
}

/** What is known of the session while it is followed, as far as the end of the following depends on it. */
function makeState({ client, sessionId, clock, signal, until, since, message, timeout = Infinity }: FollowOptions): State {
  const telling = new Map<string, TimelineEvent>();
  const deadline = clock.elapsed() + timeout;
  let session: SessionState | undefined;
  let changed = clock.elapsed();
  let drained = Infinity;

  const verdict = (): Verdict => {
    if (session === undefined || until === "never") return { state: "going" };
    return judge({ session, events: [...telling.values()], message, quiet: clock.elapsed() - changed });
  };
  const reread = async (): Promise<boolean> => {
    try {
      session = await client.readSession({ params: { sessionId }, signal });
      return true;
    } catch (error) {
      // The line is bad just now: the source will bring the session when it is better.
      if (error instanceof FerryError && error.kind === "unavailable") return false;
      throw error;
    }
  };
  return {
    shows: (update) => update.kind !== "event" || since === undefined || !(Date.parse(update.event.created_at ?? "") < since),
    observe(update) {
      if (update.kind === "session") session = update.session;
      if (update.kind !== "event") return;
      changed = clock.elapsed();
      if (isTelling(update.event)) telling.set(update.event.id, update.event);
      else telling.delete(update.event.id);
    },
    patience() {
      const now = verdict();
      const settling = now.state === "settling" && until === "idle" ? now.wait : Infinity;
      return Math.min(settling, drained - clock.elapsed(), deadline - clock.elapsed());
    },
    async decide() {
      if (clock.elapsed() >= deadline) return { outcome: "timeout" };
      const first = verdict();
      if (first.state === "ended") {
        if (drained === Infinity) drained = clock.elapsed() + drainTime;
        if (clock.elapsed() < drained) return undefined;
      } else if (until !== "idle" || first.state === "going" || first.state === "settling") {
        drained = Infinity;
        return undefined;
      }
      // What we know of the session may be a moment old: only what it says now counts.
      if (!(await reread())) return undefined;
      const second = verdict();
      drained = Infinity;
      if (second.state !== first.state || !("outcome" in second)) return undefined;
      if (second.state === "ended" && [...telling.values()].some(isOpen)) return undefined;
      return isWanted(second.outcome, until) ? second : undefined;
    },
  };
}

/** A session that is finished can still be merged. */
function isWanted(outcome: Outcome, until: FollowOptions["until"]): boolean {
  return until !== "merged" || outcome !== "finished";
}
