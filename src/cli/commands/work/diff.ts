import { Option } from "commander";
import type { Preview } from "../../../patch/preview/preview.ts";
import { previewFiles } from "../../../patch/preview/files.ts";
import { notesOf, PullRefused, type Verdict } from "../../../patch/verdict.ts";
import type { Context } from "../../context.ts";
import { sessionArgument } from "../../flows/host/argument.ts";
import { findLinked } from "../../flows/place/link.ts";
import { checkRepository, previewPull } from "../../flows/pull.ts";
import { addExclude, shapeOf } from "../../flows/pull/shape.ts";
import { leftBehindError } from "../../flows/pull/left-behind.ts";
import { tellLeftThere } from "../../flows/pull/left-there.ts";
import { openSession } from "../../flows/session/select.ts";
import { Pile } from "../../output/diff/pile.ts";
import type { Verb } from "../../verb.ts";

interface Options {
  readonly stat: boolean;
  readonly nameOnly: boolean;
  readonly branch?: string;
  readonly acceptRewrite: boolean;
  readonly uncommitted: boolean;
  readonly allowSymlinks: boolean;
  readonly exclude?: readonly string[];
}

export const diff: Verb = {
  name: "diff",
  summary: "Show what a pull would change in this working copy",
  description:
    "Show what a pull would change in this working copy, as one diff from the branch as it is to the branch as it would be; nothing is written. On a terminal it is coloured, harmless, and read in a pager. In a pipe it is exact, binary files included: ferry diff | git apply.",
  examples: [
    "ferry diff",
    "ferry diff --stat",
    "ferry diff 4h2k --name-only",
    "ferry diff --exclude '*.lock'",
    "ferry diff --json --jq '.files[].path'",
  ],
  answer: ["base", "tip", "engine", "exactness", "commits", "files", "blocked_by", "notices"],
  paged: true,
  define(command) {
    command
      .argument("[session]", "which one")
      .addOption(new Option("--stat", "how much changes in which file").default(false).conflicts("nameOnly"))
      .option("--name-only", "only the names of the files", false)
      .option("--branch <name>", "what a pull to this branch would change")
      .option("--uncommitted", "with what the sandbox has not committed", false)
      .option("--accept-rewrite", "with a history that the sandbox rewrote", false)
      .option("--allow-symlinks", "with links that leave the repository", false);
    addExclude(command);
  },
  async run(context, options: Options, given?: string) {
    const open = await openSession(context, given, await findLinked(context));
    if (given !== undefined) await checkRepository(context, open);
    const shown = new Pile(context.print);
    const verdict = await previewPull(context, open, { ...options, shape: shapeOf(options) }, async (preview) => {
      await tell(context, preview.verdict);
      if (context.global.json) await printJson(context, preview.verdict, await previewFiles(preview));
      else await shown.take(await render(context, preview, options));
    }).catch((error: unknown) => {
      throw error instanceof PullRefused && error.code === "conflict"
        ? unshown(error, sessionArgument(context, open.session.id))
        : error;
    });
    await shown.print();
    if (verdict.commits.length === 0 && verdict.uncommitted === undefined) {
      await tell(context, verdict);
      if (context.global.json) await printJson(context, verdict, []);
      else await context.print.note("nothing new");
      if (!options.uncommitted) await tellLeftThere(context, open);
    }
    const left = leftBehindError(verdict.left_behind, open);
    if (left !== undefined && !options.uncommitted) throw left;
    if (left !== undefined) await context.print.warn(left.message);
  },
};

/** No difference can be shown where a pull would stop; the commits themselves can. */
function unshown({ kind, message, code, details, verdict, cause }: PullRefused, session: string): PullRefused {
  const hint = `the commits as they are: ferry patch ${session}; a pull can stop at it: ferry pull --park, or --here`;
  return new PullRefused(kind, message, { code, verdict, details, cause, hint });
}

/** Before the diff, which may open a pager. */
async function tell({ print, global }: Context, verdict: Verdict): Promise<void> {
  if (global.json) return;
  for (const notice of notesOf(verdict)) await print.note(`note: ${notice}`);
  for (const line of verdict.blocked_by) await print.note(`in the way of the pull: ${line}`);
}

async function printJson(
  { print }: Context,
  { base, tip, engine, exactness, commits, blocked_by, notices }: Verdict,
  files: Awaited<ReturnType<typeof previewFiles>>,
): Promise<void> {
  await print.json({ base, tip, engine, exactness, commits, files, blocked_by, notices });
}

/** What git makes of it; on a terminal with names that can be read, harmless and in colour. */
async function render(
  { host }: Context,
  { diff }: Preview,
  { stat, nameOnly }: Options,
): Promise<AsyncIterable<string | Uint8Array>> {
  const { isTTY, color, columns } = host.terminal.stdout;
  if (!isTTY) return diff(nameOnly ? ["--name-only"] : stat ? ["-M", "--stat"] : ["-M", "-p", "--binary", "--full-index"]);
  const { makeStyle } = await import("../../output/style.ts");
  const { paintDiff, paintLines, paintStat } = await import("../../output/diff/paint.ts");
  const style = makeStyle(color);
  const readable = { "core.quotePath": "false" };
  if (nameOnly) return paintLines(diff(["--name-only"], readable), (line) => line);
  if (stat) return paintLines(diff(["-M", `--stat=${columns}`], readable), (line) => paintStat(line, style));
  return paintDiff(diff(["-M", "-p"], readable), style);
}
