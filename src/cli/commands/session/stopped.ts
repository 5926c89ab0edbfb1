import { count, cut } from "../../../base/text.ts";
import { isOpen } from "../../../client/outcome.ts";
import type { Context } from "../../context.ts";
import type { KnownEvent } from "../../flows/session/arrival.ts";
import type { OpenSession } from "../../flows/session/select.ts";
import { messagesOf } from "../../flows/session/timeline.ts";
import { fieldsOf } from "../../output/timeline/fields.ts";

/** The messages that wait or are being worked on, in order. */
export async function openMessages(context: Context, open: OpenSession): Promise<KnownEvent[]> {
  // By id, since what was cut off is read again.
  const messages = new Map<string, KnownEvent>();
  for await (const events of messagesOf(context, open))
    for (const event of events)
      if (event.type === "user_message" && isOpen(event)) messages.set(event.id, event);
      else messages.delete(event.id);
  return [...messages.values()];
}

/** What a cancel or a close has met, by the messages that were open before; `queued`: those that waited went, too. */
export function fate(open: readonly KnownEvent[], queued: boolean): string {
  const running = open.find(({ status }) => status === "processing");
  const stopped =
    running === undefined ? "nothing was running" : `stopped: ${cut(fieldsOf(running, "user_message").word("message"), 60)}`;
  const waiting = open.filter((event) => event !== running).length;
  return queued && waiting > 0 ? `${stopped}; dropped: ${count(waiting, "message")} that waited` : stopped;
}
