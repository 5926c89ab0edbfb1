import { fields } from "../../../wire/fields.ts";
import { orUnsupported } from "../../flows/session/act.ts";
import { openSession } from "../../flows/session/select.ts";
import { showChanged } from "../../output/show.ts";
import type { Verb } from "../../verb.ts";
import { sessionLines } from "./columns.ts";
import { fate, openMessages } from "./stopped.ts";

export const cancel: Verb = {
  name: "cancel",
  summary: "Stop what the agent is doing now; the session stays open",
  answer: fields.session,
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
