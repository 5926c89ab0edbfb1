import type { SourcedEvent, TimelineEvent } from "../../../client/timeline/items.ts";
import { readTimeline } from "../../../client/timeline/whole/read.ts";
import type { EventType } from "../../../wire/values.ts";
import type { Context } from "../../context.ts";
import type { OpenSession } from "./select.ts";

/**
 * The timeline of a session as it is now, in order, in batches of little size, each event with its JSON as it came. `stop` ends it.
 * @throws FerryError what went wrong
 */
export function sourcesOf(
  { host }: Context,
  { connection, session }: OpenSession,
  stop?: AbortSignal,
  type?: EventType,
): AsyncGenerator<readonly SourcedEvent[]> {
  const { clock, random, interrupt, files } = host;
  const signal = stop === undefined ? interrupt : AbortSignal.any([interrupt, stop]);
  const { client } = connection;
  return readTimeline({ client, sessionId: session.id, type, clock, random, signal, makeSpool: files.makeSpool });
}

/** The events alone. @throws FerryError what went wrong */
export async function* timelineOf(
  context: Context,
  open: OpenSession,
  stop?: AbortSignal,
): AsyncGenerator<readonly TimelineEvent[]> {
  for await (const sources of sourcesOf(context, open, stop)) yield sources.map(({ event }) => event);
}

/**
 * The messages to the agent, with all else where the service has no way to leave it out: a timeline may take long to read, and a stop
 * has no time for it.
 */
export async function* messagesOf(context: Context, open: OpenSession): AsyncGenerator<readonly TimelineEvent[]> {
  // Who can't say it is asked for all, and says itself what is wrong.
  const words = await open.connection.client.capabilities().catch(() => new Set<string>());
  const type = words.has("types") ? ("user_message" as const) : undefined;
  for await (const sources of sourcesOf(context, open, undefined, type)) yield sources.map(({ event }) => event);
}

/** The types that its events have. */
export async function typesIn(context: Context, open: OpenSession): Promise<ReadonlySet<string>> {
  const types = new Set<string>();
  for await (const events of timelineOf(context, open))
    for (const { type } of events) if (typeof type === "string") types.add(type);
  return types;
}
