import { asFerryError, exitCodes, FerryError, OutputError } from "../../base/errors.ts";
import { typedId } from "../../base/ids.ts";
import type { Outcome } from "../../client/outcome.ts";
import type { SessionState } from "../../client/timeline/items.ts";
import { notesOf, PullRefused, type Verdict } from "../../patch/verdict.ts";
import type { Context } from "../context.ts";
import { followSession } from "./follow.ts";
import { sessionArgument } from "./host/argument.ts";
import { outcomeError, unreadError } from "./outcome.ts";
import { leftBehindError } from "./pull/left-behind.ts";
import { tellLeftThere } from "./pull/left-there.ts";
import type { Look } from "./pull/looks.ts";
import { pullSession, summary } from "./pull.ts";
import { namesOf, type SentMessage } from "./session/message.ts";
import type { StartedSession } from "./session/start.ts";

export interface RunOptions {
  /** When commits come into the working copy. */
  readonly pull: "end" | "each" | "none";
  /** In ms. */
  readonly timeout?: number | undefined;
  /** With --json, each changed version of an event too, not only its first. */
  readonly updates?: boolean | undefined;
}

/** What came of a run; the first that isn't well is its exit code. */
interface RunResult {
  readonly outcome: Outcome;
  readonly verdict?: Verdict;
  readonly failures: readonly FerryError[];
}

/**
 * Follows a session that was just started until the agent needs nothing more, and brings its commits home.
 * @throws FerryError what the agent's end or the pull was, the agent's first
 */
export async function runSession(
  context: Context,
  started: StartedSession,
  sent: SentMessage | undefined,
  options: RunOptions,
): Promise<void> {
  const { outcome, unread } = await followSession(context, started, {
    until: "idle",
    message: sent === undefined ? undefined : namesOf(sent),
    fresh: true,
    timeout: options.timeout,
    updates: options.updates,
    look: options.pull === "each" ? pullQuietly(context, started) : undefined,
    lookedAt: started.session,
  }).catch((error: unknown) => {
    throw error instanceof OutputError ? goingOn(context, started, error) : error;
  });
  // Without its status, which is that of before the message: a time that ran out cut the work short.
  const failure = outcomeError(context, outcome, { id: started.session.id });
  const pulled = options.pull === "none" ? undefined : await pullAtEnd(context, started, outcome);
  const failures = [failure, pulled?.failure, unreadError(context, unread, started.session)].filter(
    (error) => error !== undefined,
  );
  const result = { outcome, failures, ...(pulled?.verdict === undefined ? {} : { verdict: pulled.verdict }) };
  if (context.global.json) await printResult(context, started, result);
  const [first, ...others] = failures;
  for (const other of others) await context.print.warn(other.message);
  if (first !== undefined) throw first;
}

/** What can't be shown any more is no reason for the agent to stop. */
export function goingOn(context: Context, { session }: StartedSession, { kind, message, cause }: OutputError): FerryError {
  const there = sessionArgument(context, session.id);
  return new FerryError(kind, `${typedId(session.id)} goes on, but ${message}`, {
    hint: `follow it: ferry tail ${there}; bring its commits: ferry pull ${there}`,
    cause,
  });
}

interface Pulled {
  readonly verdict?: Verdict;
  readonly failure?: FerryError;
}

/** How long a turn that was canceled may take to be over, and how often that is asked, in ms. */
const dying = { patience: 5000, pause: 200 };

/** As it is now: its head may have moved on since it was made, and what a canceled turn did comes home when all of it is dead. */
async function atRest({ host }: Context, { connection, session }: StartedSession, canceled: boolean): Promise<SessionState> {
  const deadline = host.clock.elapsed() + dying.patience;
  for (;;) {
    const now = await connection.client.readSession({ params: { sessionId: session.id } });
    const isDying = canceled && now.status === "active" && now.agent_status === "stopped";
    if (!isDying || host.clock.elapsed() >= deadline) return now;
    await host.clock.sleep(dying.pause, host.interrupt);
  }
}

/** The commits of a failed or canceled turn are pulled all the same. */
async function pullAtEnd(context: Context, started: StartedSession, outcome: Outcome): Promise<Pulled> {
  const { print, global } = context;
  const canceled = outcome === "canceled";
  try {
    const session = await atRest(context, started, canceled);
    const verdict = await pullSession(context, { ...started, session });
    const failure = leftBehindError(verdict.left_behind, { session });
    const pulled = failure === undefined ? { verdict } : { verdict, failure };
    if (global.json) return pulled;
    for (const notice of notesOf(verdict)) await print.note(`note: ${notice}`);
    // An agent that asks may not have begun: that it has made nothing yet is no news.
    const isNews = verdict.applied || outcome !== "waiting_for_user";
    if (started.place !== undefined && isNews) await print.note(summary(verdict, started.place));
    await tellLeftThere(context, { ...started, session }, canceled);
    return pulled;
  } catch (error) {
    context.host.interrupt.throwIfAborted();
    const failure = asFerryError(error);
    return error instanceof PullRefused ? { failure, verdict: error.verdict } : { failure };
  }
}

/**
 * While the agent works on, nothing that keeps a commit out of here is a reason to stop watching, be it in the commit or in the
 * repository (an open merge, say): it is told once, and the pull at the end says it again if it is still so.
 */
function pullQuietly(context: Context, { session, connection, ...started }: StartedSession): Look {
  const { print, global, host } = context;
  let told = "";
  return async () => {
    let now: SessionState | undefined;
    try {
      now = await connection.client.readSession({ params: { sessionId: session.id } });
      const verdict = await pullSession(context, { connection, session: now });
      if (started.place !== undefined && verdict.applied && !global.json) await print.note(summary(verdict, started.place));
      told = "";
      return now;
    } catch (error) {
      host.interrupt.throwIfAborted();
      if (!(error instanceof FerryError)) throw error;
      if (error.message !== told) await print.note(`not pulled yet: ${error.message}`);
      told = error.message;
      // A commit that doesn't fit is tried again with the next one; all else, whenever the session is read.
      return error instanceof PullRefused ? now : undefined;
    }
  };
}

async function printResult(
  context: Context,
  { session, connection, place }: StartedSession,
  { outcome, verdict, failures }: RunResult,
): Promise<void> {
  const exit = failures[0] === undefined ? 0 : exitCodes[failures[0].kind];
  const result = { session_id: session.id, host: connection.host, outcome, exit, pull: verdict ?? null };
  await context.print.jsonLine({ type: "result", result }, "whole").catch((error: unknown) => {
    if (!(error instanceof OutputError) || verdict?.applied !== true || place === undefined) throw error;
    const details = [summary(verdict, place)];
    throw new FerryError(error.kind, `the pull is done, but ${error.message}`, { details, cause: error });
  });
}
