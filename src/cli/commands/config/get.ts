import { FerryError } from "../../../base/errors.ts";
import { harmless } from "../../../base/text.ts";
import { readConfig } from "../../config/config.ts";
import { settingNamed } from "../../config/settings.ts";
import { currentSetting, settingFields } from "../../flows/settings.ts";
import type { Verb } from "../../verb.ts";

export const get: Verb = {
  name: "get",
  summary: "Print the value of a key",
  description: "Print the value of a key: of its variable in the environment, else of the config file.",
  answer: settingFields,
  examples: ["ferry config get sandbox"],
  define: (command) => void command.argument("<setting>", "see ferry config list"),
  async run(context, _, key: string) {
    const current = currentSetting(context, settingNamed(key), (await readConfig(context.host)).settings);
    if (current.value === null) throw new FerryError("not_found", `${key} is not set`, { hint: current.about });
    if (context.global.json) await context.print.json(current);
    else await context.print.data(`${harmless(current.value)}\n`);
  },
};
