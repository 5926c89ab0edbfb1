import type { Spool } from "../../../host/host.ts";
import { checkAnswer } from "../../answers.ts";
import type { Client } from "../../calls.ts";
import { parseJson } from "../../http/body.ts";
import { sliceArray } from "../../http/json-array.ts";
import type { TimelineEvent } from "../items.ts";
import { printOf } from "./print.ts";
import { Sheaf, type Prints } from "./sheaf.ts";

/** Events with what tells their versions apart, in order. */
export interface EventBatch {
  readonly events: readonly TimelineEvent[];
  readonly prints: readonly number[];
}

export interface HowToRead {
  /** Lets the service say that all is as it was (`ETag`; RFC 9110, 13.1.2). */
  readonly sameTag?: boolean;
  /** As in ClientOptions. */
  readonly patience?: number;
}

/** The whole timeline as the seed has it: an array, in any order, which may be far longer than what fits into memory. */
export interface WholeTimeline {
  /**
   * All of it in the order of its making, in batches; what an earlier read brought, and is the same, may be left out. Nothing
   * comes before all is there, since the last event may be the oldest.
   * @throws FerryError what went wrong; unavailable where it is cut off or no JSON
   */
  read(how?: HowToRead): AsyncGenerator<EventBatch>;
}

export interface WholeOptions {
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
  makeSpool,
  longest = 4 * 1024 ** 3,
}: WholeOptions): WholeTimeline {
  let tag = "";
  let before: Prints = [];
  return {
    async *read({ sameTag = false, patience } = {}) {
      const headers = sameTag && tag !== "" ? { "if-none-match": tag } : {};
      const options = { params: { sessionId }, accept: "application/json", headers, signal, patience };
      const response = await client.stream("readEvents", options, async (answer) => answer);
      const sheaf = new Sheaf(before, makeSpool, longest);
      try {
        if (response.status === 304) return;
        const slices = sliceArray(response.body);
        let step = await slices.next();
        for (; step.done !== true; step = await slices.next()) await sheaf.add(step.value);
        if (step.value === undefined) {
          for await (const { items, prints } of sheaf.batches()) yield { events: checked(items), prints };
        } else {
          const events = checked(parseJson(step.value, response, new URL(client.baseUrl).host));
          yield { events, prints: events.map(printOf) };
        }
        // Only now: who stopped in the middle hasn't seen the rest.
        before = sheaf.prints;
        tag = response.headers["etag"] ?? "";
      } finally {
        await response.cancel();
        await sheaf.close();
      }
    },
  };
}

function checked(answer: unknown): TimelineEvent[] {
  return checkAnswer("readEvents", answer) as TimelineEvent[];
}
