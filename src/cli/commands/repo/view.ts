import { fields } from "../../../wire/fields.ts";
import { connect } from "../../flows/host/connect.ts";
import { showOne } from "../../output/show.ts";
import type { Verb } from "../../verb.ts";
import { repositoryLines } from "./columns.ts";
import { repositoryGiven } from "./given.ts";

export const view: Verb = {
  name: "view",
  summary: "Show a repository; without a name the one of this working copy",
  examples: ["ferry repo view", "ferry repo view acme/shop --json"],
  define: (command) => void command.argument("[repository]", "id or owner/name"),
  async run(context, _, given?: string) {
    const repository = await repositoryGiven(context, await connect(context), given);
    await showOne(context, repository, repositoryLines(repository, context.host), fields.repository);
  },
};
