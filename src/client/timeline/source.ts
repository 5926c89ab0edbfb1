import { FerryError, NoAnswerError } from "../../base/errors.ts";
import type { Clock } from "../../host/host.ts";
import type { Client } from "../calls.ts";
import { isUnreadable } from "../http/json.ts";
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

/** So often in a row a source may bring nothing while the service answers otherwise; then another takes over. */
const mostFruitless = 3;
/** What a service may ask us to rest, in ms: a follow that sleeps for a day is none. */
const longestRest = 300_000;

/** What is said to be gone for good (410; RFC 9110, 15.5.11), time after time and for so long, in ms, won't come back. */
const mostGone = { times: 5, time: 120_000 };

/** Nobody tells us what we may not see (401, 403), or what isn't there (404), however often we ask. All else may pass. */
const final: readonly number[] = [401, 403, 404];
/** What services say to a parameter or a form that they don't know, or to a place in the timeline that they have no more (410). */
const refusals: readonly number[] = [400, 404, 405, 406, 410, 415, 422, 501];

/** How an attempt stands with the one who makes it. */
export interface Trial {
  /** Those before it brought nothing, or what can't be read: this one is to be looked at closely. */
  readonly doubted: boolean;
  /** The source has shown that it works. */
  readonly proven: () => void;
  /** It has shown that it doesn't, whatever it showed before. */
  readonly disproven: () => void;
}

export interface Beside {
  /** Asks the service in another way. */
  readonly crossCheck: () => AsyncGenerator<Update>;
  /** There is no further way to follow: this one goes on through all that may pass. */
  readonly isLast?: boolean;
}

/**
 * Runs an attempt again and again, each from where the timeline is, through everything that passes: cut connections, 5xx, 429, and
 * any other answer that isn't final.
 * After one that proved nothing, `crossCheck` asks the service in another way. Where that works, nothing is lost but this source,
 * which after a few such attempts is given up; the last one never for what can't be read, which a sign-in page on the way may be, too.
 * @throws FerryError what doesn't pass (401, 403, 404, a 410 that stays; of a source that isn't the last, what the service doesn't offer, or that it
 *   only fails); the signal's reason
 */
export async function* persistently(
  { clock, random, signal }: Watched,
  attempt: (trial: Trial) => AsyncGenerator<Update>,
  { crossCheck, isLast = false }: Beside,
): AsyncGenerator<Update> {
  let [failures, fruitless] = [0, 0];
  let trouble: FerryError | undefined;
  let gone = { times: 0, since: clock.elapsed() };
  for (;;) {
    const seen = { works: false };
    const [proven, disproven] = [() => void (seen.works = true), () => void (seen.works = false)];
    const doubted = fruitless > 0 || isUnreadable(trouble);
    trouble = undefined;
    try {
      yield* attempt({ doubted, proven, disproven });
    } catch (error) {
      trouble = passing(error, signal);
      if (!isLast && isRefused(error)) throw error;
    }
    if (seen.works) [failures, fruitless] = [0, 0];
    const asked = trouble?.retryAfter;
    const wait = restAfter(trouble, backoff(failures++, random));
    // A line that was good until now, or that has another way round, may be back with the next try.
    if (trouble !== undefined && (asked !== undefined || (!seen.works && isLast)))
      yield { kind: "trouble", error: trouble, wait };
    await clock.sleep(wait, signal);
    // A service that restarts ends a stream well, once.
    const isFine = seen.works || (trouble === undefined && failures === 1);
    if (isFine || trouble?.status !== 410) gone = { times: 0, since: clock.elapsed() };
    // Where nobody answers, nobody needs to be asked twice.
    if (isFine || (isLast && isLost(trouble))) continue;
    try {
      yield* crossCheck();
      fruitless++;
    } catch (error) {
      const around = passing(error, signal);
      // Where all of the service is out of reach, that says nothing of this source.
      if (isUnreadable(around)) fruitless++;
      if (!isLast) yield { kind: "trouble", error: around, wait: 0 };
    }
    if (!isLast && fruitless >= mostFruitless) throw failing(trouble?.message ?? "it brings nothing");
    gone.times++;
    const isGone = gone.times >= mostGone.times && clock.elapsed() - gone.since >= mostGone.time;
    if (isLast && isGone && trouble !== undefined) throw trouble;
  }
}

/** How long the service is left alone after a trouble, in ms: one that says "at once" isn't taken at its word for ever. */
export function restAfter(trouble: FerryError | undefined, least: number): number {
  return Math.max(Math.min(trouble?.retryAfter ?? 0, longestRest), least);
}

/** Nothing came, or not all of it. */
export function isLost(error: FerryError | undefined): boolean {
  return error instanceof NoAnswerError && !isUnreadable(error);
}

function passing(error: unknown, signal: AbortSignal): FerryError {
  signal.throwIfAborted();
  if (!passes(error)) throw error;
  return error;
}

/** Whether to ask again. `gone`: whoever sends our requests knows that nobody will answer any more. */
export function passes(error: unknown): error is FerryError {
  if (!(error instanceof FerryError)) return false;
  // Before its own words: a service's code may be any.
  if (error.status !== undefined) return !final.includes(error.status);
  return error.kind === "unavailable" && !["gone", "not_offered", "way_fails"].includes(error.code ?? "");
}

/** The service doesn't follow this way: the next source is tried. */
export function notOffered(what: string): FerryError {
  return new FerryError("unavailable", what, { code: "not_offered" });
}

/** The service has this way, but it doesn't work now: the next source is tried, and this one again later. */
function failing(what: string): FerryError {
  return new FerryError("unavailable", what, { code: "way_fails" });
}

export function isNotOffered(error: unknown): error is FerryError {
  return error instanceof FerryError && error.status === undefined && error.code === "not_offered";
}

/** Whether this way doesn't work now, be it for what it adds to the plain read of the seed. */
export function isFailing(error: unknown): error is FerryError {
  return isRefused(error) || (error instanceof FerryError && error.status === undefined && error.code === "way_fails");
}

/** Whether the service may refuse what a way of following adds to the plain read of the seed. */
export function isRefused(error: unknown): error is FerryError {
  return error instanceof FerryError && refusals.includes(error.status ?? 0);
}
