import { readList } from "../../../client/pages.ts";
import { fields } from "../../../wire/fields.ts";
import { connect } from "../../flows/host/connect.ts";
import { whileWaiting } from "../../flows/waiting.ts";
import { wholeNumber } from "../../options.ts";
import { showList } from "../../output/show.ts";
import type { Verb } from "../../verb.ts";
import { repositoryColumns } from "./columns.ts";

export const list: Verb = {
  name: "list",
  summary: "List the repositories that the service knows",
  schema: fields.repository,
  examples: ["ferry repo list", "ferry repo list --json --fields id,full_name"],
  define: (command) => void command.option("--limit <number>", "at most so many", wholeNumber),
  async run(context, { limit }: { readonly limit?: number }) {
    const { client, name } = await connect(context);
    const listing = await whileWaiting(context, name, () => readList(client.listRepositories, { limit }));
    await showList(context, listing, repositoryColumns, { known: fields.repository, many: "repositories" });
  },
};
