import { FerryError, NoAnswerError } from "../../../base/errors.ts";
import { count } from "../../../base/text.ts";
import type { Answer } from "../../../client/answers.ts";
import { isGateway } from "../../../client/http/retry.ts";
import type { Context } from "../../context.ts";
import type { OpenSession } from "./select.ts";

export type KnownEvent = Answer<"readEvents">[number];

export interface SentMessage {
  /** By it the message's end is known, also where the service answered without the event. */
  readonly clientId: string;
  readonly event: KnownEvent | undefined;
}

/**
 * Sends a message to the agent of a session. Where no answer comes, the timeline tells whether the service has it; it is sent
 * again only where it hasn't.
 */
export async function sendMessage(
  { host }: Context,
  { connection, session }: OpenSession,
  message: string,
): Promise<SentMessage> {
  const { client } = connection;
  const clientId = `ferry-${Buffer.from(host.random(12)).toString("hex")}`;
  const params = { sessionId: session.id };
  const send = async (): Promise<SentMessage> => ({
    clientId,
    event: await client.sendMessage({ params, body: { message, client_id: clientId } }),
  });
  try {
    return await send();
  } catch (error) {
    if (!mayHaveArrived(error)) throw error;
    const known = (await client.readEvents({ params })).find((event) => event.client_id === clientId);
    return known === undefined ? send() : { clientId, event: known };
  }
}

/** Neither no answer nor a gateway's says whether the service behind has taken it. */
function mayHaveArrived(error: unknown): boolean {
  return (error instanceof NoAnswerError && error.sent) || (error instanceof FerryError && isGateway(error.status));
}

/** Whether the agent took it at once, in words; where it waits, behind how many others, if that can be known. */
export async function fate(open: OpenSession, { event }: SentMessage): Promise<string> {
  if (event?.status !== "queued") return event?.status === "completed" ? "the agent has it" : "the agent has taken it up";
  const before = await countQueuedBefore(open, event);
  return `queued${before === 0 ? "" : `, behind ${count(before, "other")}`}: the agent takes it when it is free`;
}

async function countQueuedBefore({ connection, session }: OpenSession, { id }: KnownEvent): Promise<number> {
  const events = await connection.client.readEvents({ params: { sessionId: session.id } });
  const queued = events.filter(({ type, status }) => type === "user_message" && status === "queued");
  return Math.max(
    0,
    queued.findIndex((event) => event.id === id),
  );
}
