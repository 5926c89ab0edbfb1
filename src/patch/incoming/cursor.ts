import { moveRef, type RefUpdate } from "../land/transaction.ts";
import type { Incoming } from "./incoming.ts";

/** The two refs that remember the session, moved to its newest commit; none that are there already. */
export function cursorUpdates({ refs, at, series }: Incoming): RefUpdate[] {
  return [moveRef(refs.remote, at.remote, series.tip), moveRef(refs.cursor, at.cursor, series.tip)].filter(
    ({ to, from }) => to !== from,
  );
}
