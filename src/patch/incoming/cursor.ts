import { moveRef, type RefUpdate } from "../land/transaction.ts";
import { pinUpdates } from "./pin.ts";
import type { Incoming } from "./incoming.ts";

/** The refs that remember the session and where it comes from, moved to its newest commit; none that are there already. */
export function cursorUpdates({ refs, at, memory, found, series }: Incoming): RefUpdate[] {
  const { tip } = series;
  const pins = pinUpdates(refs, memory, { source: found.source, commit: tip });
  return [moveRef(refs.remote, at.remote, tip), moveRef(refs.cursor, at.cursor, tip), ...pins].filter(
    ({ to, from }) => to !== from,
  );
}
