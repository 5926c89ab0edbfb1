import { makeBreather } from "../../../base/breather.ts";
import { Ids } from "../compact/ids.ts";
import type { SourcedEvent } from "../items.ts";
import { makeWholeTimeline, type WholeOptions } from "./array.ts";
import { patiently, type Patience } from "./patient.ts";

/**
 * A timeline as it is now, once, in the order of its making, in batches: however long it is, little of it is in memory. An
 * event that comes more than once is told at its first place.
 * @throws FerryError what went wrong
 */
export async function* readTimeline(options: WholeOptions & Patience): AsyncGenerator<readonly SourcedEvent[]> {
  const whole = makeWholeTimeline(options);
  const seen = new Ids();
  const breathe = makeBreather(options.clock, options.signal);
  for await (const { events, text } of patiently(options, {}, () => whole.read())) {
    yield events
      .map((event, at) => ({ event, texts: text, at }))
      .filter(({ event: { id } }) => seen.find(id) < 0 && seen.add(id) >= 0);
    await breathe();
  }
}
