import { Option } from "commander";
import { FerryError } from "../../../base/errors.ts";
import { count } from "../../../base/text.ts";
import { isAtWork } from "../../../client/outcome.ts";
import { type SourceName, sourceNames } from "../../../patch/source.ts";
import { PullRefused, type Verdict, type VerdictCommit } from "../../../patch/verdict.ts";
import type { Context } from "../../context.ts";
import { findPlace } from "../../flows/place/place.ts";
import { checkRepository, pullSession, summary, undoPull } from "../../flows/pull.ts";
import { openSession, type OpenSession } from "../../flows/session/select.ts";
import { table, type Column } from "../../output/table.ts";
import type { Verb } from "../../verb.ts";

interface Options {
  readonly dryRun: boolean;
  readonly branch?: string;
  readonly acceptRewrite: boolean;
  readonly source: "auto" | SourceName;
  readonly undo: boolean;
}

export const pull: Verb = {
  name: "pull",
  summary: "Bring a session's commits into this working copy",
  description:
    "Bring a session's commits into this working copy, as commits, by git am. They are tried out in a repository of their own first: where one doesn't fit, nothing here changes.",
  examples: [
    "ferry pull",
    "ferry pull --dry-run --json",
    "ferry pull 4h2k --branch review",
    "ferry pull --source branch",
    "ferry pull --undo",
  ],
  outlivesReaders: true,
  define: (command) =>
    void command
      .argument("[session]", "which one")
      .option("--dry-run", "say what would come, and change nothing", false)
      .option("--branch <name>", "land on this branch, made at the session's base, and leave the checkout alone")
      .option("--accept-rewrite", "take a history that the sandbox rewrote", false)
      .addOption(
        new Option("--source <where>", "where the commits come from: the service's patches, the session's branch on a git remote")
          .choices(["auto", ...sourceNames])
          .default("auto"),
      )
      .option("--undo", "take the last pull to this branch back", false),
  async run(context, { undo, ...options }: Options, given?: string) {
    const place = await findPlace(context);
    const open = await openSession(context, given);
    if (undo) {
      await takeBack(context, open, options);
      return;
    }
    if (given !== undefined) await checkRepository(context, open);
    try {
      const verdict = await pullSession(context, open, { ...options, acceptDeletion: context.global.yes });
      const unfinished = verdict.commits.length === 0 && isAtWork(open.session);
      await show(context, verdict, unfinished ? "nothing new yet: the agent is still working" : summary(verdict, place, options));
    } catch (error) {
      if (error instanceof PullRefused) await show(context, error.verdict, undefined);
      throw error;
    }
  },
};

async function takeBack(context: Context, open: OpenSession, options: Omit<Options, "undo">): Promise<void> {
  if (options.dryRun || options.branch !== undefined || options.acceptRewrite || options.source !== "auto")
    throw new FerryError("usage", "--undo takes no other option", {
      hint: "it takes the last pull to the branch that is checked out back",
    });
  const { from, to, files } = await undoPull(context, open);
  if (context.global.json) await context.print.json({ from, to, files });
  else
    await context.print.note(
      `back from ${from.slice(0, 12)} to ${to.slice(0, 12)} (${count(files, "file")}); ferry pull brings it again`,
    );
}

const columns: readonly Column<VerdictCommit>[] = [
  { header: "#", value: ({ sequence }) => String(sequence) },
  { header: "COMMIT", value: ({ applied_as }) => applied_as.slice(0, 12) },
  { header: "SUBJECT", value: ({ subject }) => subject },
];

/** `last` is what came of it; undefined where nothing did. */
async function show({ print, global, host }: Context, verdict: Verdict, last: string | undefined): Promise<void> {
  if (global.json) {
    await print.json(verdict);
    return;
  }
  if (last !== undefined) await print.data(await table(verdict.commits, columns, host.terminal.stdout));
  for (const notice of verdict.notices) await print.note(`note: ${notice}`);
  if (last !== undefined) await print.note(last);
}
