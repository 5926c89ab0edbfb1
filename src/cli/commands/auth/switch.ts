import { shown, shownLogin } from "../../../auth/address.ts";
import { FerryError } from "../../../base/errors.ts";
import { type Config, type HostEntry, readConfig, updateConfig } from "../../config/config.ts";
import type { Context } from "../../context.ts";
import { choose } from "../../flows/choice.ts";
import { loginsAt } from "../../flows/host/choose.ts";
import { loginsNamed } from "../../flows/login/named.ts";
import { loginName, nameInMenu } from "../../flows/login/same.ts";
import { tellWhereElse } from "../../flows/login/where-else.ts";
import type { Verb } from "../../verb.ts";

/** `switch` is a word of the language. */
export const change: Verb = {
  name: "switch",
  summary: "Choose the login that commands use where nothing names a host",
  answer: ["host", "account", "workspace"],
  examples: ["ferry auth switch", "ferry auth switch agents.example.com", "ferry auth switch ada@example.com"],
  define: (command) => void command.argument("[login]", "a host, an account or a workspace"),
  async run(context, _, given?: string) {
    const { hosts } = await readConfig(context.host);
    const chosen = await chooseLogin(context, hosts, given);
    await updateConfig(context.host, (config) => moveUp(config, chosen));
    if (context.global.json)
      await context.print.json({ host: chosen.url, account: chosen.account, workspace: chosen.workspace ?? null });
    await context.print.note(`now ${loginName(chosen, hosts)}`);
    if (!context.global.json) await tellWhereElse(context, chosen.url);
  },
};

/**
 * The login as it is by now: while a person chose, a new one may have brought another key.
 * @throws FerryError auth where it was ended meanwhile
 */
function moveUp(config: Config, chosen: HostEntry): Config {
  const now = config.hosts.find((entry) => isSame(entry, chosen));
  if (now === undefined)
    throw new FerryError("auth", `another ferry ended the login to ${loginName(chosen, [])} meanwhile`, {
      hint: "see what there is now: ferry auth status",
    });
  return { ...config, hosts: [now, ...config.hosts.filter((entry) => entry !== now)] };
}

async function chooseLogin(
  { interactive, host, global }: Context,
  all: readonly HostEntry[],
  given: string | undefined,
): Promise<HostEntry> {
  if (all.length === 0) throw new FerryError("auth", "not logged in to any host", { hint: "ferry login --host URL" });
  const name = (entry: HostEntry): string => loginName(entry, all);
  const hosts = global.host === undefined ? all : loginsAt(global.host, { hosts: all });
  const matching = given === undefined ? hosts : loginsNamed(given, hosts);
  const [only, second] = matching;
  if (only === undefined) {
    const place = hosts.length === 0 || given === undefined ? global.host : undefined;
    const who = [given && shownLogin(given), place && shown(place)].filter((word) => word !== undefined);
    throw new FerryError("not_found", `not logged in as or to ${who.join(" at ")}`, { hint: "ferry auth status" });
  }
  if (second === undefined) return only;
  const [first, next] = [hosts[0], hosts[1]];
  // With two, the other one is meant.
  if (given === undefined && hosts.length === 2 && first !== undefined && next !== undefined) return next;
  if (interactive)
    return choose(
      host,
      "Which login?",
      matching.map((entry) => ({ name: nameInMenu(entry, matching), also: name(entry), value: entry })),
    );
  throw new FerryError("usage", "which login is meant?", {
    details: matching.map(name),
    hint: "name a host, an account, or a workspace or its id; --host beside one of the latter",
  });
}

function isSame(a: HostEntry, b: HostEntry): boolean {
  return a.url === b.url && a.account === b.account && a.workspace === b.workspace && a.workspaceId === b.workspaceId;
}
