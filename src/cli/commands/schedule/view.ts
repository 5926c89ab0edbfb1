import { fields } from "../../../wire/fields.ts";
import { showOne } from "../../output/show.ts";
import type { Verb } from "../../verb.ts";
import { scheduleLines } from "./columns.ts";
import { connectForSchedules, findSchedule } from "./find.ts";

export const view: Verb = {
  name: "view",
  summary: "Show a scheduled agent",
  schema: fields.schedule,
  examples: ["ferry schedule view nightly"],
  define: (command) => void command.argument("<schedule>", "id or name"),
  async run(context, _, given: string) {
    const schedule = await findSchedule(await connectForSchedules(context), given);
    await showOne(context, schedule, scheduleLines(schedule, context.host), fields.schedule);
  },
};
