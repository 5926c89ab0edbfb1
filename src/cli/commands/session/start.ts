import { Option } from "commander";
import { FerryError } from "../../../base/errors.ts";
import { fields } from "../../../wire/fields.ts";
import type { Context } from "../../context.ts";
import { requireWorkingCopy } from "../../flows/place/working-copy.ts";
import { requireCommits } from "../../flows/pull.ts";
import { runSession, type RunOptions } from "../../flows/run.ts";
import { sendFirstMessage } from "../../flows/session/message.ts";
import { addStartOptions, checkUpdates, updatesHelp, type StartOptions } from "../../flows/session/options.ts";
import { startSession, type StartedSession } from "../../flows/session/start.ts";
import { readText } from "../../flows/text.ts";
import { showOne } from "../../output/show.ts";
import type { Verb } from "../../verb.ts";
import { sessionLines } from "./columns.ts";

interface Options extends StartOptions, Pick<RunOptions, "pull" | "updates"> {
  readonly message?: string;
  readonly file?: string;
  readonly follow: boolean;
}

export const start: Verb = {
  name: "start",
  summary: "Start a session for this working copy and link the branch to it",
  answer: ({ follow }: Options) => (follow ? fields.event : fields.session),
  examples: [
    "ferry session start --auto-commit -m 'fix the failing test'",
    "ferry session start --repo acme/shop --base main --auto-commit",
    "ferry session start -m 'fix it' --auto-commit --follow --pull end",
  ],
  outlivesReaders: true,
  define(command) {
    addStartOptions(command);
    command
      .option("-m, --message <text>", "a first message")
      .option("-F, --file <file>", "the first message from a file; - is stdin")
      .option("--follow", "watch it until the agent needs nothing more", false)
      .addOption(
        new Option("--pull <when>", "with --follow: when its commits come").choices(["end", "each", "none"]).default("none"),
      )
      .option("--updates", updatesHelp, false);
  },
  async run(context, options: Options) {
    const { message, file, follow, pull, updates } = options;
    if (pull !== "none" && !follow) throw new FerryError("usage", "--pull is for --follow");
    if (updates === true && !follow) throw new FerryError("usage", "--updates is for --follow");
    checkUpdates(context, updates ?? false);
    const words = message === undefined ? [] : [message];
    const text =
      message === undefined && file === undefined ? undefined : await readText(context, words, file, "the first message");
    const pulls = pull !== "none";
    if (pulls) await requireWorkingCopy(context);
    const started = await startSession(
      context,
      options,
      pulls ? (connection) => requireCommits(context, { connection }) : undefined,
    );
    if (follow && context.global.json) await context.print.jsonLine({ type: "session", session: started.session }, "whole");
    const sent = text === undefined ? undefined : await sendFirstMessage(context, started, text);
    if (follow) await runSession(context, started, sent, { pull, updates });
    else await show(context, started, sent !== undefined);
  },
};

/** What the message began is no part of the answer from before it. Where it can't be read, the session was started all the same. */
async function show(context: Context, started: StartedSession, changed: boolean): Promise<void> {
  const { client } = started.connection;
  const read = () => client.readSession({ params: { sessionId: started.session.id } });
  const session = changed ? await read().catch(unlessInterrupted(context, started.session)) : started.session;
  const shown = { ...started, session };
  await showOne(context, session, () => sessionLines(context.host, shown), fields.session);
}

function unlessInterrupted<T>({ host }: Context, otherwise: T): (error: unknown) => T {
  return (error) => {
    host.interrupt.throwIfAborted();
    if (error instanceof FerryError) return otherwise;
    throw error;
  };
}
