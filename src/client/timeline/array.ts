import { FerryError, NoAnswerError } from "../../base/errors.ts";
import { checkAnswer } from "../answers.ts";
import { parseJson } from "../http/body.ts";
import { parseArray } from "../http/json-array.ts";
import { backoff } from "../http/retry.ts";
import { sessionStatuses } from "../../wire/values.ts";
import type { SessionState, TimelineEvent, Update } from "./items.ts";
import { pace } from "./pace.ts";
import { persistently, type Watched } from "./source.ts";

/** So much of an array is held to be put in order, in bytes; what is longer is in order by such pieces, and told as late where it isn't. */
const sortedAtOnce = 16 * 1024 * 1024;

/**
 * The whole timeline once, as the seed has it, and the session. One that is a moment old may not be known everywhere yet: with
 * `fresh` a 404 is taken for that, over some 4 s.
 */
export function readAll(watched: Watched, fresh: boolean): AsyncGenerator<Update> {
  const { client, sessionId, signal } = watched;
  const readSession = async () => client.readSession({ params: { sessionId }, signal });
  return patiently(watched, fresh, async function* () {
    const before = await readSession();
    yield* fetchAll(watched, "");
    // Of one that is over, all is told by now. Of one that isn't, only what is true after the events fits to them.
    if (isOver(before)) yield { kind: "session", session: before, before: true };
    else yield { kind: "session", session: await readSession() };
  });
}

/** What is there and was not seen yet, by plain asking, when all else says that there is no more. */
export async function readRest(watched: Watched): Promise<Update[]> {
  const { client, sessionId, signal, timeline } = watched;
  const after = timeline.revision ?? 0;
  if (after > 0) return timeline.accept(await client.readEvents({ params: { sessionId }, query: { after }, signal }));
  const rest: Update[] = [];
  for await (const update of patiently(watched, false, () => fetchAll(watched, ""))) rest.push(update);
  return rest;
}

const mostTries = 8;
const freshPause = 500;

/** An array that is cut off while it is read is read again: what was seen of it is told once all the same. */
async function* patiently(
  watched: Watched,
  fresh: boolean,
  attempt: () => AsyncGenerator<Update, unknown>,
): AsyncGenerator<Update> {
  const { signal, clock, random } = watched;
  for (let tries = 0; ; tries++) {
    try {
      yield* attempt();
      return;
    } catch (error) {
      signal.throwIfAborted();
      const unknown = fresh && error instanceof FerryError && error.status === 404;
      if (tries === mostTries || !(unknown || error instanceof NoAnswerError)) throw error;
      await clock.sleep(unknown ? freshPause : backoff(tries, random), signal);
    }
  }
}

/** By a word that we know. */
function isOver({ status }: SessionState): boolean {
  return status !== "active" && sessionStatuses.some((word) => word === status);
}

/** The whole timeline again and again; what changed is found by id. Cheap where the service has ETags. */
export function followArray(watched: Watched): AsyncGenerator<Update> {
  return persistently(watched, () => poll(watched));
}

async function* poll(watched: Watched): AsyncGenerator<Update> {
  const rhythm = pace(watched);
  let tag = "";
  for (;;) {
    let news = false;
    const events = fetchAll(watched, tag, 0);
    for (let step = await events.next(); ; step = await events.next()) {
      if (step.done === true) {
        tag = step.value;
        break;
      }
      news = true;
      yield step.value;
    }
    if (rhythm.wantsState(news)) yield* readState(watched);
    await rhythm.rest();
  }
}

export async function* readState({ client, sessionId, signal }: Watched): AsyncGenerator<Update> {
  yield { kind: "session", session: await client.readSession({ params: { sessionId }, signal, patience: 0 }) };
}

/** What is new or has changed, or nothing where the service says that it is as at `tag`. Returns the tag of what it is now. */
async function* fetchAll(watched: Watched, tag: string, patience?: number): AsyncGenerator<Update, string> {
  const { client, sessionId, signal, timeline } = watched;
  const headers = tag === "" ? {} : { "if-none-match": tag };
  const options = { params: { sessionId }, accept: "application/json", headers, signal, patience };
  const response = await client.stream("readEvents", options, async (answer) => answer);
  try {
    if (response.status === 304) return tag;
    const whole = (body: Uint8Array) =>
      checkAnswer("readEvents", parseJson(body, response, new URL(client.baseUrl).host)) as TimelineEvent[];
    let [held, size]: [TimelineEvent[], number] = [[], 0];
    for await (const portion of parseArray(response.body, whole)) {
      held = held.concat(checkAnswer("readEvents", portion.items) as TimelineEvent[]);
      size += portion.size;
      if (size < sortedAtOnce) continue;
      yield* timeline.accept(held);
      [held, size] = [[], 0];
    }
    yield* timeline.accept(held);
    return response.headers["etag"] ?? "";
  } finally {
    await response.cancel();
  }
}
