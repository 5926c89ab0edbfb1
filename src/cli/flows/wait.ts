import { exitCodes } from "../../base/errors.ts";
import { typedId } from "../../base/ids.ts";
import type { Outcome } from "../../client/outcome.ts";
import type { SessionState } from "../../client/timeline/items.ts";
import { passes } from "../../client/timeline/source.ts";
import { orTimeUp, timeUp } from "../../client/timeline/time-up.ts";
import type { Context } from "../context.ts";
import { followSession, type FollowView } from "./follow.ts";
import { sessionArgument } from "./host/argument.ts";
import { interruption } from "./interruption.ts";
import { outcomeError, unansweredError } from "./outcome.ts";
import type { OpenSession } from "./session/select.ts";

/** The names in the JSON of how a session stands. */
export const waitFields = ["session_id", "outcome", "status", "agent_status", "exit"] as const;

type Told = Readonly<Record<(typeof waitFields)[number], unknown>> & { readonly outcome: Outcome };

/** In ms. */
const longestRead = 2_000;

/**
 * Waits without showing the timeline, and tells how the session stands then.
 * @throws FerryError what the outcome is, where that isn't well
 */
export async function waitFor(context: Context, open: OpenSession, view: Omit<FollowView, "silent">): Promise<void> {
  const { print } = context;
  const {
    outcome,
    note,
    inTheWay,
    session = open.session,
  } = await followSession(context, open, { ...view, silent: true }).catch((error: unknown) => {
    const { id } = open.session;
    const follow = `follow it: ferry tail ${sessionArgument(context, id)}`;
    throw context.host.interrupt.aborted ? interruption(context.host, `${typedId(id)} goes on`, follow) : error;
  });
  const now = outcome === "timeout" ? await readNow(context, open) : session;
  const { id, status = null, agent_status = null } = now ?? session;
  const failure =
    now === undefined ? unansweredError(context, session) : outcomeError(context, outcome, now, { until: view.until, inTheWay });
  const exit = failure === undefined ? 0 : exitCodes[failure.kind];
  await tell(context, { session_id: id, outcome, status, agent_status, exit });
  if (note !== undefined) await print.note(note);
  if (failure !== undefined) throw failure;
}

/** The same where the time was up before the session was found: who reads the outcome finds it there, too. */
export async function tellUnfound(context: Context): Promise<void> {
  await tell(context, { session_id: null, outcome: "timeout", status: null, agent_status: null, exit: exitCodes.pending });
}

async function tell({ print, global }: Context, told: Told): Promise<void> {
  await (global.json ? print.json(told) : print.data(`${told.outcome}\n`));
}

/** How the session stands, where the service says so soon: whoever set a time to wait doesn't wait for more. */
async function readNow({ host }: Context, { connection, session }: OpenSession): Promise<SessionState | undefined> {
  const stop = new AbortController();
  const signal = AbortSignal.any([host.interrupt, stop.signal]);
  try {
    const reading = connection.client.readSession({ params: { sessionId: session.id }, signal, patience: 0 });
    const now = await orTimeUp(reading, longestRead, host.clock);
    return now === timeUp ? undefined : now;
  } catch (error) {
    if (passes(error)) return undefined;
    throw error;
  } finally {
    stop.abort();
  }
}
