import { count, oneLine } from "../../base/text.ts";
import { showPath } from "../../git/path.ts";
import type { Stop } from "../conflict/found.ts";
import { listed } from "../place/listed.ts";
import { stoppedAt } from "../place/place.ts";
import { short } from "../series/series.ts";
import { newsOf, PullRefused, type Verdict, type VerdictCommit, whatCame } from "../verdict.ts";

/** The pull stands at a conflict in the working copy, and what fits came. */
export function stoppedHere(
  { error, incoming }: Stop,
  { files, notices, rest, before }: { files: number; notices: readonly string[]; rest: string; before: Verdict | undefined },
): PullRefused {
  const { conflict, verdict } = error;
  const { item, paths } = conflict;
  const names = paths.map(showPath);
  const came = cameBefore({ error, incoming });
  const number = newsOf({ commits: came });
  const all = number + (before === undefined ? 0 : newsOf(before));
  return new PullRefused(
    "attention",
    `${count(all, "commit")} came; commit ${short(stoppedAt(incoming, conflict).commit)} (${oneLine(item.subject)}) and yours both change ${listed(names)}`,
    {
      code: "conflict",
      verdict: {
        ...verdict,
        applied: number > 0,
        tip: conflict.tip,
        commits: came,
        files,
        conflicts: names,
        notices: [...verdict.notices, ...notices],
      },
      details: names,
      hint: `resolve it here, git add, git cherry-pick --continue${rest}; or leave it out: ferry pull --skip; or put it off till the next pull: git cherry-pick --abort`,
    },
  );
}

/** The commits before the one that doesn't fit. */
export function cameBefore({
  error: { conflict, verdict },
  incoming: { series },
}: Pick<Stop, "error" | "incoming">): VerdictCommit[] {
  const held = series.items
    .slice(0, conflict.commits.length)
    .map(({ sequence, commit, subject }, at) => ({ sequence, commit, subject, applied_as: conflict.commits[at] ?? commit }));
  return whatCame(held, [verdict.base, series.base]);
}
