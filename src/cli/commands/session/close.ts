import { fields } from "../../../wire/fields.ts";
import { orUnsupported } from "../../flows/session/act.ts";
import { openSession } from "../../flows/session/select.ts";
import { showChanged } from "../../output/show.ts";
import type { Verb } from "../../verb.ts";
import { sessionLines } from "./columns.ts";

export const close: Verb = {
  name: "close",
  summary: "End a session: its sandbox goes, its commits stay",
  examples: ["ferry session close", "ferry session close --finished"],
  define: (command) =>
    void command.argument("[session]", "which one").option("--finished", "as finished and not only closed", false),
  async run(context, { finished }: { readonly finished: boolean }, given?: string) {
    const { connection, session } = await openSession(context, given);
    const outcome = finished ? ("finished" as const) : ("closed" as const);
    const already = session.status === outcome;
    const end = () => connection.client.closeSession({ params: { sessionId: session.id }, body: { outcome } });
    const changed = already ? session : { ...session, ...(await orUnsupported(end(), "end a session")) };
    await showChanged(context, changed, () => sessionLines(context.host, { connection, session: changed }), fields.session);
    if (already) await context.print.note(`already ${outcome}`);
  },
};
