import { makeBreather } from "../../../base/breather.ts";
import { Ids } from "../compact/ids.ts";
import { timeOf, type SourcedEvent, type TimelineEvent } from "../items.ts";
import { makeWholeTimeline, type WholeOptions } from "./array.ts";
import { patiently, type Patience } from "./patient.ts";

/**
 * A timeline as it is now, once, in the order of its making, in batches: however long it is, little of it is in memory. An
 * event that comes more than once is told at its first place, and its newest version of those that lie together.
 * @throws FerryError what went wrong
 */
export async function* readTimeline(options: WholeOptions & Patience): AsyncGenerator<readonly SourcedEvent[]> {
  const whole = makeWholeTimeline(options);
  const seen = new Ids();
  const breathe = makeBreather(options.clock, options.signal);
  for await (const { events, text } of patiently(options, {}, () => whole.read())) {
    const newest = newestOf(events);
    yield events
      .map(({ id }, first) => {
        const at = newest.get(id) ?? first;
        return { event: events[at] as TimelineEvent, texts: text, at };
      })
      .filter(({ event: { id } }) => seen.find(id) < 0 && seen.add(id) >= 0);
    await breathe();
  }
}

/** Where the newest version of each event is, by its `updated_at`; the first of those that say no later one. */
function newestOf(events: readonly TimelineEvent[]): ReadonlyMap<string, number> {
  const newest = new Map<string, number>();
  for (const [at, event] of events.entries()) {
    const before = newest.get(event.id);
    if (before === undefined || timeOf(event.updated_at) > timeOf(events[before]?.updated_at)) newest.set(event.id, at);
  }
  return newest;
}
