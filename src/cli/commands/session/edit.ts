import { FerryError } from "../../../base/errors.ts";
import { fields } from "../../../wire/fields.ts";
import { checkBranchName } from "../../flows/place/branch-name.ts";
import { openSession } from "../../flows/session/select.ts";
import { showChanged } from "../../output/show.ts";
import type { Verb } from "../../verb.ts";
import { sessionLines } from "./columns.ts";

interface Options {
  readonly branch?: string;
  readonly autoCommit?: boolean;
  readonly model?: string;
}

export const edit: Verb = {
  name: "edit",
  summary: "Change a session's branch, auto-commit or model",
  answer: fields.session,
  examples: ["ferry session edit --no-auto-commit", "ferry session edit 4h2k --branch fix/login"],
  define(command) {
    command
      .argument("[session]", "which one")
      .option("--branch <name>", "the branch that it works on")
      .option("--auto-commit", "commit after each turn")
      .option("--no-auto-commit", "leave committing to the agent")
      .option("--model <code>", "the language model, or the agent");
  },
  async run(context, { branch, autoCommit, model }: Options, given?: string) {
    const body = {
      ...(branch === undefined ? {} : { branch_name: branch }),
      ...(autoCommit === undefined ? {} : { auto_commit: autoCommit }),
      ...(model === undefined ? {} : { model }),
    };
    if (Object.keys(body).length === 0)
      throw new FerryError("usage", "nothing to change", { hint: "give --branch, --auto-commit, --no-auto-commit or --model" });
    await checkBranchName(context, branch);
    const { connection, session } = await openSession(context, given);
    const answer = await connection.client.updateSession({ params: { sessionId: session.id }, body });
    const changed = { ...session, ...answer };
    await showChanged(context, changed, () => sessionLines(context.host, { connection, session: changed }), fields.session);
  },
};
