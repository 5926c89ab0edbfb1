import { Option } from "commander";
import { makeDeadline } from "../../flows/deadline.ts";
import { openSession } from "../../flows/session/select.ts";
import { tellUnfound, waitFields, waitFor } from "../../flows/wait.ts";
import { duration } from "../../options.ts";
import type { Verb } from "../../verb.ts";

interface Options {
  readonly for: keyof typeof untils;
  readonly timeout?: number;
}

const untils = { idle: "idle", finished: "end", merged: "merged" } as const;

export const wait: Verb = {
  name: "wait",
  summary: "Wait until the agent needs nothing more, or needs you",
  description:
    "Wait until the agent needs nothing more, or needs you: exit 0 when it is done, 3 when it asks, 1 when it failed or was stopped, 8 when the time ran out.",
  examples: ["ferry session wait --timeout 10m", "ferry session wait 4h2k --for merged"],
  answer: waitFields,
  outlivesReaders: true,
  define(command) {
    command
      .argument("[session]", "which one")
      .addOption(new Option("--for <what>", "what to wait for").choices(Object.keys(untils)).default("idle"))
      .option("--timeout <duration>", "give up after this long", duration);
  },
  async run(context, options: Options, given?: string) {
    const deadline = makeDeadline(context, options.timeout);
    const open = await openSession(deadline.context, given)
      .catch(async (error: unknown) => {
        if (deadline.isUp() && !context.host.interrupt.aborted) await tellUnfound(context);
        throw error;
      })
      .finally(() => deadline.end());
    await waitFor(context, open, { until: untils[options.for], timeout: deadline.left() });
  },
};
