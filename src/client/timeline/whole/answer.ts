import { routePath } from "../../../wire/routes.ts";
import { checkAnswer } from "../../answers.ts";
import { memberAt } from "../../http/json.ts";
import { wholeSlices, type Slices } from "../../http/json-array.ts";
import type { Texts, TimelineEvent } from "../items.ts";

/** What an answer that is there as a whole has of events. */
export interface WholeAnswer {
  readonly events: TimelineEvent[];
  /** The JSON of the event at a place, as it came. */
  readonly text: Texts;
  /** The events as they came. */
  readonly slices: () => Slices;
}

/** The events of an answer that was read from this body. @throws FerryError unavailable where it is no list of events, bare or enveloped */
export function eventsIn(body: Uint8Array, answer: unknown, sessionId: string): WholeAnswer {
  let found: Slices | undefined;
  const slices = (): Slices => (found ??= Array.isArray(answer) ? wholeSlices(Buffer.from(body)) : envelopeSlices(body, answer));
  const text = (at: number): string => {
    const { bytes, places } = slices();
    return bytes.toString("utf8", places[4 * at], places[4 * at + 1]);
  };
  return { events: checked(answer, sessionId, text), text, slices };
}

/** The items of an envelope, known to be one. */
function envelopeSlices(body: Uint8Array, envelope: unknown): Slices {
  const { items } = envelope as { readonly items: readonly unknown[] };
  const text = new TextDecoder().decode(body);
  const slices = wholeSlices(Buffer.from(text.slice(memberAt(text, "items"))));
  // A name that is written with escapes isn't found in the text.
  const isWhole = slices.places.length === 4 * items.length;
  return isWhole ? slices : wholeSlices(Buffer.from(JSON.stringify(items)));
}

/** `text` as in `checkAnswer`. @throws FerryError unavailable where it is no list of events, bare or enveloped */
export function checked(answer: unknown, sessionId: string, text?: Texts): TimelineEvent[] {
  return checkAnswer("readEvents", answer, routePath("readEvents", { sessionId }), text) as TimelineEvent[];
}
