import { FerryError } from "../../base/errors.ts";
import { isObject } from "../answers.ts";
import { broken, parseCut } from "../http/json.ts";
import { lookAround, readMissed, readNews } from "./array.ts";
import { type Beside, makeBeside } from "./beside.ts";
import type { SessionState, TimelineEvent, Update } from "./items.ts";
import { connect, opened, type Line } from "./line.ts";
import { passes, persistently, restAfter, type Trial, type Watched } from "./source.ts";
import type { SseMessage } from "./sse.ts";
import { orTimeUp, timeUp } from "./time-up.ts";
import { checked } from "./whole/answer.ts";

/** How long the connection may take to begin, in ms: a proxy that waits for the stream's end would never let it. */
const beginTimeout = 20_000;
/** A stream that brings all but events proves nothing about the session: after this long it is asked for by REST, in ms. */
const watchInterval = 15_000;
/** The same for one that has brought none yet, at first; while nothing is missed it grows to the other. */
const doubtInterval = 5_000;
const doubtGrowth = 1.5;
/** A quiet connection that held for this long, and missed nothing, is a good one, in ms. */
const steadyTime = 10_000;

/** A stream that tells of one gap after another has the whole array read no more often than this, in ms. */
const gapPause = 5_000;

/** As server-sent events, from the newest revision on, which is also where a new connection takes up. */
export function followStream(watched: Watched): AsyncGenerator<Update> {
  return persistently(watched, (trial) => connection(watched, trial), { crossCheck: () => lookAround(watched) });
}

async function* connection(watched: Watched, trial: Trial): AsyncGenerator<Update> {
  const { clock, signal } = watched;
  const began = clock.elapsed();
  const line = connect(watched);
  const seen: Seen = { events: false, missed: false };
  let trouble: FerryError | undefined;
  try {
    yield* listen(watched, trial, line, seen);
  } catch (error) {
    signal.throwIfAborted();
    if (!passes(error)) throw error;
    trouble = error;
  } finally {
    await line.end();
  }
  // It may have had nothing to bring, or have kept it.
  const isQuiet = !seen.events && clock.elapsed() - began >= steadyTime;
  if (isQuiet && !seen.missed) seen.missed = yield* check(watched);
  if (seen.missed) trial.disproven();
  else if (isQuiet) trial.proven();
  if (trouble !== undefined) throw trouble;
}

interface Seen {
  events: boolean;
  /** There are events that the stream didn't bring. */
  missed: boolean;
}

/** Until the stream ends, or has missed something: then the connection is dead, whatever it still sends. */
async function* listen(watched: Watched, trial: Trial, line: Line, seen: Seen): AsyncGenerator<Update> {
  const beside = makeBeside(watched);
  try {
    yield* hear(watched, trial, line, { seen, beside });
    yield* beside.end();
  } catch (error) {
    watched.signal.throwIfAborted();
    yield* beside.end();
    throw error;
  } finally {
    beside.stop();
  }
}

interface Heard {
  readonly seen: Seen;
  readonly beside: Beside;
}

