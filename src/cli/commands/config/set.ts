import { FerryError } from "../../../base/errors.ts";
import { type Config, updateConfig } from "../../config/config.ts";
import { misfit, settingNamed } from "../../config/settings.ts";
import type { Context } from "../../context.ts";
import { currentSetting, settingFields, tellRestart } from "../../flows/settings.ts";
import { checkKnown } from "../../near.ts";
import type { Verb } from "../../verb.ts";

export const set: Verb = {
  name: "set",
  summary: "Give a key a value",
  answer: settingFields,
  examples: [
    "ferry config set credential_store file",
    "ferry config set sandbox bwrap",
    "ferry config set agents.goose.command 'goose acp'",
  ],
  define: (command) =>
    void command.argument("<setting>", "see ferry help settings").argument("<value>", "what it is from now on"),
  async run(context, _, key: string, value: string) {
    const setting = settingNamed(key);
    const right = misfit(setting, value);
    // What was pasted into the wrong place may be a secret.
    if (right !== undefined) throw new FerryError("usage", `${key} can't be that`, { hint: `it is ${right}` });
    if (key === "agent") await checkAgent(context, value);
    // No other verb of this noun needs to know agents.
    if (key.startsWith("agents.")) await (await import("../../flows/local/agents.ts")).checkAgentSetting(key, value);
    const change = (config: Config): Config => ({ ...config, settings: { ...config.settings, [key]: value } });
    const { settings } = await updateConfig(context.host, change);
    const current = currentSetting(context, setting, settings);
    if (current.from !== "config") await context.print.warn(`${setting.variable ?? ""} is set and wins over it`);
    if (context.global.json) await context.print.json(current);
    else await context.print.note(`${key} is ${value}`);
    await tellRestart(context, setting);
  },
};

/** @throws FerryError usage for one that host local doesn't know, and the config says nothing of */
async function checkAgent({ host }: Context, value: string): Promise<void> {
  const { knownAgents } = await import("../../flows/local/agents.ts");
  const [name = ""] = value.split(":", 1);
  const known = await knownAgents(host);
  checkKnown({ one: "agent", many: "agents" }, [name], known, "another one is set up by agents.NAME.command");
}
