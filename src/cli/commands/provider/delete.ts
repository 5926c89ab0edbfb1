import { textOf } from "../../../base/text.ts";
import { shellWord } from "../../../base/words.ts";
import { listAll } from "../../../client/pages.ts";
import { fields } from "../../../wire/fields.ts";
import { connect, type Connection } from "../../flows/host/connect.ts";
import { namingUsers, type Users } from "../../flows/in-use.ts";
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
    const answer = await connection.client
      .deleteProvider({ params: { providerId: provider.id } })
      .catch(async (error: unknown) => {
        throw await namingUsers(error, () => repositoriesOver(connection, provider.id));
      });
    if (context.global.json) await context.print.json({ ...provider, ...answer }, fields.provider);
    else await context.print.note(`${name} is no longer connected`);
  },
};

async function repositoriesOver({ client, argument }: Connection, providerId: string): Promise<Users> {
  const all = (await listAll(client.listRepositories)).filter(({ code_provider_id }) => code_provider_id === providerId);
  return {
    rows: all.map(({ id, full_name }) => `${id}\t${textOf(full_name) || "–"}`),
    command: `ferry repo delete ${shellWord(textOf(all[0]?.full_name) || (all[0]?.id ?? ""))}${argument}`,
    list: `ferry repo list${argument}`,
  };
}
