import { local } from "../../../auth/address.ts";
import { FerryError } from "../../../base/errors.ts";
import { oneLine, textOf } from "../../../base/text.ts";
import { readCliInfo } from "../../../client/capabilities.ts";
import type { Context } from "../../context.ts";
import { showPage } from "../../flows/browser.ts";
import { sessionArgument } from "../../flows/host/argument.ts";
import { type OpenSession, openSession } from "../../flows/session/select.ts";
import type { Verb } from "../../verb.ts";

export const open: Verb = {
  name: "open",
  summary: "Open a session's page in the portal",
  description: "Open a session's page in the portal. Without a browser here, and with --json, its address is only printed.",
  answer: ["session_id", "url"],
  examples: ["ferry session open", "ferry session open 4h2k"],
  define: (command) => void command.argument("[session]", "which one"),
  async run(context, _, given?: string) {
    const opened = await openSession(context, given);
    const url = await pageOf(context, opened);
    if (context.global.json) await context.print.json({ session_id: opened.session.id, url });
    else await showPage(context, oneLine(textOf(opened.session.title) || opened.session.id), url);
  },
};

/**
 * Where the portal is, the service says. It is a web address or nothing: whatever else a browser would open is not for it to name.
 * @throws FerryError failure where there is no such page
 */
async function pageOf(context: Context, { connection, session }: OpenSession): Promise<string> {
  const hint = `see it here: ferry events ${sessionArgument(context, session.id)}`;
  const info = connection.host === local ? undefined : await readCliInfo(connection.client.readCli);
  const portal = textOf(info?.portal_url);
  // The embedded service's portal is for logins and keys.
  if (info?.service?.name === "ferry" || !/^https?:\/\//iu.test(portal) || !URL.canParse(portal))
    throw new FerryError("failure", `${connection.name} has no page of a session`, { hint });
  return `${portal.replace(/\/+$/u, "")}/sessions/${encodeURIComponent(session.id)}`;
}
