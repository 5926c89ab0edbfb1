import type { PullContext } from "../context.ts";
import { moveRef, type RefUpdate } from "../land/transaction.ts";
import { endedUpdates } from "./ended.ts";
import { writeCursorNote } from "./note.ts";
import { pinUpdates } from "./pin.ts";
import type { Incoming } from "./incoming.ts";

/** The refs that remember the session and where it comes from, moved to its newest commit; none that are there already. */
export async function cursorUpdates({ refs, at, memory, found, series }: Incoming, context: PullContext): Promise<RefUpdate[]> {
  const { tip } = series;
  const cursor = found.note === undefined ? tip : await writeCursorNote(found.note, context);
  const pins = pinUpdates(memory, { source: found.source, commit: tip });
  const here = at.here === undefined ? [] : [moveRef(refs.here, at.here, undefined)];
  const undone = at.undone === undefined ? [] : [moveRef(refs.undone, at.undone, undefined)];
  const marks = [...here, ...undone, ...pins, ...endedUpdates(memory, tip, context)];
  return [moveRef(refs.remote, at.remote, tip), moveRef(refs.cursor, at.cursor, cursor), ...marks].filter(
    ({ to, from }) => to !== from,
  );
}
