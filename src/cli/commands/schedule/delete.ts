import { fields } from "../../../wire/fields.ts";
import { confirmByName } from "../../flows/text.ts";
import type { Verb } from "../../verb.ts";
import { connectForSchedules, findSchedule, scheduleName } from "./find.ts";

export const remove: Verb = {
  name: "delete",
  summary: "Delete a scheduled agent; the sessions of its runs stay",
  answer: fields.schedule,
  examples: ["ferry schedule delete nightly --yes"],
  define: (command) => void command.argument("<schedule>", "id or name"),
  async run(context, _, given: string) {
    const connection = await connectForSchedules(context);
    const schedule = await findSchedule(context, connection, given);
    const name = scheduleName(schedule);
    await confirmByName(context, `Delete the schedule ${name} of ${connection.name}?`, name);
    const answer = await connection.client.deleteSchedule({ params: { id: schedule.id } });
    if (context.global.json) await context.print.json({ ...schedule, ...answer }, fields.schedule);
    else await context.print.note(`the schedule ${name} is deleted`);
  },
};
