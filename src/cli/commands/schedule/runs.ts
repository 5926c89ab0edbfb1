import { readList } from "../../../client/pages.ts";
import { fields } from "../../../wire/fields.ts";
import { wholeNumber } from "../../options.ts";
import { showList } from "../../output/show.ts";
import type { Verb } from "../../verb.ts";
import { runColumns } from "./columns.ts";
import { connectForSchedules, findSchedule } from "./find.ts";

export const runs: Verb = {
  name: "runs",
  summary: "List the runs of a scheduled agent, newest first",
  schema: fields.scheduleRun,
  examples: ["ferry schedule runs nightly --limit 5", "ferry schedule runs nightly --json --fields session_id,status,cost"],
  define(command) {
    command.argument("<schedule>", "id or name").option("--limit <number>", "at most so many", wholeNumber);
  },
  async run(context, { limit }: { readonly limit?: number }, given: string) {
    const connection = await connectForSchedules(context);
    const params = { id: (await findSchedule(context, connection, given)).id };
    const read: typeof connection.client.listScheduleRuns = (input) => connection.client.listScheduleRuns({ ...input, params });
    await showList(context, await readList(read, { limit }), runColumns(context.host), {
      known: fields.scheduleRun,
      many: "runs",
    });
  },
};
