import type { Context } from "../context.ts";
import { committerEnvironment } from "../place/identity.ts";
import { porcelainError, runPorcelain } from "../recovery/porcelain.ts";

/** A working copy as git is run in it. */
export interface PickPlace {
  readonly cwd: string;
  readonly gitDir: string;
  readonly workTree: string;
}

/**
 * Cherry-picks a commit where a merge of trees found a conflict, so that git leaves its usual stop: markers, stages, and
 * CHERRY_PICK_HEAD. Gives "came" where the user's own merge driver knew better.
 * @throws FerryError where git didn't get that far
 */
export async function cherryPick(commit: string, place: PickPlace, context: Context): Promise<"stopped" | "came"> {
  const args = ["cherry-pick", "--allow-empty", commit];
  const config = { "merge.directoryRenames": "conflict" };
  const result = await runPorcelain(args, { ...place, config, env: committerEnvironment(context.host) }, context);
  if (result.code === 0) return "came";
  const stopped = await context.git.run(["rev-parse", "--verify", "--quiet", "CHERRY_PICK_HEAD"], place);
  if (stopped.stdout.toString("latin1").trim() === commit) return "stopped";
  throw porcelainError(args, result);
}