async function* hear(watched: Watched, { doubted, proven }: Trial, line: Line, { seen, beside }: Heard): AsyncGenerator<Update> {
  const { clock } = watched;
  const began = clock.elapsed();
  let [interval, alive, filled] = [doubtInterval, began, -Infinity];
  let isOpen = false;
  /** When the look that failed is made again, however lively the stream is: what it was for is still to be learnt. */
  let again: number | undefined;
  /** When the service was asked whether the stream misses anything; undefined for what it may have missed before it was open. */
  let doubt: number | undefined = began;
  /** Whether the look that is under way has brought events. */
  let brought = false;
  let next = line.next();
  for (;;) {
    const held = beside.heldUntil();
    const isLate = isOpen ? Infinity : began + beginTimeout;
    const due = held === undefined ? Math.min(again ?? alive + interval, isLate) : clock.elapsed() < held ? held : isLate;
    const left = due - clock.elapsed();
    const step = left <= 0 ? timeUp : await orTimeUp(beside.first(next), left, clock);
    if (step === timeUp) {
      if (!isOpen && clock.elapsed() - began >= beginTimeout)
        throw new FerryError("unavailable", `the stream hasn't begun in ${beginTimeout / 1000} s`);
      if (held !== undefined) continue;
      if (doubt !== undefined) doubt = clock.elapsed();
      brought = false;
      yield* beside.look();
      continue;
    }
    if ("look" in step) {
      const { done, value } = step.look;
      yield* beside.take(step);
      if (done !== true) {
        brought ||= value.kind === "events";
        continue;
      }
      seen.missed = doubt !== undefined && doubt >= alive && brought;
      if (seen.missed) return;
      alive = clock.elapsed();
      if (value !== undefined) {
        interval = doubtInterval;
        const wait = restAfter(value, interval);
        again = alive + wait;
        yield { kind: "trouble", error: value, wait };
      } else {
        again = undefined;
        if (doubt !== undefined && isOpen && !doubted) interval = Math.min(watchInterval, interval * doubtGrowth);
        doubt = alive;
      }
      continue;
    }
    if (step.done === true) return;
    if (step.value === opened) {
      isOpen = true;
      // A stream tells of changes from now on: what became of it before, by a restart say, has to be asked for.
      doubt = undefined;
      watched.timeline.hold();
      yield* beside.look();
    } else {
      const isGap = step.value.event === "gap";
      // What is taken in there is read again as a whole.
      if (isGap) yield* beside.end();
      for (const update of understand(step.value, watched)) {
        // All else, pings and the like, comes from who knows nothing of the session, too.
        if (update.kind === "events") {
          proven();
          seen.events = true;
          [alive, interval] = [clock.elapsed(), watchInterval];
        }
        beside.told(update);
        yield update;
      }
      // What the stream no longer has, the whole array does.
      if (isGap) {
        const rest = filled + gapPause - clock.elapsed();
        if (rest > 0) await clock.sleep(rest, watched.signal);
        filled = clock.elapsed();
        yield* readNews(watched);
      }
    }
    next = line.next();
  }
}

/** Asks the service itself; says whether the stream missed something. */
async function* check(watched: Watched): AsyncGenerator<Update, boolean> {
  let missed = false;
  for await (const update of readMissed(watched)) {
    missed ||= update.kind === "events";
    yield update;
  }
  return missed;
}

const kinds = ["session_event", "message", "session", "patch", "delta", "gap"] as const;

function* understand({ event, data, id }: SseMessage, { timeline, sessionId }: Watched): Generator<Update> {
  // Further kinds of messages are for newer readers, whatever is in them.
  if (!(kinds as readonly string[]).includes(event)) return;
  const value = parsed(data);
  switch (event) {
    case "session_event":
    case "message": {
      const text = (): string => data;
      if (!hasId(value)) throw broken("an event without an id on its stream");
      const events = checked([value], sessionId, text).map((each) => withRevision(each, id));
      yield* timeline.accept(events, { text });
      return;
    }
    case "session":
      // Of another one, or of none, it says nothing of ours.
      if (value["id"] === sessionId) yield { kind: "session", session: value as unknown as SessionState };
      return;
    case "patch":
      yield { kind: "patch", patch: value };
      return;
    case "delta":
      yield { kind: "delta", delta: value };
      return;
    case "gap":
      // Whether it also counts anew, the whole array tells: what is older than what we have stays so.
      timeline.hold();
      yield { kind: "gap", gap: value };
  }
}

function parsed(data: string): Readonly<Record<string, unknown>> {
  try {
    const value = parseCut(data);
    if (isObject(value)) return value;
  } catch {
    // Said below, as for any other thing that is no object.
  }
  throw broken("a message on its stream that is no JSON object");
}

/** A number is one as well, see `checkAnswer`. */
function hasId({ id }: Readonly<Record<string, unknown>>): boolean {
  return typeof id === "number" || (typeof id === "string" && id !== "");
}

/** The message's id is the revision, also where the event doesn't repeat it. */
function withRevision(event: TimelineEvent, id: string | undefined): TimelineEvent {
  return typeof event.revision === "number" || id === undefined || !/^\d{1,15}$/.test(id)
    ? event
    : { ...event, revision: Number(id) };
}
