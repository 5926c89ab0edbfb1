import { FerryError } from "../../../base/errors.ts";
import { oneLine, textOf } from "../../../base/text.ts";
import { fields } from "../../../wire/fields.ts";
import { sessionArgument } from "../../flows/host/argument.ts";
import type { Verb } from "../../verb.ts";
import { connectForSchedules, findSchedule, scheduleName } from "./find.ts";

export const run: Verb = {
  name: "run",
  summary: "Run a scheduled agent now; its times stay as they are",
  answer: fields.scheduleRun,
  examples: ["ferry schedule run nightly", 'ferry tail "$(ferry schedule run nightly)"'],
  define: (command) => void command.argument("<schedule>", "id or name"),
  async run(context, _, given: string) {
    const connection = await connectForSchedules(context);
    const schedule = await findSchedule(context, connection, given);
    const started = await connection.client.runSchedule({ params: { id: schedule.id } });
    const { session_id, status, reason } = started;
    const session = textOf(session_id);
    if (context.global.json) await context.print.json(started, fields.scheduleRun);
    else if (session) await context.print.data(`${session}\n`);
    if (status === "skipped" || status === "failed")
      throw new FerryError(
        "failure",
        `${scheduleName(schedule)} ${status === "failed" ? "failed" : "was skipped"}${why(reason)}`,
      );
    if (context.global.json) return;
    await context.print.note(
      `${scheduleName(schedule)} runs now${session ? `; watch it with: ferry tail ${sessionArgument(context, session)}` : ""}`,
    );
  },
};

function why(reason: unknown): string {
  return reason ? `: ${oneLine(textOf(reason))}` : "";
}
