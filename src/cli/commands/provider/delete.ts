import { textOf } from "../../../base/text.ts";
import { fields } from "../../../wire/fields.ts";
import { connect } from "../../flows/host/connect.ts";
import { findProvider } from "../../flows/provider.ts";
import { confirmByName } from "../../flows/text.ts";
import type { Verb } from "../../verb.ts";

export const remove: Verb = {
  name: "delete",
  summary: "Disconnect a code provider; its stored token goes",
  answer: fields.provider,
  examples: ["ferry provider delete work --yes"],
  define: (command) => void command.argument("<provider>", "id or name"),
  async run(context, _, given: string) {
    const connection = await connect(context);
    const provider = await findProvider(connection, given);
    const name = textOf(provider.name) || provider.id;
    await confirmByName(context, `Disconnect ${name} from ${connection.name}?`, name);
    const answer = await connection.client.deleteProvider({ params: { providerId: provider.id } });
    if (context.global.json) await context.print.json({ ...provider, ...answer }, fields.provider);
    else await context.print.note(`${name} is no longer connected`);
  },
};
