import type { SessionsDeps } from "./deps.ts";
import { findSession } from "./settle.ts";
import { layout } from "./repository/layout.ts";
import type { Timeline } from "./timeline/timeline.ts";
import type { Rooms } from "./workspace/rooms.ts";

/** What is said of what the last turn could not bring home, when its sandbox goes. */
export function unsavedBefore(kept: string): string {
  return `what the last turn didn't bring home is ${kept}`;
}

/** What was kept of a turn is no part of what goes with its session: whoever closes that is told whose it is. */
export async function tellKept(
  { deps, timeline }: { readonly deps: SessionsDeps; readonly timeline: Timeline },
  sessionId: string,
) {
  const place = layout.unsaved(deps.data, sessionId);
  if ((await deps.host.files.status(place)) !== undefined)
    await timeline.say(sessionId, `what a turn did and could not be brought home stays in ${place}: it is yours to remove`);
}

/** Gives the session's sandbox up, in its record too. */
export async function leaveRoom(
  { deps, rooms, timeline }: { readonly deps: SessionsDeps; readonly rooms: Rooms; readonly timeline: Timeline },
  sessionId: string,
): Promise<void> {
  const kept = await rooms.leave(sessionId);
  if (kept !== "") await timeline.say(sessionId, unsavedBefore(kept));
  const session = await findSession(deps.store, sessionId);
  if (session.sandbox_id !== undefined) await timeline.change(sessionId, { sandbox_id: undefined });
}
