import { Option } from "commander";
import { typedId } from "../../../base/ids.ts";
import type { Context } from "../../context.ts";
import { makeDeadline } from "../../flows/deadline.ts";
import type { Connection } from "../../flows/host/connect.ts";
import { requireWorkingCopy } from "../../flows/place/working-copy.ts";
import { requireCommits } from "../../flows/pull.ts";
import { runSession, type RunOptions } from "../../flows/run.ts";
import { sendFirstMessage, type SentMessage } from "../../flows/session/message.ts";
import { addStartOptions, updatesHelp, type StartOptions } from "../../flows/session/options.ts";
import { startSession, type StartedSession } from "../../flows/session/start.ts";
import { readText } from "../../flows/text.ts";
import { duration } from "../../options.ts";
import type { Verb } from "../../verb.ts";

interface Options extends StartOptions, RunOptions {
  readonly file?: string;
  readonly detach: boolean;
  readonly cancelOnInterrupt: boolean;
}

/** After Ctrl-C a person waits for the prompt: telling the service to stop must not take longer, in ms. */
const lastPatience = 5000;

export const run: Verb = {
  name: "run",
  summary: "Start a session here, follow it, and bring its commits home",
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
      .option("--detach", "start it and don't wait; in a pipe, print its id", false)
      .option("--timeout <duration>", "stop waiting this long after the start; the commits that are there by then come", duration)
      .option("--cancel-on-interrupt", "Ctrl-C stops the agent, too", false)
      .option("--updates", updatesHelp, false);
  },
  async run(context, options: Options, words: string[]) {
    const text = await readText(context, words, options.file, "the prompt");
    const deadline = makeDeadline(context, options.timeout);
    const { started, sent } = await start(deadline.context, options, text).finally(() => deadline.end());
    if (options.detach) return detached(context, started);
    try {
      await runSession(context, started, sent, { ...options, timeout: deadline.left() });
    } catch (error) {
      if (context.host.interrupt.aborted) await interrupted(context, started, options.cancelOnInterrupt);
      throw error;
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
  if (context.global.json) await context.print.jsonLine({ type: "session", session: started.session }, "whole");
  return { started, sent: await sendFirstMessage(context, started, text) };
}

/** For a script, the id is what the command gives. */
async function detached({ print, global, host }: Context, { session }: StartedSession): Promise<void> {
  await print.note(`${session.id} is at work; watch it: ferry tail, bring its commits: ferry pull`);
  if (!global.json && !host.terminal.stdout.isTTY) await print.data(`${session.id}\n`);
}

async function interrupted({ print }: Context, { session, connection }: StartedSession, cancel: boolean): Promise<void> {
  if (cancel) {
    await connection.lastCalls(lastPatience).cancelSession({ params: { sessionId: session.id }, body: { queued: true } });
    await print.warn(`${session.id} was told to stop`);
    return;
  }
  const id = typedId(session.id);
  await print.warn(`${id} goes on; follow it: ferry tail ${id}, stop it: ferry session cancel ${id}`);
}
