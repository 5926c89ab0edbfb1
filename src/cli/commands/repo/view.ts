import { fields } from "../../../wire/fields.ts";
import { connect } from "../../flows/host/connect.ts";
import { findPlace } from "../../flows/place/place.ts";
import { repositoryHere, repositoryNamed } from "../../flows/place/repository.ts";
import { showOne } from "../../output/show.ts";
import type { Verb } from "../../verb.ts";
import { repositoryLines } from "./columns.ts";

export const view: Verb = {
  name: "view",
  summary: "Show a repository; without a name the one of this working copy",
  examples: ["ferry repo view", "ferry repo view acme/shop --json"],
  define: (command) => void command.argument("[repository]", "id or owner/name"),
  async run(context, _, given?: string) {
    const connection = await connect(context);
    const repository =
      given === undefined
        ? await repositoryHere(context, connection, await findPlace(context))
        : await repositoryNamed(connection, given);
    await showOne(context, repository, repositoryLines(repository, context.host), fields.repository);
  },
};
