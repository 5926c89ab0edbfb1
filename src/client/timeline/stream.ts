import { FerryError } from "../../base/errors.ts";
import { isObject } from "../answers.ts";
import { parseShallow } from "../http/json.ts";
import { lookAround, readNews, readRest, readState } from "./array.ts";
import type { SessionState, TimelineEvent, Update } from "./items.ts";
import { notOffered, persistently, type Trial, type Watched } from "./source.ts";
import { parseSse, type SseMessage } from "./sse.ts";
import { orTimeUp, timeUp } from "./time-up.ts";

/** How long the connection may be without a byte, in ms: the service sends a comment every 15 s. */
const idleTimeout = 45_000;
/** How long the connection may take to begin, in ms: a proxy that waits for the stream's end would never let it. */
const beginTimeout = 20_000;
/** A stream that brings all but events proves nothing about the session: after this long it is asked for by REST, in ms. */
const watchInterval = 30_000;
/** The same for one that follows on others that brought nothing. */
const doubtInterval = 5_000;
/** A quiet connection that held for this long is a good one, in ms. */
const steadyTime = 10_000;

/** A stream that tells of one gap after another has the whole array read no more often than this, in ms. */
const gapPause = 5_000;

/** As server-sent events, from the newest revision on, which is also where a new connection takes up. */
export function followStream(watched: Watched): AsyncGenerator<Update> {
  return persistently(
    watched,
    (trial) => connection(watched, trial),
    () => lookAround(watched),
  );
}

async function* connection(watched: Watched, { doubted, proven }: Trial): AsyncGenerator<Update> {
  const { timeline, clock } = watched;
  const messages = await connect(watched);
  const began = clock.elapsed();
  const interval = doubted ? doubtInterval : watchInterval;
  let missed = false;
  try {
    // A stream tells of the session's changes from now on: what it became before, after a restart say, has to be asked for.
    yield* readState(watched);
    let next = messages.next();
    let filled = -Infinity;
    let alive = clock.elapsed();
    for (;;) {
      const left = alive + interval - clock.elapsed();
      const step = left <= 0 ? timeUp : await orTimeUp(next, left, clock);
      if (step === timeUp) {
        missed = true;
        missed = yield* check(watched);
        // It has events that the stream didn't bring: the connection is dead, whatever it still sends.
        if (missed) return;
        alive = clock.elapsed();
        continue;
      }
      if (step.done === true) return;
      for (const update of understand(step.value, timeline)) {
        // All else, pings and the like, comes from who knows nothing of the session, too.
        if (update.kind === "events") {
          proven();
          alive = clock.elapsed();
        }
        yield update;
      }
      // What the stream no longer has, the whole array does.
      if (step.value.event === "gap") {
        const rest = filled + gapPause - clock.elapsed();
        if (rest > 0) await clock.sleep(rest, watched.signal);
        filled = clock.elapsed();
        yield* readNews(watched);
      }
      next = messages.next();
    }
  } finally {
    if (!missed && clock.elapsed() - began >= steadyTime) proven();
    await messages.end();
  }
}

interface Messages {
  next(): Promise<IteratorResult<SseMessage, unknown>>;
  end(): Promise<void>;
}

async function connect({ client, sessionId, timeline, clock, signal }: Watched): Promise<Messages> {
  const after = timeline.revision;
  if (after === undefined) throw notOffered("the service's events have no revision");
  const stop = new AbortController();
  const input = {
    params: { sessionId },
    query: { after },
    accept: "text/event-stream",
    // Compression would hold lines back.
    headers: { "last-event-id": String(after), "accept-encoding": "identity" },
    signal: AbortSignal.any([signal, stop.signal]),
    patience: 0,
    idleTimeout,
  };
  const response = await orTimeUp(
    client.stream("readEvents", input, async (answer) => answer),
    beginTimeout,
    clock,
  );
  if (response === timeUp) {
    stop.abort();
    throw new FerryError("unavailable", `the stream hasn't begun in ${beginTimeout / 1000} s`);
  }
  if (!/^text\/event-stream\b/i.test(response.headers["content-type"] ?? "")) {
    await response.cancel();
    throw notOffered("the service doesn't stream its events");
  }
  const messages = parseSse(response.body);
  return {
    next() {
      const step = messages.next();
      // It may fail while the service is asked instead; whoever waits for it gets the error all the same.
      step.catch(() => undefined);
      return step;
    },
    end: () => response.cancel(),
  };
}

/** Asks the service itself; says whether the stream missed something. */
async function* check(watched: Watched): AsyncGenerator<Update, boolean> {
  const missed = await readRest(watched, 0);
  yield* missed;
  yield* readState(watched);
  return missed.length > 0;
}

function* understand({ event, data, id }: SseMessage, timeline: Watched["timeline"]): Generator<Update> {
  const value = parsed(data);
  switch (event) {
    case "session_event":
    case "message":
      if (typeof value["id"] !== "string") throw notOffered("the stream has an event without an id");
      yield* timeline.accept([withRevision(value as unknown as TimelineEvent, id)], { text: () => data });
      return;
    case "session":
      yield { kind: "session", session: value as unknown as SessionState };
      return;
    case "patch":
      yield { kind: "patch", patch: value };
      return;
    case "delta":
      yield { kind: "delta", delta: value };
      return;
    case "gap":
      timeline.restart();
      yield { kind: "gap", gap: value };
      return;
    // Further kinds of messages are for newer readers.
    default:
  }
}

function parsed(data: string): Readonly<Record<string, unknown>> {
  try {
    const value = parseShallow(data);
    if (isObject(value)) return value;
  } catch {
    // Said below, as for any other thing that is no object, or nested too deep.
  }
  throw notOffered("the stream has a message that is no JSON object");
}

/** The message's id is the revision, also where the event doesn't repeat it. */
function withRevision(event: TimelineEvent, id: string | undefined): TimelineEvent {
  return typeof event.revision === "number" || id === undefined || !/^\d{1,15}$/.test(id)
    ? event
    : { ...event, revision: Number(id) };
}
