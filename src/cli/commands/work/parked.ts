import { type Command, Option } from "commander";
import { PullRefused } from "../../../patch/verdict.ts";
import { listWorktrees } from "../../../patch/worktree/list.ts";
import type { Context } from "../../context.ts";
import { sessionArgument } from "../../flows/host/argument.ts";
import { findLinked } from "../../flows/place/link.ts";
import type { Place } from "../../flows/place/place.ts";
import { ferryIn, resumePull, summary } from "../../flows/pull.ts";
import { shapeOptions } from "../../flows/pull/shape.ts";
import { showRefused, showVerdict } from "./verdict.ts";

/** What ends a parked pull. */
const endings = ["continue", "skip", "abort"] as const;

export interface ParkOptions {
  readonly autostash: boolean;
  readonly park: boolean;
  readonly here: boolean;
  readonly continue: boolean;
  readonly skip: boolean;
  readonly abort: boolean;
  readonly allowSymlinks: boolean;
}

export function addParkOptions(command: Command): void {
  command.addOption(
    new Option("--autostash", "put changes of tracked files that are in the way into a stash, and back afterwards")
      .default(false)
      .conflicts("uncommitted"),
  );
  command.option("--park", "leave a commit that doesn't fit in a worktree of its own, to resolve it there", false);
  command.addOption(
    new Option("--here", "land what fits, and leave a commit that doesn't as a cherry-pick in this working copy")
      .default(false)
      .conflicts(["park", "branch"]),
  );
  const places = ["dryRun", "branch", "worktree", "acceptRewrite", "ontoHead", "undo", "park", "here", "autostash", "source"];
  // How the commits were to be is known from when it was parked.
  const others = [...places, "uncommitted", ...shapeOptions];
  const texts = {
    continue: "go on with the parked pull, whose conflict is resolved",
    skip: "go on with it (or past a --here stop) without the commit that doesn't fit",
    abort: "give it up, and all that came with it",
  };
  for (const ending of endings)
    command.addOption(
      new Option(`--${ending}`, texts[ending])
        .default(false)
        .conflicts([...others, ...endings.filter((each) => each !== ending)]),
    );
}

/** Ends a parked pull where that is asked for; false where it isn't. */
export async function endParked(context: Context, options: ParkOptions, given: string | undefined): Promise<boolean> {
  const how = endings.find((ending) => options[ending]);
  if (how === undefined) return false;
  const { place, link } = await findLinked(context);
  try {
    const { session, branch, verdict, said } = await resumePull(context, { how, allowSymlinks: options.allowSymlinks }, given);
    const preset = context.host.env["FERRY_SESSION"] || link?.session;
    const named = preset === session ? undefined : sessionArgument(context, session);
    const elsewhere = await wayOut(context, place);
    const landed = summary(verdict, place, { named, branch: branch === place.branch ? undefined : branch, elsewhere });
    const again = `${ferryIn(elsewhere)} pull`;
    const last = how === "abort" ? `the parked pull of ${session} is given up; ${again} tries it again` : (said ?? landed);
    await showVerdict(context, verdict, last);
    return true;
  } catch (error) {
    if (error instanceof PullRefused) await showRefused(context, error);
    throw error;
  }
}

/** The repository's main working copy, where the folder that this ran in went with the parked worktree. */
async function wayOut({ git, host, folder }: Context, { repository }: Place): Promise<string | undefined> {
  if ((await host.files.status(folder)) !== undefined) return undefined;
  const { commonDir } = repository;
  const [main] = await listWorktrees(git, { gitDir: commonDir, commonDir, workTree: undefined });
  return main?.path ?? commonDir;
}
