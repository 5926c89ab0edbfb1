import { FerryError } from "../../../base/errors.ts";
import { fields } from "../../../wire/fields.ts";
import { connect } from "../../flows/host/connect.ts";
import { showChanged } from "../../output/show.ts";
import type { Verb } from "../../verb.ts";
import { repositoryLines } from "./columns.ts";
import { repositoryGiven } from "./given.ts";

interface Options {
  readonly enable: boolean;
  readonly disable: boolean;
}

export const edit: Verb = {
  name: "edit",
  summary: "Let agents use a repository, or no longer; without a name the one of this working copy",
  answer: fields.repository,
  examples: ["ferry repo edit --disable", "ferry repo edit acme/shop --disable"],
  define(command) {
    command
      .argument("[repository]", "id or owner/name")
      .option("--enable", "agents may use it", false)
      .option("--disable", "agents may not use it", false);
  },
  async run(context, { enable, disable }: Options, given?: string) {
    if (enable === disable)
      throw new FerryError("usage", enable ? "give one of --enable and --disable, not both" : "give --enable or --disable");
    const connection = await connect(context);
    const repository = await repositoryGiven(context, connection, given);
    const answer = await connection.client.updateRepository({ params: { id: repository.id }, body: { enabled: enable } });
    const changed = { ...repository, ...answer };
    await showChanged(context, changed, repositoryLines(changed, context.host), fields.repository);
  },
};
