import { fields } from "../../../wire/fields.ts";
import { openSession } from "../../flows/session/select.ts";
import { list, wholeNumber } from "../../options.ts";
import { renderEvent } from "../../output/event.ts";
import { makeCanvas } from "../../output/timeline/canvas.ts";
import type { Verb } from "../../verb.ts";
import { sinceTime } from "./since.ts";
import { checkTypes } from "./types.ts";

interface Options {
  readonly type?: readonly string[];
  readonly since?: string;
  readonly limit?: number;
}

export const events: Verb = {
  name: "events",
  summary: "Show a session's timeline as it is now",
  examples: ["ferry events", "ferry events --since 10m", "ferry events --json --type agent_run_repository_command"],
  paged: true,
  define(command) {
    command
      .argument("[session]", "which one")
      .option("--type <types>", "only events of these types, separated by commas", list)
      .option("--since <time>", "only events after this: a time, or a duration ago")
      .option("--limit <number>", "only the newest so many", wholeNumber);
  },
  async run(context, { type, since, limit }: Options, given?: string) {
    const { host, print, global } = context;
    const { connection, session } = await openSession(context, given);
    const after = sinceTime(since, host.clock.now());
    const all = await connection.client.readEvents({ params: { sessionId: session.id } });
    await checkTypes(type, async () => all);
    const wanted = all
      .filter((event) => type === undefined || type.includes(event.type ?? ""))
      // A time that is none says nothing against an event.
      .filter((event) => after === undefined || !(Date.parse(event.created_at ?? "") < after))
      .toSorted((one, other) => (one.created_at ?? "").localeCompare(other.created_at ?? ""));
    const shown = limit === undefined ? wanted : wanted.slice(-limit);
    const canvas = makeCanvas(host.terminal.stdout, host.terminal.unicode);
    for (const event of shown) {
      if (global.json) await print.jsonLine(event, fields.event);
      else await print.data(`${renderEvent(event, canvas).join("\n")}\n`);
    }
    if (shown.length < wanted.length) await print.note(`these are the newest ${shown.length} of ${wanted.length} events`);
  },
};
