import { asFerryError, exitCodes, type FerryError } from "../../base/errors.ts";
import type { Outcome } from "../../client/outcome.ts";
import { PullRefused, type Verdict } from "../../patch/verdict.ts";
import type { Context } from "../context.ts";
import { followSession } from "./follow.ts";
import { outcomeError } from "./outcome.ts";
import { tellLeftThere } from "./pull/left-there.ts";
import { pullSession, summary } from "./pull.ts";
import { namesOf, type SentMessage } from "./session/message.ts";
import type { StartedSession } from "./session/start.ts";

export interface RunOptions {
  /** When commits come into the working copy. */
  readonly pull: "end" | "each" | "none";
  /** In ms. */
  readonly timeout?: number;
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
  const { outcome } = await followSession(context, started, {
    until: "idle",
    message: sent === undefined ? undefined : namesOf(sent),
    fresh: true,
    timeout: options.timeout,
    onPatch: options.pull === "each" ? () => pullQuietly(context, started) : undefined,
  });
  const failure = outcomeError(outcome, started.session);
  const pulled = options.pull === "none" ? undefined : await pullAtEnd(context, started);
  const failures = [failure, pulled?.failure].filter((error) => error !== undefined);
  const result = { outcome, failures, ...(pulled?.verdict === undefined ? {} : { verdict: pulled.verdict }) };
  if (context.global.json) await printResult(context, started, result);
  const [first, second] = failures;
  if (second !== undefined) await context.print.warn(second.message);
  if (first !== undefined) throw first;
}

interface Pulled {
  readonly verdict?: Verdict;
  readonly failure?: FerryError;
}

/** The commits of a failed turn are pulled all the same. */
async function pullAtEnd(context: Context, started: StartedSession): Promise<Pulled> {
  const { print, global } = context;
  try {
    // Its head may have moved on since it was made.
    const session = await started.connection.client.readSession({ params: { sessionId: started.session.id } });
    const verdict = await pullSession(context, { ...started, session });
    if (global.json) return { verdict };
    for (const notice of verdict.notices) await print.note(`note: ${notice}`);
    if (started.place !== undefined) await print.note(summary(verdict, started.place));
    await tellLeftThere(context, { ...started, session });
    return { verdict };
  } catch (error) {
    context.host.interrupt.throwIfAborted();
    const failure = asFerryError(error);
    return error instanceof PullRefused ? { failure, verdict: error.verdict } : { failure };
  }
}

/** While the agent works on, a commit that doesn't fit is no reason to stop watching: the pull at the end says it. */
async function pullQuietly(context: Context, started: StartedSession): Promise<void> {
  const { session, connection } = started;
  const now = await connection.client.readSession({ params: { sessionId: session.id } });
  try {
    const verdict = await pullSession(context, { connection, session: now });
    if (started.place !== undefined && verdict.applied && !context.global.json)
      await context.print.note(summary(verdict, started.place));
  } catch (error) {
    if (!(error instanceof PullRefused)) throw error;
    await context.print.note(`not pulled yet: ${error.message}`);
  }
}

async function printResult(
  context: Context,
  { session, connection }: StartedSession,
  { outcome, verdict, failures }: RunResult,
): Promise<void> {
  const exit = failures[0] === undefined ? 0 : exitCodes[failures[0].kind];
  const result = { session_id: session.id, host: connection.host, outcome, exit, pull: verdict ?? null };
  await context.print.jsonLine({ type: "result", result }, "whole");
}
