import { sessionStatuses } from "../../wire/values.ts";
import type { SessionState, Update } from "./items.ts";
import { pace } from "./pace.ts";
import { isLost, isRefused, passes, persistently, type Trial, type Watched } from "./source.ts";
import type { HowToRead } from "./whole/array.ts";
import { type HowMuch, readPart } from "./whole/part.ts";
import { patiently } from "./whole/patient.ts";

/**
 * The whole timeline once, as the seed has it, and the session. One that is a moment old may not be known everywhere yet: with
 * `fresh` a 404 is taken for that, over some 4 s.
 */
export function readAll(watched: Watched, fresh: boolean): AsyncGenerator<Update> {
  const { client, sessionId, signal } = watched;
  const readSession = async () => client.readSession({ params: { sessionId }, signal });
  return patiently(watched, { fresh, faults: true }, async function* () {
    const before = await readSession();
    yield* readNews(watched);
    // Of one that is over, all is told by now. Of one that isn't, only what is true after the events fits to them.
    if (isOver(before)) yield { kind: "session", session: before, before: true };
    else yield { kind: "session", session: await readSession() };
  });
}

/**
 * What came after the newest that we have; gives how many events the answer had, undefined where all of them were read. The newest that we have is asked for again with what came after it: a service that has it no more counts anew (after a restore, say),
 * and what is new there may have revisions that we had already. Then all of it is read. It is one call for both: a second one could be
 * answered by the new count where the first one was by the old.
 */
export async function* readSince(watched: Watched, how: Omit<HowMuch, "after">): AsyncGenerator<Update, number | undefined> {
  const { timeline } = watched;
  const { revision = 0, newestId } = timeline;
  const { events, text } = await readPart(watched, { ...how, after: newestId === undefined ? revision : revision - 1 });
  // What is taken in must be told.
  watched.signal.throwIfAborted();
  if (newestId === undefined || events.some(({ id }) => id === newestId)) {
    yield* timeline.accept(events, { text });
    return events.length;
  }
  // An ETag says all the same that nothing has changed.
  yield* readWhole(watched, { sameTag: events.length === 0, patience: how.patience });
  if (timeline.newestId === newestId) timeline.dropNewest();
  return undefined;
}

/**
 * What is there and was not seen yet, by plain asking, when all else says that there is no more. `patience` as in ClientOptions; with 0
 * it is asked for once: whoever has another way doesn't wait for this one.
 */
export async function* readRest(watched: Watched, patience?: number): AsyncGenerator<Update> {
  let sameTag = false;
  if ((watched.timeline.revision ?? 0) > 0) {
    try {
      if ((yield* readSince(watched, { patience })) !== 0) return;
      sameTag = true;
    } catch (error) {
      watched.signal.throwIfAborted();
      if (!passes(error) && !isRefused(error)) throw error;
      // The plain read of the seed may do all the same, but not at once where a rest is asked for.
      if (patience === 0 && error.status === 429) throw error;
    }
  }
  yield* readWhole(watched, { sameTag, patience });
}

/** The same, and how the session stands, each asked for once: beside a stream, which may have missed something. */
export async function* readMissed(watched: Watched): AsyncGenerator<Update> {
  yield* readRest(watched, 0);
  watched.timeline.release();
  yield* readState(watched);
}

function readWhole(watched: Watched, how: HowToRead): AsyncGenerator<Update> {
  const read = (): AsyncGenerator<Update> => readNews(watched, how);
  return how.patience === 0 ? read() : patiently(watched, { faults: true }, read);
}

/** By a word that we know. */
function isOver({ status }: SessionState): boolean {
  return status !== "active" && sessionStatuses.some((word) => word === status);
}

/** An ETag is believed for so long, in ms: there are caches whose tag stays while what it stands for changes. */
const wholeInterval = 300_000;

/** The whole timeline again and again; what changed is found by id. Cheap where the service has ETags. */
export function followArray(watched: Watched): AsyncGenerator<Update> {
  // That the session is over shows without its events, too.
  return persistently(watched, (trial) => poll(watched, trial), { crossCheck: () => readState(watched), isLast: true });
}

/** What the service has by its plainest means, for a better way that fails or is in doubt. */
export async function* lookAround(watched: Watched): AsyncGenerator<Update> {
  try {
    yield* readNews(watched, { patience: 0 });
  } catch (error) {
    watched.signal.throwIfAborted();
    // Events that the service can't give, or that can't be read, hide nothing of the session itself.
    if (passes(error) && !isLost(error) && error.status !== 429) yield* readState(watched);
    throw error;
  }
  yield* readState(watched);
}

async function* poll(watched: Watched, { doubted, proven }: Trial): AsyncGenerator<Update> {
  const rhythm = pace(watched, doubted);
  let [state, whole] = ["", watched.clock.elapsed() + wholeInterval];
  for (;;) {
    let news = false;
    const isDue = watched.clock.elapsed() >= whole;
    if (isDue) whole = watched.clock.elapsed() + wholeInterval;
    for await (const update of readNews(watched, { sameTag: !isDue, patience: 0 })) {
      news = true;
      yield update;
    }
    if (rhythm.wantsState(news))
      for await (const update of readState(watched)) {
        // Who says that the session has changed, but not its events, may be wrong about one of them.
        const now = JSON.stringify([update.session.status, update.session.agent_status]);
        if (now !== state && state !== "") whole = -Infinity;
        state = now;
        yield update;
      }
    proven();
    await rhythm.rest();
  }
}

export async function* readState({ client, sessionId, signal }: Watched): AsyncGenerator<Extract<Update, { kind: "session" }>> {
  yield { kind: "session", session: await client.readSession({ params: { sessionId }, signal, patience: 0 }) };
}

/**
 * What is new in the whole array, or has changed. It comes in the order of its making: until its end one that is older may have
 * the greatest revision, so where to go on stays till then.
 */
export async function* readNews({ array, timeline, signal }: Watched, how?: HowToRead): AsyncGenerator<Update> {
  // As it was when the array was asked for: what comes by another way meanwhile may be newer.
  const newest = timeline.revision ?? 0;
  timeline.hold();
  let isAnew = false;
  for await (const { events, ...known } of array.read(how)) {
    // What is taken in must be told.
    signal.throwIfAborted();
    if (!isAnew && timeline.isAnew(events, newest)) {
      isAnew = true;
      timeline.restart();
      // The revisions of what is the same are to be learnt again, so that what is older shows as that.
      array.forget();
    }
    yield* timeline.accept(events, known);
  }
  timeline.release();
}
