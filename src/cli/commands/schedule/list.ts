import { readList } from "../../../client/pages.ts";
import { fields } from "../../../wire/fields.ts";
import { whileWaiting } from "../../flows/waiting.ts";
import { wholeNumber } from "../../options.ts";
import { showList } from "../../output/show.ts";
import type { Verb } from "../../verb.ts";
import { scheduleColumns } from "./columns.ts";
import { connectForSchedules } from "./find.ts";

export const list: Verb = {
  name: "list",
  summary: "List scheduled agents, and when each runs next",
  schema: fields.schedule,
  examples: ["ferry schedule list", "ferry schedule list --json --fields id,name,next_run_at"],
  define: (command) => void command.option("--limit <number>", "at most so many", wholeNumber),
  async run(context, { limit }: { readonly limit?: number }) {
    const { client, name } = await connectForSchedules(context);
    const listing = await whileWaiting(context, name, () => readList(client.listSchedules, { limit }));
    await showList(context, listing, scheduleColumns(context.host), { known: fields.schedule, many: "schedules" });
  },
};
