import { textOf, textsOf } from "../../base/text.ts";
import { hostName, local } from "../../auth/address.ts";
import { eventTypes, scopes, sessionStatuses, weekdays } from "../../wire/values.ts";
import { readConfig } from "../config/config.ts";
import { findSetting, settings } from "../config/settings.ts";
import type { Context } from "../context.ts";
import { loginName } from "../flows/login/same.ts";
import { wordFor } from "../flows/login/named.ts";
import { chooseHost, loginsAt } from "../flows/host/choose.ts";
import type { Connection } from "../flows/host/connect.ts";
import { remembered } from "./cache.ts";
import type { Candidate } from "./candidate.ts";
import { isRevoked } from "../commands/key/columns.ts";
import { newest, said } from "./newest.ts";
import { apiPaths, methods } from "./paths.ts";

/** What an argument or an option of that name can be; nothing where files, or the user's own words, are meant. */
export async function valuesFor(context: Context, name: string): Promise<readonly Candidate[]> {
  if (name === "host") return hosts(context);
  if (name === "login") return logins(context);
  if (name === "model" || name === "agent") return agents(context, name);
  if (name === "setting") return settings.map((setting) => ({ value: setting.name, description: setting.about }));
  const [, method, path = ""] = /^path of (\S*) (.*)$/su.exec(name) ?? [];
  if (method !== undefined) return apiPaths(context, method, path);
  const [, key] = /^value of (.*)$/su.exec(name) ?? [];
  if (key === "agent") return agents(context, key);
  const names = key === undefined ? wordsOf[name] : findSetting(key)?.values;
  if (names !== undefined) return names.map((value) => ({ value, description: "" }));
  const ask = asked[name];
  return ask === undefined ? [] : remembered(context, name, ask);
}

const wordsOf: Readonly<Record<string, readonly string[]>> = {
  status: sessionStatuses,
  type: eventTypes,
  scopes,
  on: [...weekdays, "weekdays", "weekend"],
  method: methods,
};

async function hosts({ host }: Context): Promise<Candidate[]> {
  const known = (await readConfig(host)).hosts.map(({ url, account }) => ({ value: hostName(url), description: account }));
  return [...known, { value: local, description: "the embedded service" }];
}

/** By the word that `auth switch` takes for it alone: its host, or where several are at one, its account, or its workspace. */
async function logins({ host, global }: Context): Promise<Candidate[]> {
  const { hosts } = await readConfig(host);
  const known = global.host === undefined ? hosts : loginsAt(global.host, { hosts });
  return known.flatMap((entry) => {
    const value = wordFor(entry, known);
    return value === undefined ? [] : [{ value, description: loginName(entry, known) }];
  });
}

/** Of the embedded service: what models another one has, nothing tells. `--model` names an agent there. */
async function agents(context: Context, name: "model" | "agent"): Promise<Candidate[]> {
  if (name === "model" && (await chooseHost(context)).kind !== "local") return [];
  const { knownAgents } = await import("../flows/local/agents.ts");
  return (await knownAgents(context.host)).map((value) => ({ value, description: "" }));
}

async function sessions({ client }: Connection): Promise<Candidate[]> {
  const all = await newest(client.listSessions);
  return all.map(({ id, title, branch_name }) => ({ value: id, description: said([branch_name, title]) }));
}

async function repositories({ client }: Connection): Promise<Candidate[]> {
  const all = await newest(client.listRepositories);
  return all.map(({ id, full_name, clone_url }) => ({ value: textOf(full_name) || id, description: said([clone_url]) }));
}

async function providers({ client }: Connection): Promise<Candidate[]> {
  const all = await newest(client.listProviders);
  return all.map(({ id, name, base_url }) => ({ value: id, description: said([name, base_url]) }));
}

async function schedules({ client }: Connection): Promise<Candidate[]> {
  if (!(await client.capabilities()).has("schedules")) return [];
  const all = await newest(client.listSchedules);
  return all.map(({ id, name, prompt }) => ({ value: textOf(name) || id, description: said([prompt]) }));
}

async function keys({ client }: Connection): Promise<Candidate[]> {
  if (!(await client.capabilities()).has("keys")) return [];
  const all = await newest(client.listKeys);
  return all
    .filter((key) => !isRevoked(key))
    .map(({ id, name, scopes }) => ({ value: textOf(name) || id, description: said([textsOf(scopes).join(",")]) }));
}

const asked: Readonly<Record<string, (connection: Connection) => Promise<Candidate[]>>> = {
  session: sessions,
  repository: repositories,
  repo: repositories,
  provider: providers,
  schedule: schedules,
  key: keys,
};
