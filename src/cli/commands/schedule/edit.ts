import { FerryError } from "../../../base/errors.ts";
import type { BodyOf } from "../../../wire/contract.ts";
import { fields } from "../../../wire/fields.ts";
import { repositoryNamed } from "../../flows/place/repository.ts";
import { readText } from "../../flows/text.ts";
import { showChanged } from "../../output/show.ts";
import type { Verb } from "../../verb.ts";
import { scheduleLines } from "./columns.ts";
import { connectForSchedules, findSchedule } from "./find.ts";
import { addTimesOptions, readTimes, type TimesOptions } from "./options.ts";

interface Options extends TimesOptions {
  readonly name?: string;
  readonly prompt?: string;
  readonly enable: boolean;
  readonly disable: boolean;
}

export const edit: Verb = {
  name: "edit",
  summary: "Change a scheduled agent, or switch it on and off",
  answer: fields.schedule,
  examples: [
    "ferry schedule edit nightly --disable",
    "ferry schedule edit nightly --every 2d --at 03:00 --budget run=5,day=none",
  ],
  define(command) {
    command
      .argument("<schedule>", "id or name")
      .option("--name <name>", "what to call it")
      .option("-m, --prompt <text>", "what the agent is told each time");
    addTimesOptions(command);
    command.option("--enable", "let it run", false).option("--disable", "don't let it run", false);
  },
  async run(context, options: Options, given: string) {
    const { name, prompt, file, repo, enable, disable } = options;
    if (enable && disable) throw new FerryError("usage", "give --enable or --disable, not both");
    const words = prompt === undefined ? [] : [prompt];
    const text = prompt === undefined && file === undefined ? undefined : await readText(context, words, file, "the prompt");
    const change: BodyOf<"updateSchedule"> = {
      ...readTimes(options),
      ...(name !== undefined && { name }),
      ...(text !== undefined && { prompt: text }),
      ...((enable || disable) && { enabled: enable }),
    };
    if (Object.keys(change).length === 0 && repo === undefined)
      throw new FerryError("usage", "nothing to change", { hint: "see ferry schedule edit --help" });
    const connection = await connectForSchedules(context);
    const { id, ...before } = await findSchedule(context, connection, given);
    const body = { ...change, ...(repo !== undefined && { repository_id: (await repositoryNamed(connection, repo)).id }) };
    const changed = { id, ...before, ...(await connection.client.updateSchedule({ params: { id }, body })) };
    await showChanged(context, changed, () => scheduleLines(context.host, connection, changed), fields.schedule);
  },
};
