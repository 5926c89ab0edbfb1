import { readState } from "./array.ts";
import type { Update } from "./items.ts";
import { pace } from "./pace.ts";
import { notOffered, persistently, type Watched } from "./source.ts";

const pageSize = 500;

/** By asking for what came after the newest revision, again and again. */
export function followAfter(watched: Watched): AsyncGenerator<Update> {
  return persistently(watched, () => poll(watched));
}

async function* poll(watched: Watched): AsyncGenerator<Update> {
  const { client, sessionId, timeline, signal } = watched;
  const rhythm = pace(watched);
  for (;;) {
    const after = timeline.revision;
    if (after === undefined) throw notOffered("the service's events have no revision");
    const events = await client.readEvents({ params: { sessionId }, query: { after, limit: pageSize }, signal, patience: 0 });
    const news = timeline.accept(events);
    yield* news;
    if (rhythm.wantsState(news.length > 0)) yield* readState(watched);
    if (events.length < pageSize) await rhythm.rest();
  }
}
