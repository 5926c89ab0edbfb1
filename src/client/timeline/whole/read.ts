import { makeBreather } from "../../../base/breather.ts";
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
  const seen = new Set<string>();
  const breathe = makeBreather(options.clock, options.signal);
  for await (const { events, text } of patiently(options, {}, () => whole.read())) {
    yield events.map((event, at) => ({ event, texts: text, at })).filter(({ event: { id } }) => !seen.has(id) && seen.add(id));
    await breathe();
  }
}
