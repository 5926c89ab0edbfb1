import { FerryError } from "../../base/errors.ts";
import type { Git, GitOptions } from "../../git/git.ts";
import { gitError, showLine } from "../../git/runner.ts";
import { systemTrouble } from "../../git/trouble.ts";
import { short } from "../series/series.ts";

/** Gives the commit of the session that an object came with, where that can be told. */
export type Origin = (object: string) => Promise<string | undefined>;

/**
 * Stores a pack's objects by `git index-pack --strict` or `git unpack-objects --strict`, each checked by git's own rules and with
 * all that it points to.
 * @throws FerryError failure with what git found wrong, and the commit that brings it
 */
export async function storePack(
  git: Git,
  args: readonly string[],
  { origin, ...options }: GitOptions & { origin?: Origin },
): Promise<void> {
  const result = await git.run(args, options);
  if (result.code === 0) return;
  const trouble = systemTrouble(args, result);
  if (trouble !== undefined) throw trouble;
  const error = gitError(args, result);
  const hint = "nothing was changed; ask the agent to take it out of its history";
  const found = /^error: object ([0-9a-f]+): (\w+: .*)$/mu.exec(result.stderr.toString("utf8"));
  const [, object, reason] = found ?? [];
  if (object === undefined || reason === undefined)
    throw new FerryError("failure", `git refuses an object of the series: ${error.message}`, { code: "policy", cause: error });
  const commit = await origin?.(object);
  const whose = commit === undefined ? "the series" : `commit ${short(commit)}`;
  // By the name of its rule: git-fsck(1), "FSCK MESSAGES".
  const what = object === commit ? "it" : `its object ${short(object)}`;
  throw new FerryError("failure", `${whose} is refused: ${what} breaks a rule of git's, ${showLine(reason)}`, {
    code: "policy",
    hint,
    cause: error,
  });
}
