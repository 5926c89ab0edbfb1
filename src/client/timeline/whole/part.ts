import { parseJson, readBody } from "../../http/body.ts";
import { parseCut } from "../../http/json.ts";
import { wholeSlices } from "../../http/json-array.ts";
import type { Watched } from "../source.ts";
import { checked, envelopeSlices, type EventBatch } from "./array.ts";

export interface HowMuch {
  readonly after: number;
  readonly limit?: number;
  /** As in ClientOptions. */
  readonly patience?: number | undefined;
}

/**
 * The events that came after a revision, with their JSON as it came.
 * @throws FerryError what went wrong
 */
export async function readPart(
  watched: Pick<Watched, "client" | "sessionId" | "clock" | "signal">,
  { patience, ...query }: HowMuch,
): Promise<EventBatch> {
  const { client, sessionId, clock, signal } = watched;
  const input = { params: { sessionId }, query, accept: "application/json", signal, patience };
  return client.stream("readEvents", input, async (response) => {
    const body = Buffer.from(await readBody(response, clock));
    const answer = parseJson(body, response, new URL(client.baseUrl).host, parseCut);
    const { bytes, places } = Array.isArray(answer) ? wholeSlices(body) : envelopeSlices(body, checked(answer, sessionId));
    const text = (at: number): string => bytes.toString("utf8", places[4 * at], places[4 * at + 1]);
    return { events: checked(answer, sessionId, text), text };
  });
}
