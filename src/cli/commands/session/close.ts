import { FerryError } from "../../../base/errors.ts";
import { isAtWork } from "../../../client/outcome.ts";
import { fields } from "../../../wire/fields.ts";
import type { Context } from "../../context.ts";
import { leftBehindError } from "../../flows/pull/left-behind.ts";
import { readLeftBehind } from "../../flows/pull/left-there.ts";
import { orUnsupported } from "../../flows/session/act.ts";
import { openSession, type OpenSession } from "../../flows/session/select.ts";
import { confirm } from "../../flows/text.ts";
import { showChanged } from "../../output/show.ts";
import type { Verb } from "../../verb.ts";
import { sessionLines } from "./columns.ts";
import { fate, openMessages } from "./stopped.ts";

export const close: Verb = {
  name: "close",
  summary: "End a session: its sandbox goes, its commits stay",
  answer: fields.session,
  description:
    "End a session: its sandbox goes, its commits stay, and a pull still brings them. A turn at work is stopped, and said; on a terminal that is asked first. Commits of the sandbox that no pull can bring would go with it: then this asks, and is refused without a terminal, unless --yes is given.",
  examples: ["ferry session close", "ferry session close --finished"],
  define: (command) =>
    void command.argument("[session]", "which one").option("--finished", "as finished and not only closed", false),
  async run(context, { finished }: { readonly finished: boolean }, given?: string) {
    const { connection, session } = await openSession(context, given);
    const outcome = finished ? ("finished" as const) : ("closed" as const);
    const already = session.status === outcome;
    const open = { connection, session };
    const isWorking = isAtWork(session) || session.agent_status === "waiting_for_user";
    const before = already || !isWorking ? [] : await openMessages(context, open);
    if (!already) await askFirst(context, open, before.length > 0);
    const end = () => connection.client.closeSession({ params: { sessionId: session.id }, body: { outcome } });
    const changed = already ? session : { ...session, ...(await orUnsupported(end(), "end a session")) };
    await showChanged(context, changed, () => sessionLines(context.host, { connection, session: changed }), fields.session);
    if (already) await context.print.note(`already ${outcome}`);
    if (before.length > 0) await context.print.note(fate(before, true));
  },
};

/** @throws FerryError attention where commits would be lost and nobody can be asked, interrupted where the answer is no */
async function askFirst(context: Context, open: OpenSession, isWorking: boolean): Promise<void> {
  const { global, interactive, print } = context;
  if (global.yes) return;
  const left = leftBehindError(await readLeftBehind(context, open), open);
  if (left !== undefined && !interactive)
    throw new FerryError("attention", `${left.message}, and would go with it`, {
      code: left.code,
      hint: `${left.hint ?? ""}; or close it all the same with --yes`,
    });
  if (left !== undefined) await print.warn(left.message);
  if (left !== undefined || (isWorking && interactive))
    await confirm(
      context,
      isWorking ? "The agent is at work. Close the session all the same?" : "Close the session all the same?",
    );
}
