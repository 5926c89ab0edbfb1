import { count, cut } from "../../../base/text.ts";
import { isOpen } from "../../../client/outcome.ts";
import { fields } from "../../../wire/fields.ts";
import type { Context } from "../../context.ts";
import { orUnsupported } from "../../flows/session/act.ts";
import type { KnownEvent } from "../../flows/session/arrival.ts";
import { openSession, type OpenSession } from "../../flows/session/select.ts";
import { timelineOf } from "../../flows/session/timeline.ts";
import { showChanged } from "../../output/show.ts";
import { fieldsOf } from "../../output/timeline/fields.ts";
import type { Verb } from "../../verb.ts";
import { sessionLines } from "./columns.ts";

export const cancel: Verb = {
  name: "cancel",
  summary: "Stop what the agent is doing now; the session stays open",
  examples: ["ferry session cancel", "ferry session cancel --queued"],
  define: (command) =>
    void command.argument("[session]", "which one").option("--queued", "and drop the messages that wait", false),
  async run(context, { queued }: { readonly queued: boolean }, given?: string) {
    const { connection, session } = await openSession(context, given);
    const before = await openMessages(context, { connection, session });
    const call = connection.client.cancelSession({ params: { sessionId: session.id }, body: { queued } });
    const changed = { ...session, ...(await orUnsupported(call, "stop a running turn")) };
    await showChanged(context, changed, () => sessionLines(context.host, { connection, session: changed }), fields.session);
    await context.print.note(fate(before, queued));
  },
};

/** The messages that wait or are being worked on, in order; the timeline may be of any length. */
async function openMessages(context: Context, open: OpenSession): Promise<KnownEvent[]> {
  // By id, since what was cut off is read again.
  const messages = new Map<string, KnownEvent>();
  for await (const events of timelineOf(context, open))
    for (const event of events)
      if (event.type === "user_message" && isOpen(event)) messages.set(event.id, event);
      else messages.delete(event.id);
  return [...messages.values()];
}

/** What the cancel has met, by the messages that were open before. */
function fate(open: readonly KnownEvent[], queued: boolean): string {
  const running = open.find(({ status }) => status === "processing");
  const stopped =
    running === undefined ? "nothing was running" : `stopped: ${cut(fieldsOf(running, "user_message").word("message"), 60)}`;
  const waiting = open.filter((event) => event !== running).length;
  return queued && waiting > 0 ? `${stopped}; dropped: ${count(waiting, "message")} that waited` : stopped;
}
