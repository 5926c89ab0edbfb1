import { FerryError } from "../../base/errors.ts";
import { discover, type Head, readHead } from "../../git/discover.ts";
import { noneUnlessKilled } from "../../git/runner.ts";
import type { Context } from "../context.ts";
import { refuseBusy } from "../preconditions.ts";
import { listWorktrees, worktreeWith } from "../worktree/list.ts";
import type { ParkedNote } from "./note.ts";

/** Where a parked pull lands: whatever working copy has that branch by now, or the branch alone. */
export interface ParkedTarget {
  /** In that working copy. */
  readonly context: Context;
  readonly head: Exclude<Head, { state: "unborn" }>;
  readonly isAside: boolean;
}

/** @throws FerryError attention where the branch is gone, or its working copy is in the middle of something */
export async function findTarget({ target, errand }: ParkedNote, context: Context): Promise<ParkedTarget> {
  const { git, repository } = context;
  const request = { ...context.request, ...errand };
  if ("ref" in target) {
    const holder = await worktreeWith(target.ref, { git, repository });
    if (holder !== undefined) return inWorkingCopy(holder.path, { ...context, request });
    const { gitDir } = repository;
    const found = await git.run(["rev-parse", "--verify", "--quiet", `${target.ref}^{commit}`], { cwd: gitDir, gitDir });
    if (found.code !== 0)
      throw new FerryError(
        "attention",
        `${target.ref.replace("refs/heads/", "")}, which the parked pull is for, is gone`,
        giveUp,
      );
    const head = { state: "branch", ref: target.ref, commit: found.stdout.toString("latin1").trim() } as const;
    return { context: { ...context, request }, head, isAside: true };
  }
  for (const { path } of await listWorktrees(git, repository)) {
    const own = await discover(git, path).catch(noneUnlessKilled);
    if (own?.gitDir === target.gitDir) return inWorkingCopy(path, { ...context, request }, "detached");
  }
  throw new FerryError("attention", "the working copy that the parked pull is for is gone", giveUp);
}

const giveUp = { hint: "ferry pull --abort gives the pull up" };

async function inWorkingCopy(path: string, context: Context, state?: Head["state"]): Promise<ParkedTarget> {
  const { git } = context;
  const repository = await discover(git, path);
  const own: Context = { ...context, repository: { ...repository, workTree: repository.workTree ?? path } };
  const head = await readHead(git, own.repository);
  await refuseBusy(own, head);
  if (head.state === "unborn" || (state !== undefined && head.state !== state))
    throw new FerryError("attention", `the parked pull is for a detached HEAD in ${path}, which is on a branch now`, giveUp);
  return { context: own, head, isAside: false };
}
