import { fields } from "../../../wire/fields.ts";
import { confirm } from "../../flows/text.ts";
import type { Verb } from "../../verb.ts";
import { connectForSchedules, findSchedule, scheduleName } from "./find.ts";

export const remove: Verb = {
  name: "delete",
  summary: "Delete a scheduled agent; the sessions of its runs stay",
  examples: ["ferry schedule delete nightly --yes"],
  define: (command) => void command.argument("<schedule>", "id or name"),
  async run(context, _, given: string) {
    const connection = await connectForSchedules(context);
    const schedule = await findSchedule(connection, given);
    await confirm(context, `Delete the schedule ${scheduleName(schedule)} of ${connection.name}?`);
    const answer = await connection.client.deleteSchedule({ params: { id: schedule.id } });
    if (context.global.json) await context.print.json({ ...schedule, ...answer }, fields.schedule);
    else await context.print.note(`the schedule ${scheduleName(schedule)} is deleted`);
  },
};
