import { FerryError } from "../../base/errors.ts";
import { oneLine } from "../../base/text.ts";
import { shellWord } from "../../base/words.ts";
import { type Head, readHead, type Repository } from "../../git/discover.ts";
import type { Git } from "../../git/git.ts";
import { refuseAsNew, refuseOtherCase, requireBranchName, resolveBranch } from "./branch-name.ts";

/** Where a series lands. */
export interface Target {
  readonly head: Head;
  /** A branch that isn't the one checked out here: only its ref moves, no file. */
  readonly isAside: boolean;
}

/**
 * The current branch (`known` where HEAD is known already), or the named one; one that doesn't exist yet is unborn. A name that is another ref for a branch (git
 * symbolic-ref) means that branch: it may be the one that is checked out.
 * @throws FerryError usage for what can't be a branch's name, attention for one that holds something else, or that other branches
 * leave no room for
 */
export async function findTarget(git: Git, repository: Repository, branch: string | undefined, known?: Head): Promise<Target> {
  const here = known ?? (await readHead(git, repository));
  if (branch === undefined) return { head: here, isAside: false };
  await requireBranchName(git, repository, branch);
  const ref = await resolveBranch(git, repository, branch);
  if (here.state !== "detached" && here.ref === ref) return { head: here, isAside: false };
  await refuseOtherCase(git, repository, ref);
  const commit = await readBranch(git, repository, ref);
  if (commit !== undefined) return { head: { state: "branch", ref, commit }, isAside: true };
  await refuseAsNew(git, repository, ref);
  return { head: { state: "unborn", ref }, isAside: true };
}

/** Its commit; undefined where there is no such branch. */
async function readBranch(git: Git, { gitDir }: Repository, ref: string): Promise<string | undefined> {
  const read = async (name: string) => {
    const found = await git.run(["rev-parse", "--verify", "--quiet", name], { cwd: gitDir, gitDir });
    return found.code === 0 ? found.stdout.toString("latin1").trim() : undefined;
  };
  const id = await read(ref);
  if (id === undefined || (await read(`${id}^{commit}`)) === id) return id;
  throw new FerryError("attention", `${oneLine(ref)} holds no commit that is here, so it is no branch`, {
    hint: `name another one (--branch NAME), or take it away: git update-ref -d ${shellWord(ref)}`,
  });
}
