import { asFerryError, type FerryError } from "../../../base/errors.ts";
import { typedId } from "../../../base/ids.ts";
import { count, oneLine } from "../../../base/text.ts";
import { isAtWork, type Outcome } from "../../../client/outcome.ts";
import type { SessionState } from "../../../client/timeline/items.ts";
import { notesOf, PullRefused, type Verdict } from "../../../patch/verdict.ts";
import type { Context } from "../../context.ts";
import { followSession } from "../follow.ts";
import { interruption } from "../interruption.ts";
import type { OpenSession } from "../session/select.ts";
import { leftBehindError } from "./left-behind.ts";
import { remotesOf } from "./remotes.ts";

/** What a pull brought, and the line that tells it. */
export interface Brought {
  readonly verdict: Verdict;
  readonly said: string;
}

/**
 * Pulls, and again whenever commits may be there, until the session ends: on stdout a line (with --json a verdict) for each pull that
 * brought something. What passes by itself (no answer, a lock, a branch that is not pushed yet) is told once and tried again.
 * @throws FerryError what else a pull says; the interrupt's reason
 */
export async function watchPulls(
  context: Context,
  open: OpenSession,
  bring: (open: OpenSession) => Promise<Brought>,
): Promise<void> {
  const { print, host, global } = context;
  const came = { commits: 0, pulls: 0 };
  let left: FerryError | undefined;
  const pull = async (): Promise<{ session: SessionState; held: string | undefined }> => {
    const session = await open.connection.client.readSession({ params: { sessionId: open.session.id } });
    const brought = await bring({ ...open, session });
    if (brought.verdict.applied) {
      came.pulls += 1;
      came.commits += brought.verdict.commits.filter(({ applied_as }) => applied_as !== null).length;
      await tell(context, brought);
    }
    // While it goes on, the agent may still put it right.
    const before = left?.message;
    left = leftBehindError(brought.verdict.left_behind, { session });
    if (left !== undefined && left.message !== before) await print.note(`note: ${left.message}`);
    return { session, held: brought.verdict.held };
  };
  let told = "";
  const look = async (): Promise<SessionState | undefined> => {
    try {
      const { session, held } = await pull();
      // What an agent that works, or asks, goes on with is seen in its session. That it has rested for long enough nothing tells.
      const settles = held !== undefined && !isAtWork(session) && session.agent_status !== "waiting_for_user";
      if (settles && held !== told) await print.note(`not pulled yet: ${held}`);
      told = settles ? held : "";
      return settles ? undefined : session;
    } catch (error) {
      host.interrupt.throwIfAborted();
      if (!(await passes(context, open, asFerryError(error)))) throw error;
      const { message } = asFerryError(error);
      if (message !== told) await print.note(`not pulled yet: ${message}`);
      told = message;
      return undefined;
    }
  };
  try {
    const lookedAt = await look();
    if (host.terminal.stderr.isTTY) await print.note(`watching ${typedId(open.session.id)} for commits; Ctrl-C ends it`);
    const { outcome } = await followSession(context, open, { until: "end", silent: true, look, lookedAt });
    await pull();
    if (!global.json) await print.note(`${endings[outcome] ?? "the session is over"}; ${inWords(came)}`);
    if (left !== undefined) throw left;
  } catch (error) {
    if (error instanceof PullRefused && global.json) await print.jsonLine(error.verdict);
    if (host.interrupt.aborted)
      throw interruption(host, inWords(came), `watch on: ferry pull --watch ${typedId(open.session.id)}`);
    if (!global.json && came.pulls > 0) await print.note(inWords(came));
    throw error;
  }
}

async function tell({ print, global }: Context, { verdict, said }: Brought): Promise<void> {
  if (global.json) return print.jsonLine(verdict);
  for (const notice of notesOf(verdict)) await print.note(`note: ${notice}`);
  await print.data(`${oneLine(said)}\n`);
}

/** Whether it can be otherwise in a moment without anybody's doing. */
async function passes(context: Context, open: OpenSession, { kind, code }: FerryError): Promise<boolean> {
  if (kind === "unavailable") return true;
  if (code !== "no_branch" && code !== "no_source") return false;
  const { status, branch_name: branch } = open.session;
  // A branch that the agent has not pushed yet; where no remote could have it, nothing is to be waited for.
  return status === "active" && (branch ?? "") !== "" && (await remotesOf(context, open)).length > 0;
}

function inWords({ commits, pulls }: { readonly commits: number; readonly pulls: number }): string {
  if (pulls === 0) return "nothing came";
  return `${count(commits, "commit")} came in ${count(pulls, "pull")}`;
}

const endings: Partial<Record<Outcome, string>> = {
  finished: "the session is finished",
  merged: "the session is merged",
  closed: "the session was closed",
  failed: "the agent failed",
};
