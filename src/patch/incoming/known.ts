import type { Context } from "../context.ts";
import type { Incoming } from "./incoming.ts";

/** What the user's repository has of the history. A base that was fetched for this pull comes with it, and what it stands on. */
export async function knownCommits(
  { head, series, ground }: Incoming,
  { git, repository }: Context,
): Promise<(string | undefined)[]> {
  const commit = head.state === "unborn" ? undefined : head.commit;
  if (ground.at === "here") return [series.base, commit];
  const { gitDir } = repository;
  const args = ["for-each-ref", "--format=%(if:equals=commit)%(objecttype)%(then)%(objectname)%(end)"];
  const tips = (await git.ok(args, { cwd: gitDir, gitDir })).toString("latin1").split("\n").filter(Boolean);
  return [commit, ...new Set(tips)];
}
