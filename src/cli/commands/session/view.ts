import { fields } from "../../../wire/fields.ts";
import { openSession } from "../../flows/session/select.ts";
import { whileWaiting } from "../../flows/waiting.ts";
import { showOne } from "../../output/show.ts";
import type { Verb } from "../../verb.ts";
import { sessionLines } from "./columns.ts";

export const view: Verb = {
  name: "view",
  summary: "Show a session",
  schema: fields.session,
  examples: ["ferry session view", "ferry session view - --json"],
  define: (command) => void command.argument("[session]", "which one"),
  async run(context, _, given?: string) {
    const open = await openSession(context, given);
    await showOne(
      context,
      open.session,
      () => whileWaiting(context, open.connection.name, () => sessionLines(context.host, open)),
      fields.session,
    );
  },
};
