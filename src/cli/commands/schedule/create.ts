import type { BodyOf } from "../../../wire/contract.ts";
import { fields } from "../../../wire/fields.ts";
import type { Context } from "../../context.ts";
import type { Connection } from "../../flows/host/connect.ts";
import { findPlaceIfAny } from "../../flows/place/place.ts";
import { ensureRepositoryHere, repositoryNamed } from "../../flows/place/repository.ts";
import { withText } from "../../flows/text.ts";
import { showOne } from "../../output/show.ts";
import type { Verb } from "../../verb.ts";
import type { Budget } from "./budget.ts";
import { scheduleLines } from "./columns.ts";
import { connectForSchedules } from "./find.ts";
import { addTimesOptions, readTimes, type Times, type TimesOptions } from "./options.ts";
import { localTimezone, parseInterval } from "./times.ts";

interface Options extends TimesOptions {
  readonly every: string;
  readonly disabled: boolean;
}

export const create: Verb = {
  name: "create",
  summary: "Have an agent run a prompt again and again",
  answer: fields.schedule,
  description:
    "Have an agent run a prompt again and again, each time in a session of its own. Without --repo it works on the repository of this working copy; without --timezone its days and hours are those of this machine.",
  examples: [
    'ferry schedule create nightly --every day --at 02:30 "update the dependencies"',
    "ferry schedule create triage --every 1d --on weekdays --at 09:00 --budget run=2,month=40 -F triage.md",
  ],
  define(command) {
    command
      .argument("<name>", "what to call it")
      .argument("[prompt...]", "what the agent is told each time; without it, your editor opens");
    addTimesOptions(command, { isNew: true });
    command.option("--disabled", "make it without letting it run", false);
  },
  async run(context, options: Options, name: string, words: readonly string[]) {
    const { every: given, ...others } = options;
    const every = parseInterval(given);
    const { budget, ...times } = readTimes(others);
    const { connection, schedule } = await withText(
      context,
      { words, file: options.file, what: "the prompt" },
      async (prompt) => {
        const connection = await connectForSchedules(context);
        const repository = await chooseRepository(context, connection, options.repo);
        const body: BodyOf<"createSchedule"> = {
          name,
          prompt,
          every,
          ...withTimezone(times),
          ...(budget !== undefined && { budget: limitsOf(budget) }),
          ...(repository !== undefined && { repository_id: repository }),
          ...(options.disabled && { enabled: false }),
        };
        return { connection, schedule: await connection.client.createSchedule({ body }) };
      },
    );
    await showOne(context, schedule, () => scheduleLines(context.host, connection, schedule), fields.schedule);
  },
};

/** Who names a day or an hour means their own. */
function withTimezone(times: Omit<Times, "every" | "budget">): typeof times {
  const needed = times.weekdays !== undefined || times.time_of_day !== undefined;
  return needed && times.timezone === undefined ? { ...times, timezone: localTimezone() } : times;
}

/** `none` says nothing of a schedule that is just made. */
function limitsOf(budget: Budget<number | null>): Budget {
  return Object.fromEntries(Object.entries(budget).filter(([, amount]) => amount !== null));
}

/** Its id; undefined outside of a working copy, where the service knows or asks. */
async function chooseRepository(
  context: Context,
  connection: Connection,
  named: string | undefined,
): Promise<string | undefined> {
  if (named !== undefined) return (await repositoryNamed(connection, named)).id;
  const place = await findPlaceIfAny(context);
  return place === undefined ? undefined : (await ensureRepositoryHere(context, connection, place)).id;
}
