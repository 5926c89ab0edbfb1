import { lookAround, readRest, readState } from "./array.ts";
import type { Update } from "./items.ts";
import { pace } from "./pace.ts";
import { notOffered, persistently, type Trial, type Watched } from "./source.ts";
import { readPart } from "./whole/part.ts";

const pageSize = 500;

/** By asking for what came after the newest revision, again and again. */
export function followAfter(watched: Watched): AsyncGenerator<Update> {
  return persistently(watched, (trial) => poll(watched, trial), { crossCheck: () => lookAround(watched) });
}

async function* poll(watched: Watched, { doubted, proven }: Trial): AsyncGenerator<Update> {
  const { timeline } = watched;
  const rhythm = pace(watched, doubted);
  for (;;) {
    const after = timeline.revision;
    if (after === undefined) throw notOffered("the service's events have no revision");
    const { events, text } = await readPart(watched, { after, limit: pageSize, patience: 0 });
    const news = timeline.accept(events, { text });
    yield* news;
    if (rhythm.wantsState(news.length > 0)) {
      if (news.length === 0) yield* await readRest(watched, 0);
      yield* readState(watched);
    }
    proven();
    // A full page has more behind it, but for a service that takes no notice of what we have.
    if (events.length < pageSize || timeline.revision === after) await rhythm.rest();
  }
}
