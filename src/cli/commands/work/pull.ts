import { Option } from "commander";
import { count, oneLine } from "../../../base/text.ts";
import { isAtWork } from "../../../client/outcome.ts";
import { type SourceName, sourceNames } from "../../../patch/source.ts";
import { PullRefused } from "../../../patch/verdict.ts";
import type { Context } from "../../context.ts";
import { findPlace } from "../../flows/place/place.ts";
import { checkRepository, pullIntoWorktree, type PullOptions, pullSession, summary, undoPull } from "../../flows/pull.ts";
import { openSession, type OpenSession } from "../../flows/session/select.ts";
import type { Verb } from "../../verb.ts";
import { addParkOptions, endParked, type ParkOptions } from "./parked.ts";
import { showVerdict } from "./verdict.ts";

interface Options extends ParkOptions {
  readonly dryRun: boolean;
  readonly branch?: string;
  readonly acceptRewrite: boolean;
  readonly source: "auto" | SourceName;
  readonly uncommitted: boolean;
  readonly undo: boolean;
  readonly worktree?: string;
}

export const pull: Verb = {
  name: "pull",
  summary: "Bring a session's commits into this working copy",
  description:
    "Bring a session's commits into this working copy, as commits, by git am. They are tried out in a repository of their own first: where one doesn't fit, nothing here changes.\n\nWith --park it is left in a linked worktree instead (its path is told), markers and all, the commits before it already there: resolve it, git add, and --continue brings the rest and lands all of it here; --skip leaves that commit out, --abort gives the pull up. The three work from there and from here, and need no service.\n\nWith --here what fits lands, and that commit stands in this working copy as git leaves any cherry-pick: end it as git says, and the next pull goes on behind it. After git cherry-pick --abort (or --skip) it comes again, unless ferry pull --skip leaves it out.",
  examples: [
    "ferry pull",
    "ferry pull --dry-run --json",
    "ferry pull 4h2k --branch review",
    "ferry pull --worktree ../review",
    "ferry pull --source branch",
    "ferry pull --autostash",
    "ferry pull --allow-symlinks",
    "ferry pull --park",
    "ferry pull --continue",
    "ferry pull --uncommitted",
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
          .conflicts(["worktree", "acceptRewrite", "park", "here", "autostash", "source", "uncommitted", "allowSymlinks"]),
      );
    addParkOptions(command);
  },
  async run(context, { undo, ...options }: Options, given?: string) {
    if (await endParked(context, options, given)) return;
    const place = await findPlace(context);
    const open = await openSession(context, given);
    if (undo) {
      await takeBack(context, open, options);
      return;
    }
    if (given !== undefined) await checkRepository(context, open);
    try {
      const onConflict = options.park ? "park" : options.here ? "here" : "refuse";
      const wanted = { ...options, onConflict, acceptDeletion: context.global.yes } as const;
      if (options.worktree !== undefined) {
        await elsewhere(context, open, { ...wanted, worktree: options.worktree });
        return;
      }
      const verdict = await pullSession(context, open, wanted);
      const unfinished = verdict.commits.length === 0 && !verdict.applied && isAtWork(open.session);
      await showVerdict(
        context,
        verdict,
        unfinished ? "nothing new yet: the agent is still working" : summary(verdict, place, options),
      );
    } catch (error) {
      if (error instanceof PullRefused) await showVerdict(context, error.verdict, undefined);
      throw error;
    }
  },
};

async function elsewhere(context: Context, open: OpenSession, options: PullOptions & { worktree: string }): Promise<void> {
  const { verdict, branch } = await pullIntoWorktree(context, open, options);
  const place = await findPlace(context);
  const said = summary(verdict, place, { dryRun: options.dryRun === true, branch: branch ?? "a detached HEAD" }).replace(
    /; undo with: .*$/u,
    "",
  );
  const { worktree, dryRun } = options;
  const undo = verdict.applied && dryRun !== true ? `; undo with: ferry -C ${oneLine(worktree)} pull --undo` : "";
  await showVerdict(context, verdict, `${said}, in ${oneLine(worktree)}${undo}`);
}

async function takeBack(context: Context, open: OpenSession, options: Pick<Options, "dryRun" | "branch">): Promise<void> {
  const { dryRun, branch } = options;
  const { from, to, files } = await undoPull(context, open, { dryRun, branch });
  if (context.global.json) {
    await context.print.json({ from, to, files });
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
  await context.print.note(`${done}${dryRun ? "" : "; ferry pull brings it again"}`);
}
