import { FerryError } from "../../../base/errors.ts";
import { oneLine } from "../../../base/text.ts";
import { updateConfig } from "../../config/config.ts";
import { misfit, settingNamed } from "../../config/settings.ts";
import { currentSetting } from "../../flows/settings.ts";
import type { Verb } from "../../verb.ts";

export const set: Verb = {
  name: "set",
  summary: "Give a key a value",
  examples: [
    "ferry config set credential_store file",
    "ferry config set sandbox bwrap",
    "ferry config set agents.goose.command 'goose acp'",
  ],
  define: (command) => void command.argument("<setting>", "see ferry config list").argument("<value>", "what it is from now on"),
  async run(context, _, key: string, value: string) {
    const setting = settingNamed(key);
    const right = misfit(setting, value);
    // What should have been a variable's name may be its value, and secret.
    if (right !== undefined)
      throw new FerryError("usage", `${key} can't be ${setting.form === undefined ? `"${oneLine(value)}"` : "that"}`, {
        hint: `it is ${right}`,
      });
    await updateConfig(context.host, (config) => ({ ...config, settings: { ...config.settings, [key]: value } }));
    const current = await currentSetting(context, setting);
    if (current.from !== "config") await context.print.warn(`${setting.variable ?? ""} is set and wins over it`);
    if (context.global.json) await context.print.json(current);
    else await context.print.note(`${key} is ${value}`);
  },
};
