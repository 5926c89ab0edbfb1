import { oneLine } from "../../base/text.ts";
import type { Head } from "../../git/discover.ts";
import type { Context } from "../context.ts";
import { listed } from "../place/listed.ts";
import { short } from "../series/series.ts";
import { PullRefused, unmovedVerdict, type Verdict } from "../verdict.ts";
import type { Parked, ParkedNote } from "./note.ts";
import { findTree } from "./tree.ts";

const ways = "ferry pull --continue (--skip leaves that commit out, --abort gives the pull up)";

/** The pull stands at a conflict, in its worktree. */
export async function stoppedError(
  { note }: Parked,
  { paths, verdict }: { paths: readonly string[]; verdict: Verdict },
  context: Context,
): Promise<PullRefused> {
  const place = await placeOf(note, context);
  return new PullRefused("attention", `commit ${stopOf(note)} and yours both change ${listed(paths)}`, {
    code: "conflict",
    // No notice: those are told beside the hint, which names the place, too.
    verdict: { ...verdict, conflicts: paths, blocked_by: [`parked in ${place}`] },
    details: paths,
    hint: `parked in ${place}${before(note)}; resolve it there, git add, then ${ways}`,
  });
}

/** How much of the series there is behind the commit that doesn't fit, where there can be something. */
function before({ came, items }: ParkedNote): string {
  const done = came.filter((commit) => commit !== null).length;
  if (done > 0) return `, with ${done} of ${items.length} commits before it`;
  return items.length > 1 ? `, before any of the ${items.length} commits` : "";
}

/** Another pull of a session that has one parked. */
export async function parkedError({ note }: Parked, head: Head, context: Context): Promise<PullRefused> {
  const base = head.state === "unborn" ? "" : head.commit;
  const place = await placeOf(note, context);
  return new PullRefused("attention", `a pull of this session is parked in ${place}, at commit ${stopOf(note)}`, {
    code: "parked",
    verdict: { ...unmoved(note, base), blocked_by: [`parked in ${place}`] },
    hint: `resolve it there, git add, then ${ways}`,
  });
}

/** The verdict of a parked pull that left the branch as it is. */
export function unmoved({ told, onto }: ParkedNote, base = onto): Verdict {
  return unmovedVerdict(told, base);
}

/** The commit that doesn't fit: of the sandbox, or one made in the worktree. */
function stopOf({ queue, items }: ParkedNote): string {
  const [first] = queue;
  const item = items[first?.ends[0] ?? -1];
  return item === undefined ? short(first?.commit ?? "") : `${short(item.commit)} (${oneLine(item.subject)})`;
}

async function placeOf(note: ParkedNote, context: Context): Promise<string> {
  return oneLine((await findTree(note, context))?.workTree ?? "a worktree that is gone");
}
