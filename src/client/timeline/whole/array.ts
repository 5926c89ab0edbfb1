import type { Clock, SendResponse, Spool } from "../../../host/host.ts";
import type { EventType } from "../../../wire/values.ts";
import type { Client } from "../../calls.ts";
import { cursorOf } from "../../cursor.ts";
import { parseJson, steadily } from "../../http/body.ts";
import { broken, parseCut } from "../../http/json.ts";
import { sliceArray } from "../../http/json-array.ts";
import { mostVain, vainPages } from "../../pages.ts";
import { Ids } from "../compact/ids.ts";
import { Numbers } from "../compact/numbers.ts";
import type { TimelineEvent } from "../items.ts";
import { checked, eventsIn } from "./answer.ts";
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
  /** Ends this read, beside what ends all. */
  readonly signal?: AbortSignal | undefined;
}

/** The whole timeline as the seed has it: an array (or, of others, pages of one), in any order, which may be far longer than what fits into memory. */
export interface WholeTimeline {
  /**
   * All of it in the order of its making, in batches; what an earlier read brought, and is the same, may be left out. Nothing
   * comes before all is there, since the last event may be the oldest.
   * @throws FerryError what went wrong; unavailable where it is cut off or no JSON
   */
  read(how?: HowToRead): AsyncGenerator<EventBatch>;
  /** From here on nothing is left out, nor said to be as it was, until all of it was read once more. */
  forget(): void;
}

export interface WholeOptions {
  readonly clock: Clock;
  readonly client: Client;
  readonly sessionId: string;
  readonly signal?: AbortSignal | undefined;
  readonly makeSpool: () => Promise<Spool>;
  /** Events of this type alone, of a service that can leave out the others. */
  readonly type?: EventType | undefined;
  /** What a timeline may hold, in bytes. */
  readonly longest?: number;
}

export function makeWholeTimeline({
  client,
  sessionId,
  type,
  signal: always,
  clock,
  makeSpool,
  longest = 4 * 1024 ** 3,
}: WholeOptions): WholeTimeline {
  let tag = "";
  let before: Prints = new Numbers();
  const ask = (cursor: string | undefined, { sameTag = false, patience, signal = always }: HowToRead) => {
    const headers = sameTag && tag !== "" && cursor === undefined ? { "if-none-match": tag } : {};
    // A page's cursor is none of the interface's parameters for events: only who sends them in pages is asked with it.
    const query: object = { cursor, ...(type && { type }) };
    const input = { params: { sessionId }, query, accept: "application/json", headers, signal, patience };
    return client.stream("readEvents", input, async (answer) => answer);
  };
  return {
    async *read(how = {}) {
      const known = before;
      const sheaf = new Sheaf(known, makeSpool, longest);
      const seen = new Set<string>();
      // Only of what comes in pages.
      const ids = new Ids();
      let [newTag, vain] = ["", 0];
      try {
        for (let cursor: string | undefined; ;) {
          const had = ids.size;
          const response = await ask(cursor, how);
          try {
            if (response.status === 304) return;
            const body = steadily(response, clock);
            const page = await gather({ ...response, body }, sheaf, { host: new URL(client.baseUrl).host, sessionId });
            for (const { id } of page.events) if (ids.find(id) < 0) ids.add(id);
            cursor = page.next;
          } finally {
            await response.cancel();
          }
          // That the first page is as it was says nothing of the others.
          newTag = seen.size === 0 && cursor === undefined ? (response.headers["etag"] ?? "") : "";
          if (cursor === undefined) break;
          if (seen.has(cursor)) throw broken("a list that goes in a circle");
          seen.add(cursor);
          vain = ids.size > had ? 0 : vain + 1;
          if (vain >= mostVain) throw vainPages();
        }
        for await (const { items, ...texts } of sheaf.batches())
          yield { events: checked(items, sessionId, texts.text), ...texts };
        // Only now: who stopped in the middle hasn't seen the rest. Nor where it was forgotten meanwhile: some of it was left out.
        if (before === known) [before, tag] = [sheaf.prints, newTag];
      } finally {
        await sheaf.close();
      }
    },
    forget() {
      [before, tag] = [new Numbers(), ""];
    },
  };
}

/** What a service has that sends a timeline in pages. */
interface TimelinePage {
  readonly events: readonly TimelineEvent[];
  /** The cursor of the page after it; undefined on the last. */
  readonly next: string | undefined;
}

/** Puts an answer's events into the sheaf; gives the page that it is, an empty one where it is a whole array. */
async function gather(
  response: SendResponse,
  sheaf: Sheaf,
  { host, sessionId }: { readonly host: string; readonly sessionId: string },
): Promise<TimelinePage> {
  const portions = sliceArray(response.body);
  let step = await portions.next();
  for (; step.done !== true; step = await portions.next()) await sheaf.add(step.value);
  const { value: body } = step;
  if (body === undefined) return { events: [], next: undefined };
  const page = parseJson(body, response, host, parseCut);
  const { events, slices } = eventsIn(body, page, sessionId);
  const next = cursorOf(page, () => new TextDecoder().decode(body));
  await sheaf.add(slices());
  return { events, next };
}
