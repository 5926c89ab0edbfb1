import { Option } from "commander";
import { count, oneLine } from "../../../base/text.ts";
import { isAtWork } from "../../../client/outcome.ts";
import { type SourceName, sourceNames } from "../../../patch/source.ts";
import { PullRefused, verdictFields } from "../../../patch/verdict.ts";
import type { Context } from "../../context.ts";
import { findLinked } from "../../flows/place/link.ts";
import { checkRepository, undoPull } from "../../flows/pull.ts";
import { addShapeOptions, shapeOf, type ShapeOptions, shapeOptions } from "../../flows/pull/shape.ts";
import { watchPulls } from "../../flows/pull/watch.ts";
import { leftBehindError } from "../../flows/pull/left-behind.ts";
import { tellLeftThere } from "../../flows/pull/left-there.ts";
import { openSession, type OpenSession } from "../../flows/session/select.ts";
import type { Verb } from "../../verb.ts";
import { bring, bringStill } from "./bring.ts";
import { addParkOptions, endParked, type ParkOptions } from "./parked.ts";
import { showRefused, showVerdict } from "./verdict.ts";

interface Options extends ParkOptions, ShapeOptions {
  readonly dryRun: boolean;
  readonly branch?: string;
  readonly acceptRewrite: boolean;
  readonly ontoHead: boolean;
  readonly source: "auto" | SourceName;
  readonly uncommitted: boolean;
  readonly undo: boolean;
  readonly worktree?: string;
  readonly watch: boolean;
}

const undoFields = ["from", "to", "files"];

