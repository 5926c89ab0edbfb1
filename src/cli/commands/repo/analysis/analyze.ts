import { FerryError } from "../../../../base/errors.ts";
import { oneLine, textOf } from "../../../../base/text.ts";
import { shellWord } from "../../../../base/words.ts";
import { fields } from "../../../../wire/fields.ts";
import type { Context } from "../../../context.ts";
import { hostArgument } from "../../../flows/host/argument.ts";
import { connect } from "../../../flows/host/connect.ts";
import { orUnsupported } from "../../../flows/session/act.ts";
import { duration } from "../../../options.ts";
import type { Verb } from "../../../verb.ts";
import { waitForAnalysis, type Finished } from "./wait.ts";
import { repositoryGiven } from "../given.ts";

interface Options {
  readonly wait: boolean;
  /** In ms. */
  readonly timeout?: number;
}

export const analyze: Verb = {
  name: "analyze",
  summary: "Have the service find out what a repository is made of",
  answer: ({ wait }: Options) => (wait ? fields.repository : ["success", "message"]),
  description:
    "Have the service find out what a repository is made of; without a name the one of this working copy. With --wait: exit 0 when the analysis is there, 1 when it failed, 8 when the time ran out.",
  examples: ["ferry repo analyze", "ferry repo analyze acme/shop --wait --timeout 10m && ferry repo analysis acme/shop"],
  outlivesReaders: true,
  define(command) {
    command
      .argument("[repository]", "id or owner/name")
      .option("--wait", "until the analysis is there", false)
      .option("--timeout <duration>", "with --wait: give up after this long", duration);
  },
  async run(context, { wait, timeout }: Options, given?: string) {
    if (timeout !== undefined && !wait) throw new FerryError("usage", "--timeout is for --wait");
    const connection = await connect(context);
    const before = await repositoryGiven(context, connection, given);
    const name = oneLine(textOf(before.full_name) || before.id);
    const started = await orUnsupported(
      connection.client.analyzeRepository({ params: { id: before.id } }),
      "analyze repositories",
    );
    if (started?.success === false)
      throw new FerryError("failure", `${name} is not analyzed${started.message ? `: ${oneLine(textOf(started.message))}` : ""}`);
    if (!wait) return tellStarted(context, name, started ?? { success: true });
    const finished = await waitForAnalysis(context, connection.client, before, timeout);
    await tellEnd(context, name, finished);
  },
};

async function tellStarted(context: Context, name: string, answer: object): Promise<void> {
  const { print, global } = context;
  if (global.json) await print.json(answer, ["success", "message"]);
  else await print.note(`the analysis of ${name} has begun; ${wayToLook(context, name)}`);
}

async function tellEnd(context: Context, name: string, { repository, outcome }: Finished): Promise<void> {
  const { print, global } = context;
  if (global.json) await print.json(repository, fields.repository);
  if (outcome === "timeout")
    throw new FerryError("pending", `the analysis of ${name} goes on`, {
      code: outcome,
      hint: `look later: ferry repo view ${shellWord(name)}${hostArgument(context)}`,
    });
  if (outcome === "failed") {
    const why = oneLine(textOf(repository.analysis_error));
    throw new FerryError("failure", `the analysis of ${name} failed${why === "" ? "" : `: ${why}`}`, { code: outcome });
  }
  if (!global.json) await print.note(`the analysis of ${name} is there; ${wayToLook(context, name)}`);
}

function wayToLook(context: Context, name: string): string {
  return `look at it with: ferry repo analysis ${shellWord(name)}${hostArgument(context)}`;
}
