import { count, cut } from "../../../base/text.ts";
import { isOpen } from "../../../client/outcome.ts";
import { fields } from "../../../wire/fields.ts";
import { orUnsupported } from "../../flows/session/act.ts";
import type { KnownEvent } from "../../flows/session/message.ts";
import { openSession } from "../../flows/session/select.ts";
import { showOne } from "../../output/show.ts";
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
    const params = { sessionId: session.id };
    const before = await connection.client.readEvents({ params });
    const call = connection.client.cancelSession({ params, body: { queued } });
    const changed = { ...session, ...(await orUnsupported(call, "stop a running turn")) };
    await showOne(context, changed, sessionLines(changed, context.host), fields.session);
    await context.print.note(fate(before, queued));
  },
};

/** What the cancel has met, by the timeline as it was before. */
function fate(before: readonly KnownEvent[], queued: boolean): string {
  const open = before.filter(({ type }) => type === "user_message").filter(isOpen);
  const running = open.find(({ status }) => status === "processing");
  const stopped =
    running === undefined ? "nothing was running" : `stopped: ${cut(fieldsOf(running, "user_message").word("message"), 60)}`;
  const waiting = open.filter((event) => event !== running).length;
  return queued && waiting > 0 ? `${stopped}; dropped: ${count(waiting, "message")} that waited` : stopped;
}