export const pull: Verb = {
  name: "pull",
  summary: "Bring a session's commits into this working copy",
  answer: ({ undo }: Options) => (undo ? undoFields : verdictFields),
  description:
    "Bring a session's commits into this working copy, as commits, by git am. They are tried out in a repository of their own first: where one doesn't fit, nothing here changes.\n\nWith --park it is left in a linked worktree instead (its path is told), markers and all, the commits before it already there: resolve it, git add, and --continue brings the rest and lands all of it here; --skip leaves that commit out, --abort gives the pull up. The three work from there and from here, and need no service.\n\nWith --here what fits lands, and that commit stands in this working copy as git leaves any cherry-pick: end it as git says, and the next pull goes on behind it. After git cherry-pick --abort (or --skip) it comes again, unless ferry pull --skip leaves it out.\n\nWith --watch each pull that brings something is a line (with --json its verdict), onto the branch that was checked out at the start. What passes by itself is waited for; where a person is needed (a commit that doesn't fit, local work in the way) it ends with exit 3, and changes nothing. The session's end is exit 0, Ctrl-C 130.\n\nWith --exclude the commits come without what they do to these paths, and one of which nothing is left doesn't come; a file that was moved there is removed here. A later pull brings only what comes after: give the flag again then, or a commit that changes these paths conflicts. In the verdict of --json a commit of which nothing is left, also because it is here already, has applied_as null, and applied is false where that is so for all.\n\nWith --signoff, --trailer and --reset-author they are commits of yours, with other ids and without signatures: as git commit makes them, by your trailer.* settings but for the commands among those, which aren't run.",
  examples: [
    "ferry pull",
    "ferry pull --dry-run --json",
    "ferry pull 4h2k --branch review",
    "ferry pull --worktree ../review",
    "ferry pull --source branch",
    "ferry pull --onto-head",
    "ferry pull --autostash",
    "ferry pull --allow-symlinks",
    "ferry pull --park",
    "ferry pull --continue",
    "ferry pull --uncommitted",
    "ferry pull --exclude dist --exclude '*.lock'",
    "ferry pull --signoff --trailer 'Reviewed-by: Ada <ada@x.example>'",
    "ferry pull --watch",
    "ferry pull --undo",
  ],
  outlivesReaders: true,
  define(command) {
    command
      .argument("[session]", "which one")
      .option("--dry-run", "say what would come, and change nothing", false)
      .option("--branch <name>", "land on this branch, made at the session's base, and leave the checkout alone")
      .option("--worktree <dir>", "land in this linked worktree, made on --branch or the session's branch where there is none")
      .option("--accept-rewrite", "take a history that the sandbox rewrote", false)
      .addOption(
        new Option(
          "--onto-head",
          "where the commit that they follow can't be had, put them on HEAD by git am --3way (approximate: other ids, a person should look)",
        )
          .default(false)
          .conflicts(["park", "here", "uncommitted"]),
      )
      .addOption(
        new Option(
          "--source <where>",
          "where the commits come from: the service's patches, the session's branch on a git remote, or the diffs of its timeline (approximate); auto takes the first that there is, and stays with it",
        )
          .choices(["auto", ...sourceNames])
          .default("auto"),
      )
      .option("--allow-symlinks", "let links through that leave the repository (never into .git)", false)
      .option("--uncommitted", "also what the sandbox has not committed, as unstaged changes", false)
      .addOption(
        new Option("--undo", "take the last pull to this branch (or to --branch) back")
          .default(false)
          .conflicts([
            "worktree",
            "acceptRewrite",
            "ontoHead",
            "park",
            "here",
            "autostash",
            "source",
            "uncommitted",
            "allowSymlinks",
            ...shapeOptions,
          ]),
      )
      .addOption(
        new Option("--watch", "keep pulling as commits appear, until the session ends")
          .default(false)
          .conflicts(["dryRun", "undo", "continue", "skip", "abort"]),
      );
    addParkOptions(command);
    addShapeOptions(command);
  },
  async run(context, { undo, watch, ...options }: Options, given?: string) {
    if (await endParked(context, options, given)) return;
    // Loaded while git looks.
    const [here] = await Promise.all([findLinked(context), import("../../../patch/pull.ts")]);
    const open = await openSession(context, given, here);
    const { place } = here;
    if (undo) {
      await takeBack(context, open, options);
      return;
    }
    if (given !== undefined) await checkRepository(context, open);
    const onConflict = options.park ? "park" : options.here ? "here" : "refuse";
    const wanted = { ...options, onConflict, acceptDeletion: context.global.yes, shape: shapeOf(options) } as const;
    if (watch) {
      await watchPulls(context, open, (now) => bringStill(context, now, place, wanted));
      return;
    }
    try {
      const isOurs = open.isOurs ?? here.link?.session === open.session.id;
      const { verdict, said } = await bring(context, { ...open, isOurs }, place, wanted);
      // A notice says it of the timeline.
      const mayCome = isAtWork(open.session) && verdict.source !== "events";
      const unfinished = options.worktree === undefined && verdict.commits.length === 0 && !verdict.applied && mayCome;
      await showVerdict(context, verdict, unfinished ? "nothing new yet: the agent is still working" : said);
      if (verdict.commits.length === 0 && verdict.uncommitted === undefined && !options.uncommitted)
        await tellLeftThere(context, open);
      const left = leftBehindError(verdict.left_behind, open);
      // With --uncommitted the files came, if not the commits.
      if (left !== undefined && !options.uncommitted) throw left;
      if (left !== undefined) await context.print.warn(left.message);
    } catch (error) {
      if (error instanceof PullRefused) await showRefused(context, error);
      throw error;
    }
  },
};

async function takeBack(context: Context, open: OpenSession, options: Pick<Options, "dryRun" | "branch">): Promise<void> {
  const { dryRun, branch } = options;
  const { from, to, files, made } = await undoPull(context, open, { dryRun, branch });
  if (context.global.json) {
    await context.print.json({ from, to, files });
    return;
  }
  if (from === to && files === 0) {
    const again = "no file changes, and its commits";
    await context.print.note(dryRun ? `${again} would come again` : `${again} come again with the next ferry pull`);
    return;
  }
  if (from === to) {
    const files_ = count(files, "file");
    await context.print.note(
      dryRun
        ? `would go back to what was here before (${files_})`
        : `back to what was here before (${files_}); ferry pull --uncommitted brings it again`,
    );
    return;
  }
  const done =
    to === ""
      ? `${dryRun ? "would take" : "took"} ${branch ?? "the branch"} away, which the pull had made`
      : `${dryRun ? "would go " : ""}back from ${from.slice(0, 12)} to ${to.slice(0, 12)} (${count(files, "file")})`;
  const rest = made === undefined ? "" : `; ${oneLine(made)}, which the pull had made, stays`;
  await context.print.note(`${done}${dryRun ? "" : `${rest}; ferry pull brings it again`}`);
}
