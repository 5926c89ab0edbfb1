import { FerryError } from "../../base/errors.ts";
import { oneLine } from "../../base/text.ts";
import { type Head, readHead, type Repository } from "../../git/discover.ts";
import type { Git } from "../../git/git.ts";

/** Where a series lands. */
export interface Target {
  readonly head: Head;
  /** A branch that isn't the one checked out here: only its ref moves, no file. */
  readonly isAside: boolean;
}

/** The current branch, or the named one; one that doesn't exist yet is unborn. @throws FerryError usage for what can't be a branch's name */
export async function findTarget(git: Git, repository: Repository, branch: string | undefined): Promise<Target> {
  const here = await readHead(git, repository);
  if (branch === undefined) return { head: here, isAside: false };
  const ref = `refs/heads/${branch}`;
  if (here.state !== "detached" && here.ref === ref) return { head: here, isAside: false };
  const options = { cwd: repository.gitDir, gitDir: repository.gitDir };
  const valid = await git.run(["check-ref-format", ref], options);
  if (valid.code !== 0 || branch.startsWith("-"))
    throw new FerryError("usage", `"${oneLine(branch)}" can't be the name of a branch`);
  const found = await git.run(["rev-parse", "--verify", "--quiet", `${ref}^{commit}`], options);
  const commit = found.stdout.toString("latin1").trim();
  return { head: found.code === 0 ? { state: "branch", ref, commit } : { state: "unborn", ref }, isAside: true };
}
