import { fields } from "../../../wire/fields.ts";
import { Option } from "commander";
import { typedId } from "../../../base/ids.ts";
import { followSession } from "../../flows/follow.ts";
import { sessionArgument } from "../../flows/host/argument.ts";
import { interruption } from "../../flows/interruption.ts";
import { outcomeError, unreadError } from "../../flows/outcome.ts";
import { checkUpdates, updatesHelp } from "../../flows/session/options.ts";
import { openSession } from "../../flows/session/select.ts";
import { typesIn } from "../../flows/session/timeline.ts";
import { list } from "../../options.ts";
import type { Verb } from "../../verb.ts";
import { sinceTime } from "./since.ts";
import { checkTypes } from "./types.ts";

interface Options {
  readonly until?: "idle" | "end";
  readonly exit: boolean;
  readonly since?: string;
  readonly type?: readonly string[];
  readonly updates: boolean;
}

export const tail: Verb = {
  name: "tail",
  summary: "Watch a session live",
  schema: fields.event,
  description:
    "Watch a session live, from its start, to its end; Ctrl-C ends the watching alone. With --until the exit code says how the session stood then.",
  examples: ["ferry tail", "ferry tail - --until idle", "ferry tail --json --type agent_message"],
  define(command) {
    command
      .argument("[session]", "which one")
      .addOption(
        new Option("--until <what>", "end when the agent needs nothing more or needs you (idle), or with the session (end)")
          .choices(["idle", "end"])
          .conflicts("exit"),
      )
      .option("--no-exit", "go on after the session's end")
      .option("--since <time>", "only events after this: a time, or a duration ago")
      .option("--type <types>", "only events of these types, separated by commas", list)
      .option("--updates", updatesHelp, false);
  },
  async run(context, { until, exit, since, type, updates }: Options, given?: string) {
    checkUpdates(context, updates);
    const open = await openSession(context, given);
    await checkTypes(type, () => typesIn(context, open));
    const view = {
      until: exit ? (until ?? "end") : ("never" as const),
      since: sinceTime(since, context.host.clock.now()),
      types: type,
      updates,
    };
    const { outcome, note, unread } = await followSession(context, open, view).catch((error: unknown) => {
      const { id } = open.session;
      const again = `watch it again: ferry tail ${sessionArgument(context, id)}`;
      throw context.host.interrupt.aborted ? interruption(context.host, `no longer watching ${typedId(id)}`, again) : error;
    });
    if (note !== undefined) await context.print.note(note);
    const [failure, missing] = [outcomeError(context, outcome, open.session), unreadError(context, unread, open.session)];
    if (failure !== undefined && until !== undefined) throw failure;
    // Who only watched has seen it all, however it ended.
    if (failure !== undefined) await context.print.note(failure.message);
    if (missing !== undefined) throw missing;
  },
};
