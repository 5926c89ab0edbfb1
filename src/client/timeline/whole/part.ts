import { parseJson, readBody } from "../../http/body.ts";
import { parseCut } from "../../http/json.ts";
import type { Watched } from "../source.ts";
import { eventsIn } from "./answer.ts";
import type { EventBatch } from "./array.ts";

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
    const body = await readBody(response, clock);
    return eventsIn(body, parseJson(body, response, new URL(client.baseUrl).host, parseCut), sessionId);
  });
}
