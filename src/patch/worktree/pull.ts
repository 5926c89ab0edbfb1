import { FerryError } from "../../base/errors.ts";
import { oneLine } from "../../base/text.ts";
import type { Repository } from "../../git/discover.ts";
import type { Git } from "../../git/git.ts";
import { findTarget } from "../incoming/target.ts";
import { pull } from "../pull.ts";
import { porcelainError, runPorcelain } from "../recovery/porcelain.ts";
import type { PullDeps, PullRequest } from "../request.ts";
import { underLock } from "../under-lock.ts";
import type { Verdict } from "../verdict.ts";
import { findFolder } from "./folder.ts";
import { worktreeWith } from "./list.ts";

export interface WorktreeRequest extends PullRequest {
  /** An absolute path: a linked worktree of the repository, or where one is to be made. */
  readonly worktree: string;
  /** The branch for a new one that `branch` names none for. */
  readonly sessionBranch: string | undefined;
}

export interface PulledElsewhere {
  readonly verdict: Verdict;
  /** The branch's short name; undefined for a detached HEAD. */
  readonly branch: string | undefined;
  /** Not where nothing was new, and no branch to make one on. */
  readonly isThere: boolean;
}

/**
 * A pull into another working copy of the repository, which leaves this one alone. One that isn't there is made once the commits are
 * on its branch: a pull that is refused makes none, and one that was killed in between makes it the next time.
 * @throws FerryError as a pull does; attention or usage for a folder or a branch that can't be it
 */
export async function pullElsewhere(request: WorktreeRequest, deps: PullDeps): Promise<PulledElsewhere> {
  const { worktree, sessionBranch, ...plain } = request;
  // What an earlier one left half made there is taken away first.
  const repository = await underLock(request, deps, (context) => Promise.resolve(context.repository));
  const found = await findFolder(deps.git, worktree, repository);
  if (found.is === "there") {
    if (request.branch !== undefined && request.branch !== found.branch)
      throw new FerryError(
        "attention",
        `${oneLine(found.path)} is on ${found.branch ?? "no branch"}, not on ${oneLine(request.branch)}`,
        {
          hint: "switch it, or leave --branch out",
        },
      );
    const verdict = await pull({ ...plain, folder: found.path, repository: undefined, branch: undefined }, deps);
    return { verdict, branch: found.branch, isThere: true };
  }
  const { branch, isNew } = await findBranch(request.branch ?? sessionBranch, deps.git, repository);
  const verdict = await pull({ ...plain, branch }, deps);
  const isThere = request.dryRun !== true && (verdict.applied || !isNew);
  if (isThere) await addWorktree({ path: found.path, branch, tip: verdict.tip }, { request, deps });
  return { verdict, branch, isThere };
}

/** What a new worktree is to be on: free to be checked out, or to be made. */
async function findBranch(
  name: string | undefined,
  git: Git,
  repository: Repository,
): Promise<{ readonly branch: string; readonly isNew: boolean }> {
  if (name === undefined)
    throw new FerryError("usage", "the session has no branch to name the worktree's after", { hint: "name one: --branch NAME" });
  const { head } = await findTarget(git, repository, name);
  const ref = head.state === "detached" ? `refs/heads/${name}` : head.ref;
  const branch = ref.replace("refs/heads/", "");
  const holder = await worktreeWith(ref, { git, repository });
  if (holder === undefined) return { branch, isNew: head.state === "unborn" };
  throw new FerryError("attention", `${oneLine(branch)} ${holder.how} ${oneLine(holder.path)}`, {
    hint: "name another one: --branch NAME",
  });
}

/** git-worktree(1): it would run the hook post-checkout, but our git has none; the user's filters act as in any checkout. */
async function addWorktree(
  { path, branch, tip }: { path: string; branch: string; tip: string },
  { request, deps }: { request: PullRequest; deps: PullDeps },
): Promise<void> {
  await underLock(request, deps, async (context) => {
    const { gitDir, workTree } = context.repository;
    const args = ["worktree", "add", "--quiet", path, branch];
    const making = { path, commit: tip };
    const result = await runPorcelain(args, { cwd: workTree, gitDir, workTree, making }, context);
    await context.checkpoint("worktree-added");
    if (result.code === 0) return;
    const cause = porcelainError(args, result);
    throw new FerryError("attention", `${oneLine(branch)} is up to date, but its worktree can't be made: ${cause.message}`, {
      hint: "pull again when that is mended, or git worktree add yourself",
      cause,
    });
  });
}
