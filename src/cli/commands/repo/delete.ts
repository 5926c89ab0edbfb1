import { typedId } from "../../../base/ids.ts";
import { textOf } from "../../../base/text.ts";
import { shellWord } from "../../../base/words.ts";
import { listAll } from "../../../client/pages.ts";
import { fields } from "../../../wire/fields.ts";
import { connect, type Connection } from "../../flows/host/connect.ts";
import { namingUsers, type Users } from "../../flows/in-use.ts";
import { type KnownRepository, repositoryNamed } from "../../flows/place/repository.ts";
import { candidate } from "../../flows/session/candidates.ts";
import { confirmByName } from "../../flows/text.ts";
import type { Verb } from "../../verb.ts";

export const remove: Verb = {
  name: "delete",
  summary: "Take a repository out of the service; the repository itself stays",
  answer: fields.repository,
  examples: ["ferry repo delete acme/shop --yes"],
  define: (command) => void command.argument("<repository>", "id or owner/name"),
  async run(context, _, given: string) {
    const connection = await connect(context);
    const repository = await repositoryNamed(connection, given);
    const name = textOf(repository.full_name) || repository.id;
    await confirmByName(context, `Take ${name} out of ${connection.name}?`, name);
    const answer = await connection.client.deleteRepository({ params: { id: repository.id } }).catch(async (error: unknown) => {
      throw await namingUsers(error, () => sessionsOf(connection, repository));
    });
    if (context.global.json) await context.print.json({ ...repository, ...answer }, fields.repository);
    else await context.print.note(`${name} is no longer in ${connection.name}`);
  },
};

async function sessionsOf({ client, argument }: Connection, { id, full_name }: KnownRepository): Promise<Users> {
  const all = await listAll(client.listSessions);
  const open = all.filter(({ status, repository_id }) => status === "active" && repository_id === id);
  return {
    rows: open.map((session) => candidate(session)),
    command: `ferry session close ${typedId(open[0]?.id ?? "")}${argument}`,
    list: `ferry session list --status active --repo ${shellWord(textOf(full_name) || id)}${argument}`,
  };
}
