import { fields } from "../../../wire/fields.ts";
import { addStartOptions, type StartOptions } from "../../flows/session/options.ts";
import { sendMessage } from "../../flows/session/message.ts";
import { startSession } from "../../flows/session/start.ts";
import { readText } from "../../flows/text.ts";
import { showOne } from "../../output/show.ts";
import type { Verb } from "../../verb.ts";
import { sessionLines } from "./columns.ts";

interface Options extends StartOptions {
  readonly message?: string;
  readonly file?: string;
}

export const start: Verb = {
  name: "start",
  aliases: ["create", "new"],
  summary: "Start a session for this working copy and link the branch to it",
  examples: ["ferry session start -m 'fix the failing test'", "ferry session start --repo acme/shop --base main --auto-commit"],
  define(command) {
    addStartOptions(command, false);
    command
      .option("-m, --message <text>", "a first message")
      .option("-F, --file <file>", "the first message from a file; - is stdin");
  },
  async run(context, options: Options) {
    const { message, file } = options;
    const words = message === undefined ? [] : [message];
    const text =
      message === undefined && file === undefined ? undefined : await readText(context, words, file, "the first message");
    const started = await startSession(context, options);
    if (text !== undefined) await sendMessage(context, started, text);
    await showOne(context, started.session, sessionLines(started.session, context.host), fields.session);
  },
};
