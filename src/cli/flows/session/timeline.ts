import type { TimelineEvent } from "../../../client/timeline/items.ts";
import { readTimeline } from "../../../client/timeline/whole/read.ts";
import type { Context } from "../../context.ts";
import type { OpenSession } from "./select.ts";

/** The timeline of a session as it is now, in order, in batches of little size. @throws FerryError what went wrong */
export function timelineOf({ host }: Context, { connection, session }: OpenSession): AsyncGenerator<readonly TimelineEvent[]> {
  const { clock, random, interrupt: signal, files } = host;
  return readTimeline({ client: connection.client, sessionId: session.id, clock, random, signal, makeSpool: files.makeSpool });
}

/** The types that its events have. */
export async function typesIn(context: Context, open: OpenSession): Promise<ReadonlySet<string>> {
  const types = new Set<string>();
  for await (const events of timelineOf(context, open))
    for (const { type } of events) if (typeof type === "string") types.add(type);
  return types;
}
