import { configPath, readConfig } from "../../config/config.ts";
import { settingsWith } from "../../config/settings.ts";
import { type CurrentSetting, currentSetting, settingFields, tellUnknownSettings } from "../../flows/settings.ts";
import { showList } from "../../output/show.ts";
import type { Column } from "../../output/table.ts";
import type { Verb } from "../../verb.ts";

const columns: readonly Column<CurrentSetting>[] = [
  { header: "KEY", value: ({ name }) => name },
  { header: "VALUE", value: ({ value }) => value },
  { header: "FROM", value: ({ from }) => from },
  { header: "WHAT", prose: true, value: ({ about }) => about },
];

export const list: Verb = {
  name: "list",
  summary: "Show every key, its value, and where that comes from",
  answer: settingFields,
  examples: ["ferry config list", "ferry config list --json"],
  async run(context) {
    const kept = (await readConfig(context.host)).settings;
    const items = settingsWith(kept).map((setting) => currentSetting(context, setting, kept));
    await tellUnknownSettings(context);
    await showList(context, { items, more: false }, columns, { known: settingFields, many: "settings" });
    if (!context.global.json) await context.print.note(`the file is ${configPath(context.host)}`);
  },
};
