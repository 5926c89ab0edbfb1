import { fields } from "../../../wire/fields.ts";
import { writeLink } from "../../flows/place/link.ts";
import { findPlace } from "../../flows/place/place.ts";
import { openSession } from "../../flows/session/select.ts";
import type { Verb } from "../../verb.ts";

export const link: Verb = {
  name: "link",
  summary: "Link the current branch to a session",
  answer: fields.session,
  examples: ["ferry session link 4h2k", "ferry session link -"],
  define: (command) => void command.argument("<session>", "which one"),
  async run(context, _, given: string) {
    const place = await findPlace(context);
    const { connection, session } = await openSession(context, given);
    await writeLink(context, place, { session: session.id, host: connection.host });
    await context.print.note(`${place.branch ?? "this detached HEAD"} is linked to ${session.id} on ${connection.name}`);
    if (context.global.json) await context.print.json(session, fields.session);
  },
};
