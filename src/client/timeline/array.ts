import { FerryError } from "../../base/errors.ts";
import { checkAnswer } from "../answers.ts";
import { parseJson, readBody } from "../http/body.ts";
import type { TimelineEvent, Update } from "./items.ts";
import { pace } from "./pace.ts";
import { persistently, type Watched } from "./source.ts";

/**
 * The whole timeline once, as the seed has it. A session that is a moment old may not be known everywhere yet: with `fresh` a 404
 * is taken for that a few times, over some 4 s.
 */
export async function* readAll(watched: Watched, fresh: boolean): AsyncGenerator<Update> {
  for (let tries = 0; ; tries++) {
    try {
      yield* await readBoth(watched);
      return;
    } catch (error) {
      if (!(error instanceof FerryError) || error.status !== 404 || !fresh || tries === freshTries) throw error;
    }
    await watched.clock.sleep(freshPause, watched.signal);
  }
}

const freshTries = 8;
const freshPause = 500;

async function readBoth(watched: Watched): Promise<Update[]> {
  const { client, sessionId, signal, timeline } = watched;
  const { events } = await fetchAll(watched, "");
  const session = await client.readSession({ params: { sessionId }, signal });
  return [...timeline.accept(events), { kind: "session", session }];
}

/** The whole timeline again and again; what changed is found by id. Cheap where the service has ETags. */
export function followArray(watched: Watched): AsyncGenerator<Update> {
  return persistently(watched, () => poll(watched));
}

async function* poll(watched: Watched): AsyncGenerator<Update> {
  const rhythm = pace(watched);
  let tag = "";
  for (;;) {
    const answer = await fetchAll(watched, tag, 0);
    tag = answer.tag;
    const items = watched.timeline.accept(answer.events);
    yield* items;
    if (rhythm.wantsState(items.length > 0)) yield* readState(watched);
    await rhythm.rest();
  }
}

export async function* readState({ client, sessionId, signal }: Watched): AsyncGenerator<Update> {
  yield { kind: "session", session: await client.readSession({ params: { sessionId }, signal, patience: 0 }) };
}

/** The events, or none where the service says that nothing has changed since `tag`. */
async function fetchAll(
  { client, sessionId, signal }: Watched,
  tag: string,
  patience?: number,
): Promise<{ events: TimelineEvent[]; tag: string }> {
  const headers = tag === "" ? {} : { "if-none-match": tag };
  const options = { params: { sessionId }, accept: "application/json", headers, signal, patience };
  return client.stream("readEvents", options, async (response) => {
    const body = await readBody(response);
    if (response.status === 304) return { events: [], tag };
    const events = checkAnswer("readEvents", parseJson(body, response, new URL(client.baseUrl).host)) as TimelineEvent[];
    return { events, tag: response.headers["etag"] ?? "" };
  });
}
