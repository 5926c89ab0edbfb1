import { type Command, Option } from "commander";
import { list } from "../../options.ts";
import { type Budget, parseBudget } from "./budget.ts";
import { type Interval, parseDays, parseInterval, parseTimeOfDay, parseTimezone } from "./times.ts";

/** When and for how much it runs: what create and edit have in common. */
export interface TimesOptions {
  readonly every?: string;
  readonly on?: readonly string[];
  readonly at?: string;
  readonly timezone?: string;
  readonly budget?: readonly string[];
  readonly repo?: string;
  readonly model?: string;
  readonly file?: string;
}

/** Without how often it runs there is no schedule to create. */
export function addTimesOptions(command: Command, { isNew = false } = {}): void {
  const every = new Option("--every <interval>", "how often: 6h, 1d, 2w, 1mo, or hour, day, week, month");
  command
    .option("-F, --file <file>", "the prompt from a file; - is stdin")
    .addOption(every.makeOptionMandatory(isNew))
    .option("--on <days>", "only on these days: mon,wed,fri, weekdays or weekend", list)
    .option("--at <time>", "at this time of day, on a quarter of an hour, e.g. 09:00")
    .option("--timezone <name>", "whose days and hours these are, e.g. Europe/Berlin")
    .option("--budget <limits>", "limits in USD per run, day, week or month, e.g. run=2,month=50", list)
    .option("--repo <repository>", "id or owner/name")
    .option("--model <code>", "the language model, or the agent");
}

export interface Times {
  readonly every?: Interval;
  readonly weekdays?: ReturnType<typeof parseDays>;
  readonly time_of_day?: string;
  readonly timezone?: string;
  readonly budget?: Budget<number | null>;
  readonly model?: string;
}

/** What of it was given, as the service takes it. @throws FerryError usage */
export function readTimes({ every, on, at, timezone, budget, model }: TimesOptions): Times {
  return {
    ...(every !== undefined && { every: parseInterval(every) }),
    ...(on !== undefined && { weekdays: parseDays(on) }),
    ...(at !== undefined && { time_of_day: parseTimeOfDay(at) }),
    ...(timezone !== undefined && { timezone: parseTimezone(timezone) }),
    ...(budget !== undefined && { budget: parseBudget(budget) }),
    ...(model !== undefined && { model }),
  };
}
