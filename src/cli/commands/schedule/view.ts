import { fields } from "../../../wire/fields.ts";
import { whileWaiting } from "../../flows/waiting.ts";
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
    const connection = await connectForSchedules(context);
    const schedule = await findSchedule(context, connection, given);
    const lines = () => whileWaiting(context, connection.name, () => scheduleLines(context.host, connection, schedule));
    await showOne(context, schedule, lines, fields.schedule);
  },
};
