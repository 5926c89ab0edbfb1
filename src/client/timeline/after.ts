import { lookAround, readRest, readSince, readState } from "./array.ts";
import type { Update } from "./items.ts";
import { pace } from "./pace.ts";
import { notOffered, persistently, type Trial, type Watched } from "./source.ts";

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
    const { order } = timeline;
    // A page would not reach what is known already beyond a gap.
    const limit = timeline.isHeld ? {} : { limit: pageSize };
    const size = (yield* readSince(watched, { ...limit, patience: 0 })) ?? 0;
    timeline.release();
    const isNews = timeline.order > order;
    if (rhythm.wantsState(isNews)) {
      if (size === 0 && !isNews) yield* readRest(watched, 0);
      yield* readState(watched);
    }
    proven();
    // A full page has more behind it, but for a service that takes no notice of what we have.
    if (size < pageSize || timeline.revision === after) await rhythm.rest();
  }
}
