import { fields } from "../../../wire/fields.ts";
import { connect } from "../../flows/host/connect.ts";
import { showOne } from "../../output/show.ts";
import type { Verb } from "../../verb.ts";
import { analysisLines, repositoryLines } from "./columns.ts";
import { repositoryGiven } from "./given.ts";

export const view: Verb = {
  name: "view",
  summary: "Show a repository; without a name the one of this working copy",
  schema: fields.repository,
  examples: ["ferry repo view", "ferry repo view acme/shop --json"],
  define: (command) => void command.argument("[repository]", "id or owner/name"),
  async run(context, _, given?: string) {
    const repository = await repositoryGiven(context, await connect(context), given);
    const lines = [...repositoryLines(repository, context.host), ...analysisLines(repository)];
    await showOne(context, repository, lines, fields.repository);
  },
};
