import { follow, type FollowItem, type FollowOptions } from "../../src/client/follow.ts";
import { systemFiles } from "../../src/host/files.ts";
import type { Send } from "../../src/host/host.ts";
import { makeTestClient } from "./client.ts";
import { makeIdleClock } from "./idle-clock.ts";
import { makeTimelineService, type TimelineService, type TimelineServiceOptions } from "./timeline-service.ts";

/** What a service must be able to do to be followed in each way. */
export const ways = { stream: ["stream", "after"], after: ["after"], array: [] } as const;

/** A service with one session, and a client that follows it, on a clock that doesn't wait. */
export function play(
  capabilities: readonly string[],
  fault?: TimelineServiceOptions["fault"],
  around: (service: TimelineService) => Send = ({ send }) => send,
) {
  const clock = makeIdleClock();
  const service = makeTimelineService({ clock, capabilities, fault });
  const client = makeTestClient(around(service), { clock, patience: 600_000 });
  const watch = async (
    change: Partial<FollowOptions> = {},
    look: (item: FollowItem) => void = () => undefined,
  ): Promise<FollowItem[]> => {
    const items: FollowItem[] = [];
    const options = {
      client,
      sessionId: "ses_1",
      clock,
      random: (size: number) => new Uint8Array(size).fill(128),
      makeSpool: systemFiles.makeSpool,
      signal: new AbortController().signal,
      until: "idle" as const,
    };
    for await (const item of follow({ ...options, ...change })) {
      items.push(item);
      look(item);
    }
    return items;
  };
  return { clock, service, watch };
}

export const eventsOf = (items: readonly FollowItem[]) => items.flatMap((item) => (item.kind === "events" ? item.items : []));
/** What was shown of the events, a word each. */
export const shown = (items: readonly FollowItem[]) =>
  eventsOf(items).map(({ event, update }) => `${event.id} ${event.status ?? ""}${update ? " update" : ""}`);
export const outcome = (items: readonly FollowItem[]) => items.find((item) => item.kind === "outcome");
export const kinds = (items: readonly FollowItem[], kind: FollowItem["kind"]) => items.filter((item) => item.kind === kind);

/** A turn as it goes on, with time between its steps. */
export async function work({
  clock,
  service,
}: {
  clock: { sleep(ms: number): Promise<void> };
  service: TimelineService;
}): Promise<void> {
  const message = service.add("user_message", { status: "processing", client_id: "mine" });
  for (let step = 0; step < 5; step++) {
    await clock.sleep(1500);
    service.add("agent_message");
  }
  await clock.sleep(1500);
  service.change(message.id, { status: "completed" });
  service.set({ agent_status: "idle" });
}
