import { FerryError } from "../../base/errors.ts";
import type { Context } from "../context.ts";
import { committerEnvironment } from "../place/identity.ts";
import { mustRunPorcelain, porcelainError, runPorcelain } from "../recovery/porcelain.ts";

/** A working copy as git is run in it. */
export interface PickPlace {
  readonly cwd: string;
  readonly gitDir: string;
  readonly workTree: string;
}

/**
 * Cherry-picks a commit where a merge of trees found a conflict, so that git leaves its usual stop: markers, stages, and
 * CHERRY_PICK_HEAD. Where the user's own merge driver knows better it stops as well, and HEAD stays (endPick).
 * @throws FerryError where git didn't get that far
 */
export async function cherryPick(
  commit: string,
  place: PickPlace,
  { config, context }: { config: Readonly<Record<string, string>>; context: Context },
): Promise<void> {
  // An editor that fails ends git before it commits (git-commit(1), ENVIRONMENT).
  // By what merge-tree merges with, whatever pull.twohead says; it alone tells what it made (AUTO_MERGE).
  const args = ["cherry-pick", "--strategy=ort", "--allow-empty", "--edit", commit];
  const env = { ...committerEnvironment(context.host), GIT_EDITOR: "false" };
  const settings = { ...config, "merge.directoryRenames": "conflict" };
  const result = await runPorcelain(args, { ...place, config: settings, env }, context);
  const stopped = await context.git.run(["rev-parse", "--verify", "--quiet", "CHERRY_PICK_HEAD"], place);
  if (stopped.stdout.toString("latin1").trim() === commit) return;
  if (/local changes would be overwritten/u.test(result.stderr.toString("utf8")))
    throw new FerryError("attention", "something was staged there meanwhile, which a cherry-pick would lose", {
      hint: "commit it or git restore --staged it, then try again",
    });
  throw porcelainError(args, result);
}

/** What git wants a working tree to hold where a cherry-pick stands, markers included (gitrevisions(7), AUTO_MERGE). */
export async function pickedTree(place: PickPlace, { git }: Pick<Context, "git">): Promise<string | undefined> {
  const found = await git.run(["rev-parse", "--verify", "--quiet", "AUTO_MERGE^{tree}"], place);
  return found.code === 0 ? found.stdout.toString("latin1").trim() : undefined;
}

/**
 * Commits a cherry-pick that was held, where git itself would have: nothing was in conflict, and nothing resolved by what rerere knows,
 * which a person is to look at.
 */
export async function endPick(place: PickPlace, context: Context): Promise<"stopped" | "came"> {
  const ask = async (...args: string[]) => (await context.git.run(args, place)).stdout.toString("latin1").trim();
  const staged = await ask("write-tree");
  if (staged === "" || staged !== (await pickedTree(place, context))) return "stopped";
  // Where nothing is left of it git stops, too.
  if (staged === (await ask("rev-parse", "--verify", "--quiet", "HEAD^{tree}"))) return "stopped";
  // As git-cherry-pick(1) commits; its --continue would clean the message up.
  const args = ["commit", "--quiet", "--no-edit", "--no-verify", "--cleanup=verbatim", "--allow-empty-message"];
  const env = { ...committerEnvironment(context.host), GIT_EDITOR: "true" };
  await mustRunPorcelain(args, { ...place, env }, context);
  return "came";
}
