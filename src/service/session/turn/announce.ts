import { cut } from "../../../base/text.ts";
import type { Session } from "../../../wire/resources.ts";
import type { SessionsDeps } from "../deps.ts";
import type { BroughtHome } from "../repository/bring-home.ts";
import { layout, own } from "../repository/layout.ts";
import { countCommits, exclude } from "../series/range.ts";
import type { Timeline } from "../timeline/timeline.ts";

/** Notices at most for one turn; a follower reads the manifest anyway. */
const most = 500;

/** Records the series' new head, and tells followers of each commit that is new in it. */
export function announce(deps: SessionsDeps, timeline: Timeline): (session: Session, home: BroughtHome) => Promise<void> {
  return async (session, { head }) => {
    const before = session.head_commit ?? "";
    if (head === before) return;
    await timeline.change(session.id, { head_commit: head });
    const base = session.base_commit ?? "";
    const gitDir = layout.repository(deps.data, session.id);
    const args = [
      "log",
      "-z",
      "--topo-order",
      `--max-count=${most}`,
      "--format=%H%x20%s",
      head,
      ...exclude(before),
      ...exclude(base),
    ];
    const fresh = (await deps.git.ok(args, own(gitDir)))
      .toString("utf8")
      .split("\0")
      .filter((line) => line !== "")
      .toReversed();
    const last = await countCommits(deps.git, gitDir, head, base);
    for (const [at, line] of fresh.entries()) {
      const [commit = ""] = line.split(" ", 1);
      const sequence = last - fresh.length + at + 1;
      const patch = {
        sequence,
        commit,
        repository_id: session.repository_id ?? "",
        subject: cut(line.slice(commit.length + 1), 200),
      };
      timeline.tell(session.id, { type: "patch", patch });
    }
  };
}
