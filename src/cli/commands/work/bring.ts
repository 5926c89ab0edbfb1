import { FerryError } from "../../../base/errors.ts";
import { oneLine } from "../../../base/text.ts";
import type { Context } from "../../context.ts";
import { shellWord } from "../../../base/words.ts";
import { sessionArgument } from "../../flows/host/argument.ts";
import { findPlace, type Place } from "../../flows/place/place.ts";
import { pullIntoWorktree, type PullOptions, pullSession, summary } from "../../flows/pull.ts";
import type { Brought } from "../../flows/pull/watch.ts";
import type { OpenSession } from "../../flows/session/select.ts";

export type BringOptions = PullOptions & { readonly worktree?: string | undefined };

/** Pulls once, to where the options say. @throws FerryError as a pull does */
export async function bring(context: Context, open: OpenSession, place: Place, options: BringOptions): Promise<Brought> {
  const { worktree } = options;
  if (worktree !== undefined) return bringElsewhere(context, open, { ...options, worktree });
  const verdict = await pullSession(context, open, { ...options, repository: place.repository, head: place.head });
  return {
    verdict,
    said: summary(verdict, place, { ...options, named: open.isOurs === true ? undefined : named(context, open) }),
  };
}

/**
 * The same, of a place that may have changed since `place` was found: what was checked out then gets the commits, also where
 * another branch is checked out by now.
 * @throws FerryError attention where that can't be told, or is gone
 */
export async function bringStill(context: Context, open: OpenSession, place: Place, options: BringOptions): Promise<Brought> {
  if (options.worktree !== undefined || options.branch !== undefined) return bring(context, open, place, options);
  const now = await findPlace(context);
  if (now.branch === place.branch) return bring(context, open, now, options);
  const before = place.branch === undefined ? "a detached HEAD" : oneLine(place.branch);
  const isThere =
    place.branch !== undefined &&
    (await context.git.run(["show-ref", "--verify", "--quiet", `refs/heads/${place.branch}`], { cwd: place.folder })).code === 0;
  if (!isThere)
    throw new FerryError("attention", `the watch began on ${before}, which is no longer here`, {
      hint: "check out where the commits are to go, and start it again",
    });
  return bring(context, open, now, { ...options, branch: place.branch });
}

function named(context: Context, { session }: OpenSession): string {
  return sessionArgument(context, session.id);
}

async function bringElsewhere(
  context: Context,
  open: OpenSession,
  options: BringOptions & { worktree: string },
): Promise<Brought> {
  const { verdict, branch, isThere } = await pullIntoWorktree(context, open, options);
  if (!isThere && verdict.commits.length === 0) return { verdict, said: "nothing new yet, so no worktree was made" };
  const place = await findPlace(context);
  const said = summary(verdict, place, { dryRun: options.dryRun === true, branch: branch ?? "a detached HEAD" }).replace(
    /; undo with: .*$/u,
    "",
  );
  const { worktree, dryRun } = options;
  // There the branch alone says which session is meant.
  const session = branch === open.session.branch_name ? "" : ` ${named(context, open)}`;
  const undo = verdict.applied && dryRun !== true ? `; undo with: ferry -C ${shellWord(worktree)} pull --undo${session}` : "";
  return { verdict, said: `${said}, in ${oneLine(worktree)}${undo}` };
}
