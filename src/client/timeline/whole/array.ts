import type { Clock, SendResponse, Spool } from "../../../host/host.ts";
import { routePath } from "../../../wire/routes.ts";
import { checkAnswer } from "../../answers.ts";
import type { Client } from "../../calls.ts";
import { parseJson, steadily } from "../../http/body.ts";
import { broken, memberAt, parseCut } from "../../http/json.ts";
import { sliceArray, wholeSlices, type Slices } from "../../http/json-array.ts";
import { mostEmpty } from "../../pages.ts";
import { Numbers } from "../compact/numbers.ts";
import type { TimelineEvent } from "../items.ts";
import { Sheaf, type Prints } from "./sheaf.ts";

/** Events in order. */
export interface EventBatch {
  readonly events: readonly TimelineEvent[];
  /** The JSON of the event at a place, as it came. */
  readonly text: (at: number) => string;
}

export interface HowToRead {
  /** Lets the service say that all is as it was (`ETag`; RFC 9110, 13.1.2). */
  readonly sameTag?: boolean;
  /** As in ClientOptions. */
  readonly patience?: number | undefined;
}

/** The whole timeline as the seed has it: an array (or, of others, pages of one), in any order, which may be far longer than what fits into memory. */
export interface WholeTimeline {
  /**
   * All of it in the order of its making, in batches; what an earlier read brought, and is the same, may be left out. Nothing
   * comes before all is there, since the last event may be the oldest.
   * @throws FerryError what went wrong; unavailable where it is cut off or no JSON
   */
  read(how?: HowToRead): AsyncGenerator<EventBatch>;
}

export interface WholeOptions {
  readonly clock: Clock;
  readonly client: Client;
  readonly sessionId: string;
  readonly signal?: AbortSignal | undefined;
  readonly makeSpool: () => Promise<Spool>;
  /** What a timeline may hold, in bytes. */
  readonly longest?: number;
}

export function makeWholeTimeline({
  client,
  sessionId,
  signal,
  clock,
  makeSpool,
  longest = 4 * 1024 ** 3,
}: WholeOptions): WholeTimeline {
  let tag = "";
  let before: Prints = new Numbers();
  const ask = (cursor: string | undefined, { sameTag = false, patience }: HowToRead) => {
    const headers = sameTag && tag !== "" && cursor === undefined ? { "if-none-match": tag } : {};
    // A page's cursor is none of the interface's parameters for events: only who sends them in pages is asked with it.
    const query: object = { cursor };
    const input = { params: { sessionId }, query, accept: "application/json", headers, signal, patience };
    return client.stream("readEvents", input, async (answer) => answer);
  };
  return {
    async *read(how = {}) {
      const sheaf = new Sheaf(before, makeSpool, longest);
      const seen = new Set<string>();
      let [newTag, empty] = ["", 0];
      try {
        for (let cursor: string | undefined; ;) {
          const had = sheaf.prints.length;
          const response = await ask(cursor, how);
          try {
            if (response.status === 304) return;
            const body = steadily(response, clock);
            cursor = await gather({ ...response, body }, sheaf, { host: new URL(client.baseUrl).host, sessionId });
          } finally {
            await response.cancel();
          }
          // That the first page is as it was says nothing of the others.
          newTag = seen.size === 0 && cursor === undefined ? (response.headers["etag"] ?? "") : "";
          if (cursor === undefined) break;
          if (seen.has(cursor)) throw broken("a list that goes in a circle");
          seen.add(cursor);
          empty = sheaf.prints.length > had ? 0 : empty + 1;
          if (empty >= mostEmpty) throw broken(`a list without end: ${mostEmpty} empty pages in a row`);
        }
        for await (const { items, ...known } of sheaf.batches())
          yield { events: checked(items, sessionId, known.text), ...known };
        // Only now: who stopped in the middle hasn't seen the rest.
        before = sheaf.prints;
        tag = newTag;
      } finally {
        await sheaf.close();
      }
    },
  };
}

/** Puts an answer's events into the sheaf; gives the cursor of the next page, where a service has pages. */
async function gather(
  response: SendResponse,
  sheaf: Sheaf,
  { host, sessionId }: { readonly host: string; readonly sessionId: string },
): Promise<string | undefined> {
  const portions = sliceArray(response.body);
  let step = await portions.next();
  for (; step.done !== true; step = await portions.next()) await sheaf.add(step.value);
  if (step.value === undefined) return undefined;
  const page = parseJson(step.value, response, host, parseCut);
  const items = checked(page, sessionId);
  const { next_cursor: next } = page as { readonly next_cursor?: unknown };
  await sheaf.add(envelopeSlices(step.value, items));
  return typeof next === "string" && next !== "" ? next : undefined;
}

/** The items of an envelope that is there as a whole, as they came. */
export function envelopeSlices(body: Uint8Array, items: readonly unknown[]): Slices {
  const text = new TextDecoder().decode(body);
  const slices = wholeSlices(Buffer.from(text.slice(memberAt(text, "items"))));
  // A name that is written with escapes isn't found in the text.
  const isWhole = slices.places.length === 4 * items.length;
  return isWhole ? slices : wholeSlices(Buffer.from(JSON.stringify(items)));
}

/** `text` as in `checkAnswer`. @throws FerryError unavailable where it is no list of events, bare or enveloped */
export function checked(answer: unknown, sessionId: string, text?: EventBatch["text"]): TimelineEvent[] {
  return checkAnswer("readEvents", answer, routePath("readEvents", { sessionId }), text) as TimelineEvent[];
}
