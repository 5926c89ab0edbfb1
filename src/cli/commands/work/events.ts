import { fields } from "../../../wire/fields.ts";
import { madeAt, type SourcedEvent, type TimelineEvent } from "../../../client/timeline/items.ts";
import { openSession } from "../../flows/session/select.ts";
import { sayCommand } from "../../flows/session/say-command.ts";
import { sourcesOf, typesIn } from "../../flows/session/timeline.ts";
import { list, wholeNumber } from "../../options.ts";
import { renderEvent } from "../../output/event.ts";
import { makeAnswers } from "../../output/timeline/answers.ts";
import { makeCanvas } from "../../output/timeline/canvas.ts";
import { makeDays } from "../../output/timeline/days.ts";
import { wordOf } from "../../output/timeline/fields.ts";
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
  schema: fields.event,
  description:
    "Show a session's timeline as it is now. With --json an event a line, so that --jq gets each by itself: --jq .type",
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
    const open = await openSession(context, given);
    const after = sinceTime(since, host.clock.now());
    await checkTypes(type, () => typesIn(context, open));
    const canvas = makeCanvas(host.terminal.stdout, host.terminal.unicode, sayCommand(context, open));
    const answers = makeAnswers();
    const daysTold = makeDays(host.clock.now());
    const linesOf = (event: TimelineEvent): readonly string[] => {
      const told = answers.spelledOut(event);
      const lines = told === undefined ? [] : renderEvent(told, canvas);
      return lines.length === 0 ? [] : [...daysTold(wordOf(event.created_at), canvas), ...lines];
    };
    const show = async (shown: readonly SourcedEvent[]): Promise<void> => {
      if (global.json) await print.events(shown);
      else if (shown.length > 0)
        await print.data(shown.flatMap(({ event }) => linesOf(event).map((line) => `${line}\n`)).join(""));
    };
    const isWanted = ({ event }: SourcedEvent): boolean =>
      // A time that is none says nothing against an event.
      type?.includes(event.type ?? "") !== false && !(madeAt(event) < (after ?? -Infinity));
    let [newest, count, all]: [SourcedEvent[], number, number] = [[], 0, 0];
    for await (const events of sourcesOf(context, open)) {
      all += events.length;
      const wanted = events.filter(isWanted);
      count += wanted.length;
      if (limit === undefined) await show(wanted);
      else newest = [...newest, ...wanted].slice(-limit);
    }
    await show(newest);
    if (count === 0 && !global.json) await print.note(all === 0 ? "no events" : `none of ${all} events is shown`);
    if (limit !== undefined && limit < count) await print.note(`these are the newest ${limit} of ${count} events`);
  },
};
