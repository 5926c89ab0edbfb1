import { readList } from "../../../client/pages.ts";
import { fields } from "../../../wire/fields.ts";
import { connect } from "../../flows/host/connect.ts";
import { whileWaiting } from "../../flows/waiting.ts";
import { wholeNumber } from "../../options.ts";
import { showList } from "../../output/show.ts";
import type { Verb } from "../../verb.ts";
import { providerColumns } from "./columns.ts";

export const list: Verb = {
  name: "list",
  summary: "List the connected code providers",
  schema: fields.provider,
  examples: ["ferry provider list"],
  define: (command) => void command.option("--limit <number>", "at most so many", wholeNumber),
  async run(context, { limit }: { readonly limit?: number }) {
    const { client, name } = await connect(context);
    const listing = await whileWaiting(context, name, () => readList(client.listProviders, { limit }));
    await showList(context, listing, providerColumns, { known: fields.provider, many: "providers" });
  },
};
