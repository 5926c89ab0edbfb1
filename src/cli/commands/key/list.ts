import { readList } from "../../../client/pages.ts";
import { fields } from "../../../wire/fields.ts";
import { whileWaiting } from "../../flows/waiting.ts";
import { wholeNumber } from "../../options.ts";
import { showList } from "../../output/show.ts";
import type { Verb } from "../../verb.ts";
import { keyColumns } from "./columns.ts";
import { connectForKeys } from "./connect.ts";

export const list: Verb = {
  name: "list",
  summary: "List the workspace's API keys, the ended ones too",
  schema: fields.apiKey,
  examples: ["ferry key list", "ferry key list --json --fields id,name,scopes"],
  define: (command) => void command.option("--limit <number>", "at most so many", wholeNumber),
  async run(context, { limit }: { readonly limit?: number }) {
    const { client, name } = await connectForKeys(context);
    const listing = await whileWaiting(context, name, () => readList(client.listKeys, { limit }));
    await showList(context, listing, keyColumns(context.host.clock.now(), listing.items), { known: fields.apiKey, many: "keys" });
  },
};
