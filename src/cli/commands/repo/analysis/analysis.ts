import { FerryError } from "../../../../base/errors.ts";
import { oneLine, textOf } from "../../../../base/text.ts";
import { shellWord } from "../../../../base/words.ts";
import type { Client } from "../../../../client/client.ts";
import { connect } from "../../../flows/host/connect.ts";
import type { KnownRepository } from "../../../flows/place/repository.ts";
import type { Verb } from "../../../verb.ts";
import { repositoryGiven } from "../given.ts";
import { describeAnalysis, type KnownAnalysis } from "./describe.ts";

export const analysis: Verb = {
  name: "analysis",
  summary: "Show what a repository is made of, by its latest analysis",
  examples: ["ferry repo analysis", "ferry repo analysis acme/shop --jq .metadata.languages[]"],
  paged: true,
  define: (command) => void command.argument("[repository]", "id or owner/name"),
  async run(context, _, given?: string) {
    const connection = await connect(context);
    const repository = await repositoryGiven(context, connection, given);
    const found = await readAnalysis(connection.client, repository);
    if (context.global.json) await context.print.json(found, ["metadata", "components"]);
    else await context.print.data(await describeAnalysis(found, context.host));
  },
};

async function readAnalysis(client: Client, repository: KnownRepository): Promise<KnownAnalysis> {
  try {
    return await client.readAnalysis({ params: { id: repository.id } });
  } catch (error) {
    if (!(error instanceof FerryError)) throw error;
    if (error.status === 501 || error.status === 405)
      throw new FerryError("failure", "this service can't analyze repositories", { status: error.status, cause: error });
    if (error.status !== 404) throw error;
    // The repository was just read, so it is its analysis that is missing.
    const name = oneLine(textOf(repository.full_name) || repository.id);
    throw new FerryError("not_found", `${name} has no analysis yet${state(repository)}`, {
      status: 404,
      hint: `ferry repo analyze ${shellWord(name)} --wait`,
      cause: error,
    });
  }
}

function state({ analysis_status, analysis_error }: KnownRepository): string {
  if (analysis_error) return `: ${oneLine(textOf(analysis_error))}`;
  return analysis_status ? ` (${oneLine(textOf(analysis_status))})` : "";
}
