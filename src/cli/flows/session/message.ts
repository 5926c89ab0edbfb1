import { NoAnswerError } from "../../../base/errors.ts";
import type { Answer } from "../../../client/answers.ts";
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
    if (!(error instanceof NoAnswerError) || !error.sent) throw error;
    const known = (await client.readEvents({ params })).find((event) => event.client_id === clientId);
    return known === undefined ? send() : { clientId, event: known };
  }
}

/** Whether the agent took it at once, in words. */
export function fate({ event }: SentMessage): string {
  if (event?.status === "queued") return "queued: the agent takes it when it is free";
  return event?.status === "completed" ? "the agent has it" : "the agent has taken it up";
}
