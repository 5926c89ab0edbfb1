import { exitCodes } from "../../base/errors.ts";
import type { Context } from "../context.ts";
import { followSession, type FollowView } from "./follow.ts";
import { outcomeError } from "./outcome.ts";
import type { OpenSession } from "./session/select.ts";

/**
 * Waits without showing the timeline, and tells how the session stands then.
 * @throws FerryError what the outcome is, where that isn't well
 */
export async function waitFor(context: Context, open: OpenSession, view: Omit<FollowView, "silent">): Promise<void> {
  const { print, global } = context;
  const { outcome, note } = await followSession(context, open, { ...view, silent: true });
  const now = await open.connection.client.readSession({ params: { sessionId: open.session.id } });
  const { status = null, agent_status = null } = now;
  const failure = outcomeError(outcome, now);
  const exit = failure === undefined ? 0 : exitCodes[failure.kind];
  const told = { session_id: now.id, outcome, status, agent_status, exit };
  if (global.json) await print.json(told);
  else await print.data(`${outcome}\n`);
  if (note !== undefined) await print.note(note);
  if (failure !== undefined) throw failure;
}
