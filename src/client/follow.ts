import { FerryError } from "../base/errors.ts";
import type { Spool } from "../host/host.ts";
import type { Outcome } from "./outcome.ts";
import { followAfter } from "./timeline/after.ts";
import { isUpdate, placeAmong, readyNow } from "./timeline/ahead.ts";
import { followArray, readAll, readRest } from "./timeline/array.ts";
import { makeEnding, type EndingOptions, type InTheWay } from "./timeline/ending.ts";
import { madeAt, type SessionState, type SourceName, type Update } from "./timeline/items.ts";
import { isFailing, isNotOffered, passes, type Watched } from "./timeline/source.ts";
import { followStream } from "./timeline/stream.ts";
import { orTimeUp, timeUp } from "./timeline/time-up.ts";
import { makeTimeline } from "./timeline/timeline.ts";
import { makeWholeTimeline } from "./timeline/whole/array.ts";
import { patiently } from "./timeline/whole/patient.ts";
import { makeReadings, type Readings } from "./timeline/whole/readings.ts";

/** An event that differs at each look would put the end off for ever: so often it may, and with so long between looks, in ms. */
const mostPutOff = 5;
const restPause = 1_000;

/** What a follower sees; the outcome is the last. */
export type FollowItem =
  | Update
  | {
      readonly kind: "outcome";
      readonly outcome: Outcome;
      readonly note?: string;
      readonly session: SessionState | undefined;
      /** With `timeout`. */
      readonly inTheWay?: InTheWay;
      /** Why the last of the timeline isn't there: it could not be read. */
      readonly unread?: FerryError;
    };

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
  const readings = makeReadings(clock);
  const watched = watch(options, AbortSignal.any([signal, stop.signal]), readings);
  const ending = makeEnding({ ...options, signal: watched.signal }, readings.hangs);
  const updates = allUpdates(watched, options.fresh ?? false);
  const advance = (): Promise<IteratorResult<Update, void>> => {
    const promise = updates.next();
    // It may fail while something else is awaited; whoever waits for it in the end gets the error all the same.
    promise.catch(() => undefined);
    return promise;
  };
  let next = advance();
  /** How often an end was put off for news since the agent was last at work. */
  let putOff = 0;
  try {
    for (;;) {
      const step = await orTimeUp(next, ending.patience(), clock);
      if (step !== timeUp) {
        if (step.done === true) throw new FerryError("unavailable", "the timeline broke off");
        yield* shown(step.value, options.since);
        ending.observe(step.value);
        next = advance();
      }
      let end = await ending.decide();
      if (ending.isGoing()) putOff = 0;
      while (end !== undefined) {
        const last: FollowItem = { kind: "outcome", ...end, session: ending.session };
        if (end.outcome === "timeout") {
          const ahead = await readyNow(next, clock);
          if (isUpdate(ahead)) yield* shown(ahead, options.since);
          yield last;
          return;
        }
        // What the source was too slow to bring, or missed on a dead line, may tell otherwise.
        const rest = await orTimeUp(checkRest(watched), ending.timeLeft(), clock);
        // The source is one step ahead: what it took in before the rest isn't in that, and comes before it.
        const ahead = await readyNow(next, clock);
        const place = rest !== timeUp && isUpdate(ahead) ? placeAmong(rest, ahead) : -1;
        const news = rest === timeUp ? [] : isUpdate(ahead) && place >= 0 ? rest.toSpliced(place, 0, ahead) : rest;
        for (const update of news) {
          yield* shown(update, options.since);
          ending.observe(update);
        }
        if (place >= 0) next = advance();
        const unread = rest === timeUp ? undefined : rest.find((update) => update.kind === "trouble")?.error;
        const wasStale = rest !== timeUp && unread === undefined && ending.caughtUp();
        const isReady = ahead !== timeUp && place < 0;
        const isNews = rest === timeUp || rest.length > 0 || wasStale;
        if (isNews) putOff++;
        if ((!isNews && !isReady) || putOff > mostPutOff) {
          if (isReady && isUpdate(ahead)) yield* shown(ahead, options.since);
          yield unread === undefined ? last : { ...last, unread };
          return;
        }
        if (isNews && putOff > 1) await clock.sleep(Math.min(restPause, ending.timeLeft()), signal);
        end = isReady ? undefined : await ending.decide();
      }
    }
  } finally {
    // What is still under way ends by our own signal; why it ended before that was told already. What it holds is let go.
    stop.abort();
    await updates.return(undefined).catch(() => undefined);
  }
}

