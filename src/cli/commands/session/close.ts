import { fields } from "../../../wire/fields.ts";
import { orUnsupported } from "../../flows/session/act.ts";
import { repositoryNames } from "../../flows/session/repositories.ts";
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
    // `-` closes a session that its user may not have thought of.
    const names =
      context.global.json || context.global.quiet ? new Map<string, string>() : await repositoryNames(connection, [session]);
    const lines = sessionLines(changed, context.host).map(([name, value]): [string, string | null | undefined] =>
      name === "repository" ? [name, names.get(value ?? "") ?? value] : [name, value],
    );
    await showChanged(context, changed, lines, fields.session);
    if (already) await context.print.note(`already ${outcome}`);
  },
};
