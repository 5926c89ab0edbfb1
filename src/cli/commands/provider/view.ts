import { fields } from "../../../wire/fields.ts";
import { connect } from "../../flows/host/connect.ts";
import { findProvider } from "../../flows/provider.ts";
import { showOne } from "../../output/show.ts";
import type { Verb } from "../../verb.ts";
import { providerLines } from "./columns.ts";

export const view: Verb = {
  name: "view",
  summary: "Show a code provider",
  schema: fields.provider,
  examples: ["ferry provider view prv_…"],
  define: (command) => void command.argument("<provider>", "id or name"),
  async run(context, _, given: string) {
    const provider = await findProvider(await connect(context), given);
    await showOne(context, provider, providerLines(provider, context.host), fields.provider);
  },
};
