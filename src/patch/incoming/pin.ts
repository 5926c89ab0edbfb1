import { moveRef, type RefUpdate } from "../land/transaction.ts";
import type { SourceName } from "../source.ts";
import type { Memory } from "./refs.ts";

/**
 * What writes down where a session's commits come from, so that later pulls go on there. The patch stream is the rule and needs
 * no mark. The mark's ref points at `commit` for want of anything better.
 */
export function pinUpdates({ own, marks }: Memory, { source, commit }: { source: SourceName; commit: string }): RefUpdate[] {
  const wanted = source === "patches" ? undefined : `${own}/source/${source}`;
  const gone = [...marks].filter(([name]) => name !== wanted).map(([name, id]) => moveRef(name, id, undefined));
  return wanted === undefined || marks.has(wanted) ? gone : [...gone, moveRef(wanted, undefined, commit)];
}
