import { fields } from "../../../wire/fields.ts";
import { hostArgument } from "../../flows/host/argument.ts";
import { fate, printSent, sendMessage } from "../../flows/session/message.ts";
import { optionText } from "../../flows/session/option.ts";
import { openSession } from "../../flows/session/select.ts";
import { toWhom } from "../../flows/session/whom.ts";
import { withText } from "../../flows/text.ts";
import type { Verb } from "../../verb.ts";

interface Options {
  readonly session?: string;
  readonly file?: string;
}

export const say: Verb = {
  name: "say",
  summary: "Say something to the session of this branch, or answer its question",
  answer: fields.event,
  examples: ["ferry say 'also update the docs'", "ferry say 2", "ferry say -F notes.md --session -"],
  define(command) {
    command
      .argument("[text...]", "what to say; an option's number answers a question")
      .option("--session <session>", "to this session instead")
      .option("-F, --file <file>", "the text from a file; - is stdin");
  },
  async run(context, { session, file }: Options, words: string[]) {
    const { open, sent } = await withText(context, { words, file, what: "the message" }, async (text) => {
      const how = `ferry say${hostArgument(context)} --session SESSION TEXT`;
      const open = await openSession(context, session, undefined, how);
      return { open, sent: await sendMessage(context, open, await optionText(context, open, text)) };
    });
    if (context.global.json) await printSent(context, sent);
    else await context.print.note(toWhom(open, session) + (await fate(context, open, sent)));
  },
};
