import type { SourcedEvent, TimelineEvent } from "../../../client/timeline/items.ts";
import { readTimeline } from "../../../client/timeline/whole/read.ts";
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
): AsyncGenerator<readonly SourcedEvent[]> {
  const { clock, random, interrupt, files } = host;
  const signal = stop === undefined ? interrupt : AbortSignal.any([interrupt, stop]);
  return readTimeline({ client: connection.client, sessionId: session.id, clock, random, signal, makeSpool: files.makeSpool });
}

/** The events alone. @throws FerryError what went wrong */
export async function* timelineOf(
  context: Context,
  open: OpenSession,
  stop?: AbortSignal,
): AsyncGenerator<readonly TimelineEvent[]> {
  for await (const sources of sourcesOf(context, open, stop)) yield sources.map(({ event }) => event);
}

/** The types that its events have. */
export async function typesIn(context: Context, open: OpenSession): Promise<ReadonlySet<string>> {
  const types = new Set<string>();
  for await (const events of timelineOf(context, open))
    for (const { type } of events) if (typeof type === "string") types.add(type);
  return types;
}
