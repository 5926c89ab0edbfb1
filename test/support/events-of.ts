import type { Store, TimelinePart } from "../../src/service/store/store.ts";
import type { SessionEvent } from "../../src/wire/event.ts";

/** The stored events of a session, all at once. */
export async function eventsOf(
  { timeline }: Pick<Store, "timeline">,
  sessionId: string,
  part?: TimelinePart,
): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  for await (const page of timeline.pages(sessionId, part)) events.push(...page);
  return events;
}
