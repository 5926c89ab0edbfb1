import { FerryError } from "../../../base/errors.ts";
import { fields } from "../../../wire/fields.ts";
import { makeDeadline } from "../../flows/deadline.ts";
import { outcomeError } from "../../flows/outcome.ts";
import { fate, namesOf, printSent, sendMessage } from "../../flows/session/message.ts";
import { optionText } from "../../flows/session/option.ts";
import { openSession } from "../../flows/session/select.ts";
import { toWhom } from "../../flows/session/whom.ts";
import { withText } from "../../flows/text.ts";
import { waitFields, waitFor } from "../../flows/wait.ts";
import { duration } from "../../options.ts";
import type { Verb } from "../../verb.ts";

interface Options {
  readonly file?: string;
  readonly wait: boolean;
  readonly timeout?: number;
}

export const send: Verb = {
  name: "send",
  summary: "Send a message to a session's agent",
  answer: ({ wait }: Options) => (wait ? waitFields : fields.event),
  examples: ["ferry message send 4h2k 'go on'", "ferry message send - -F task.md --wait --timeout 10m"],
  outlivesReaders: true,
  define(command) {
    command
      .argument("<session>", "which one")
      .argument("[text...]", "what to say")
      .option("-F, --file <file>", "the text from a file; - is stdin")
      .option("--wait", "until the agent is done with it", false)
      .option("--timeout <duration>", "with --wait: give up after this long", duration);
  },
  async run(context, { file, wait, timeout }: Options, given: string, words: string[]) {
    if (timeout !== undefined && !wait) throw new FerryError("usage", "--timeout is for --wait");
    if (words.length === 0 && /\s/u.test(given.trim()))
      throw new FerryError("usage", "the session is missing", {
        hint: "name it before the message; to this branch's: ferry say",
      });
    const { deadline, open, sent } = await withText(context, { words, file, what: "the message" }, async (text) => {
      const deadline = makeDeadline(context, timeout);
      const within = deadline.context;
      try {
        const open = await openSession(within, given);
        return { deadline, open, sent: await sendMessage(within, open, await optionText(within, open, text)) };
      } catch (error) {
        deadline.end();
        throw error;
      }
    });
    try {
      if (!context.global.json) {
        // It is sent, whatever else the service has no answer to.
        const what = await fate(deadline.context, open, sent).catch((error: unknown) => {
          throw (deadline.isUp() && outcomeError(context, "timeout", open.session)) || error;
        });
        await context.print.note(toWhom(open, given) + what);
      }
      deadline.end();
      if (wait) await waitFor(context, open, { until: "idle", message: namesOf(sent), timeout: deadline.left() });
      else if (context.global.json) await printSent(context, sent);
    } finally {
      deadline.end();
    }
  },
};
