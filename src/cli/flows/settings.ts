import { FerryError } from "../../base/errors.ts";
import { oneLine } from "../../base/text.ts";
import { configPath, readConfig, unknownSettings } from "../config/config.ts";
import { misfit, type Setting, type Settings, settings } from "../config/settings.ts";
import type { Context } from "../context.ts";
import { findLocal } from "./local/find.ts";

/** A key's value and where that comes from: its variable, the config file, or nowhere. */
export interface CurrentSetting {
  readonly name: string;
  readonly value: string | null;
  readonly from: string | null;
  readonly about: string;
}

/** The names in the JSON of a setting. */
export const settingFields = ["name", "value", "from", "about"] as const;

/** The context whose environment has the config file's settings where a variable isn't set. */
export async function withSettings(context: Context): Promise<Context> {
  const env: Record<string, string | undefined> = { ...context.host.env };
  const kept = (await readConfig(context.host)).settings;
  const current = settings.map((setting) => currentSetting(context, setting, kept));
  settings.forEach(({ variable }, at) => {
    if (variable !== undefined) env[variable] = current[at]?.value ?? undefined;
  });
  return { ...context, host: { ...context.host, env } };
}

/** What a key is now, with what the config file keeps. */
export function currentSetting(
  { host }: Context,
  { name, variable, about }: Setting,
  kept: Settings | undefined,
): CurrentSetting {
  const given = variable === undefined ? undefined : host.env[variable];
  if (given !== undefined && given !== "") return { name, value: given, from: variable ?? null, about };
  const value = kept?.[name];
  return value === undefined ? { name, value: null, from: null, about } : { name, value, from: "config", about };
}

/**
 * Before a service is started that would only end with it, in a log. What a flag of `options` says comes before its variable.
 * @throws FerryError usage for a variable that says what it can't
 */
export function checkVariables({ env }: Context["host"], options: readonly string[]): void {
  for (const setting of settings) {
    const value = env[setting.variable ?? ""] ?? "";
    const right = value === "" || options.includes(`--${setting.name}`) ? undefined : misfit(setting, value);
    if (right !== undefined)
      throw new FerryError("usage", `${setting.variable ?? ""} can't be "${oneLine(value)}"`, { hint: `it is ${right}` });
  }
}

/** Says so where the embedded service runs, and goes on with what the key was when it started. */
export async function tellRestart({ host, print }: Context, { name, atStart }: Setting): Promise<void> {
  // One that can't be looked at is no reason not to change the config.
  const running = atStart === true && (await findLocal(host).catch(() => undefined)) !== undefined;
  if (running)
    await print.note(
      `the embedded service runs with the ${name} that it started with; it takes this one after: ferry service stop`,
    );
}

/**
 * Says which keys of the config file mean nothing to this ferry: a newer one wrote them, or somebody made a slip.
 * @throws FerryError usage for a config file that can't be used
 */
export async function tellUnknownSettings({ host, print }: Context): Promise<void> {
  const names = (await unknownSettings(host)).map(oneLine).join(", ");
  if (names !== "") await print.note(`${configPath(host)}: this ferry doesn't know ${names}; ferry config unset KEY removes one`);
}