/** A service that has trouble with it just now is no reason to stop: the source goes on. */
async function checkRest(watched: Watched): Promise<Update[]> {
  const rest: Update[] = [];
  try {
    for await (const update of readRest(watched)) rest.push(update);
    return rest;
  } catch (error) {
    watched.signal.throwIfAborted();
    if (!passes(error)) throw error;
    return [...rest, { kind: "trouble", error, wait: 0 }];
  }
}

function* shown(update: Update, since = -Infinity): Generator<FollowItem> {
  if (update.kind !== "events") yield update;
  else {
    // A time that can't be read says nothing against an event.
    const items = since === -Infinity ? update.items : update.items.filter(({ event }) => !(madeAt(event) < since));
    if (items.length > 0) yield { ...update, items };
  }
}

function watch(options: FollowOptions, signal: AbortSignal, readings: Readings): Watched {
  const { client, sessionId, clock, random, makeSpool } = options;
  const whole = makeWholeTimeline({ client, sessionId, signal, clock, makeSpool });
  const array: Watched["array"] = { ...whole, read: (how) => readings.timed(whole.read(how)) };
  return { client, sessionId, clock, random, signal, array, timeline: makeTimeline() };
}

/** The ways that the service has; the error where that can't be known just now. */
async function readWays(watched: Watched): Promise<readonly SourceName[] | FerryError> {
  try {
    const read = patiently(watched, { faults: true }, async function* () {
      yield await watched.client.capabilities();
    });
    for await (const capabilities of read) return best.filter((name) => name === "array" || capabilities.has(name));
    return ["array"];
  } catch (error) {
    watched.signal.throwIfAborted();
    if (!passes(error)) throw error;
    return error;
  }
}

const ways: Readonly<Record<SourceName, (watched: Watched) => AsyncGenerator<Update>>> = {
  stream: followStream,
  after: followAfter,
  array: followArray,
};

const best: readonly SourceName[] = ["stream", "after", "array"];

/** A better way that failed is tried again after this long, and then ever later, in ms. */
const tryAgain = 300_000;

/**
 * First all that is there, then what comes, by each way that the service offers until one holds. Until something has come, an answer
 * that doesn't pass soon is the command's own error; from then on only a final one ends it.
 */
async function* allUpdates(watched: Watched, fresh: boolean): AsyncGenerator<Update> {
  yield* firstOf(watched, fresh);
  const { clock } = watched;
  let offered: readonly SourceName[] | undefined;
  let failed: readonly SourceName[] = [];
  let reason: string | undefined;
  let [again, pause] = [Infinity, tryAgain];
  let told = watched.timeline.order;
  const tryLater = (): void => {
    if (again === Infinity) [again, pause] = [clock.elapsed() + pause, pause * 2];
  };
  for (;;) {
    if (offered === undefined) {
      const known = await readWays(watched);
      if (known instanceof FerryError) {
        yield { kind: "trouble", error: known, wait: 0 };
        tryLater();
      } else offered = known;
    }
    const name = offered?.find((each) => !failed.includes(each)) ?? "array";
    yield { kind: "source", name, ...(reason === undefined ? {} : { reason }) };
    try {
      for await (const update of ways[name](watched)) {
        yield update;
        if (update.kind === "events") told = update.order;
        // What this way has taken in already nobody else would bring.
        if (clock.elapsed() >= again && watched.timeline.order <= told) break;
      }
      [failed, reason, again] = [[], undefined, Infinity];
    } catch (error) {
      const fails = isFailing(error);
      if (name === "array" || !(fails || isNotOffered(error))) throw error;
      reason = `by ${name} it doesn't work: ${error.message}`;
      if (!fails) offered = offered?.filter((each) => each !== name);
      else {
        failed = [...failed, name];
        tryLater();
      }
    }
  }
}

async function* firstOf(watched: Watched, fresh: boolean): AsyncGenerator<Update> {
  let isFollowing = false;
  try {
    for await (const update of readAll(watched, fresh)) {
      isFollowing = true;
      yield update;
    }
  } catch (error) {
    watched.signal.throwIfAborted();
    if (!isFollowing || !passes(error)) throw error;
    yield { kind: "trouble", error, wait: 0 };
  }
}
