import { FerryError } from "../../base/errors.ts";
import type { Git, GitOptions } from "../../git/git.ts";
import { gitError } from "../../git/runner.ts";
import { systemTrouble } from "../../git/trouble.ts";

/**
 * Stores a pack's objects by `git index-pack --strict` or `git unpack-objects --strict`, each checked by git's own rules and with
 * all that it points to.
 * @throws FerryError failure with what git found wrong
 */
export async function storePack(git: Git, args: readonly string[], options: GitOptions): Promise<void> {
  const result = await git.run(args, options);
  if (result.code === 0) return;
  const trouble = systemTrouble(args, result);
  if (trouble !== undefined) throw trouble;
  const error = gitError(args, result);
  throw new FerryError("failure", `git refuses an object of the series: ${error.message}`, { code: "policy", cause: error });
}
