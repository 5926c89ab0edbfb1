import { unknownSettings, updateConfig } from "../../config/config.ts";
import { type Setting, settingNamed } from "../../config/settings.ts";
import { currentSetting, settingFields, tellRestart } from "../../flows/settings.ts";
import type { Verb } from "../../verb.ts";

export const unset: Verb = {
  name: "unset",
  summary: "Take a key's value away; none there is fine",
  answer: settingFields,
  examples: ["ferry config unset sandbox"],
  define: (command) => void command.argument("<setting>", "see ferry config list"),
  async run(context, _, key: string) {
    // A key that a newer ferry knows can be taken away by this one, too.
    const setting: Setting = (await unknownSettings(context.host)).includes(key) ? { name: key, about: "" } : settingNamed(key);
    let gone: unknown;
    const { settings } = await updateConfig(context.host, (config) => {
      const { [key]: value, ...rest } = config.settings ?? {};
      gone = value;
      return { ...config, settings: rest };
    });
    if (context.global.json) await context.print.json(currentSetting(context, setting, settings));
    else await context.print.note(`${key} is no longer set`);
    if (gone !== undefined) await tellRestart(context, setting);
  },
};
