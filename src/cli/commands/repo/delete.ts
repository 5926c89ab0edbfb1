import { textOf } from "../../../base/text.ts";
import { fields } from "../../../wire/fields.ts";
import { connect } from "../../flows/host/connect.ts";
import { repositoryNamed } from "../../flows/place/repository.ts";
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
    const answer = await connection.client.deleteRepository({ params: { id: repository.id } });
    if (context.global.json) await context.print.json({ ...repository, ...answer }, fields.repository);
    else await context.print.note(`${name} is no longer in ${connection.name}`);
  },
};
