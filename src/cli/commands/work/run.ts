import { Option } from "commander";
import { FerryError, lineOf, OutputError } from "../../../base/errors.ts";
import { typedId } from "../../../base/ids.ts";
import { fields } from "../../../wire/fields.ts";
import type { Context } from "../../context.ts";
import { makeDeadline } from "../../flows/deadline.ts";
import type { Connection } from "../../flows/host/connect.ts";
import { sessionArgument } from "../../flows/host/argument.ts";
import { interruption } from "../../flows/interruption.ts";
import { requireWorkingCopy } from "../../flows/place/working-copy.ts";
import { requireCommits } from "../../flows/pull.ts";
import { goingOn, runSession, type RunOptions } from "../../flows/run.ts";
import { orUnsupported } from "../../flows/session/act.ts";
import { sendFirstMessage, type SentMessage, unsent } from "../../flows/session/message.ts";
import { addStartOptions, checkUpdates, updatesHelp, type StartOptions } from "../../flows/session/options.ts";
import { startSession, type StartedSession } from "../../flows/session/start.ts";
import { withText } from "../../flows/text.ts";
import { duration } from "../../options.ts";
import type { Verb } from "../../verb.ts";

interface Options extends StartOptions, RunOptions {
  readonly file?: string;
  readonly detach: boolean;
  readonly cancelOnInterrupt: boolean;
}

/** The names in the line of JSON that says which session was begun. */
const begun = ["type", "session"];

/** After Ctrl-C a person waits for the prompt: telling the service to stop must not take longer, in ms. */
const lastPatience = 5000;

export const run: Verb = {
  name: "run",
  summary: "Start a session here, follow it, and bring its commits home",
  answer: ({ detach }: Options) => (detach ? begun : fields.event),
  description:
    "Start a session for this working copy, follow it, and bring its commits home when it is done. Ctrl-C ends the watching; the session goes on.",
  examples: [
    "ferry run 'fix the failing test'",
    "ferry run --host local --model shell 'echo hi > hi.txt'",
    "ferry run -F task.md --detach",
  ],
  outlivesReaders: true,
  define(command) {
    command.argument("[prompt...]", "what to do; without it, your editor opens");
    addStartOptions(command, true);
    command
      .option("-F, --file <file>", "the prompt from a file; - is stdin")
      .addOption(new Option("--pull <when>", "when the commits come").choices(["end", "each", "none"]).default("end"))
      .addOption(
        new Option("--detach", "start it and don't wait; in a pipe, print its id")
          .default(false)
          .conflicts(["pull", "timeout", "cancelOnInterrupt", "updates"]),
      )
      .option("--timeout <duration>", "stop waiting this long after the start; the commits that are there by then come", duration)
      .option("--cancel-on-interrupt", "Ctrl-C stops the agent, too", false)
      .option("--updates", updatesHelp, false);
  },
  async run(context, options: Options, words: string[]) {
    checkUpdates(context, options.updates ?? false);
    const { deadline, started, sent } = await withText(
      context,
      { words, file: options.file, what: "the prompt" },
      async (text) => {
        const deadline = makeDeadline(context, options.timeout);
        return { deadline, ...(await start(deadline.context, options, text).finally(() => deadline.end())) };
      },
    );
    if (options.detach) return detached(context, started);
    try {
      await runSession(context, started, sent, { ...options, timeout: deadline.left() });
    } catch (error) {
      throw context.host.interrupt.aborted ? await ending(context, started, options.cancelOnInterrupt) : error;
    }
  },
};

/** A session for this working copy that has its prompt. */
async function start(context: Context, options: Options, text: string): Promise<{ started: StartedSession; sent: SentMessage }> {
  const pulls = options.pull !== "none" && !options.detach;
  // Better told before an agent works than after it.
  if (pulls) await requireWorkingCopy(context);
  const check = (connection: Connection) => requireCommits(context, { connection });
  const started = await startSession(context, options, pulls ? check : undefined);
  const line = { type: "session", session: started.session };
  if (context.global.json)
    await context.print.jsonLine(line, options.detach ? begun : "whole").catch(async (error: unknown) => {
      throw error instanceof OutputError ? await unsent(context, started, error) : error;
    });
  return { started, sent: await sendFirstMessage(context, started, text) };
}

/** For a script, the id is what the command gives. */
async function detached(context: Context, started: StartedSession): Promise<void> {
  const { print, global, host } = context;
  const { session } = started;
  await print.note(`${session.id} is at work; watch it: ferry tail; bring its commits: ferry pull`);
  if (!global.json && !host.terminal.stdout.isTTY)
    await print.data(`${session.id}\n`).catch((error: unknown) => {
      throw error instanceof OutputError ? goingOn(context, started, error) : error;
    });
}

/** What becomes of the session is told whatever comes of stopping it: what is at work may cost something. */
async function ending(context: Context, started: StartedSession, cancel: boolean): Promise<FerryError> {
  const { host } = context;
  const [id, there] = [typedId(started.session.id), sessionArgument(context, started.session.id)];
  const failure = cancel ? await stopAgent(started) : undefined;
  if (cancel && failure === undefined) return interruption(host, `${id} was told to stop`);
  const goesOn = failure === undefined ? `${id} goes on` : `${id} ${failure}`;
  const stop = started.capabilities.has("cancel") ? `, stop it: ferry session cancel ${there}` : "";
  return interruption(host, goesOn, `follow it: ferry tail ${there}${stop}`);
}

/** Why it goes on, or may, if so. */
async function stopAgent({ session, connection }: StartedSession): Promise<string | undefined> {
  const { cancelSession } = connection.lastCalls(lastPatience);
  const goesOn = (why: string): string => `could not be told to stop, and goes on: ${why}`;
  try {
    await orUnsupported(cancelSession({ params: { sessionId: session.id }, body: { queued: true } }), "stop a running turn");
    return undefined;
  } catch (error) {
    if (error instanceof DOMException && error.name === "TimeoutError")
      return goesOn(`no answer within ${lastPatience / 1000} seconds`);
    if (error instanceof FerryError) return error.doubt === undefined ? goesOn(error.message) : `may go on: ${lineOf(error)}`;
    throw error;
  }
}
