import { FerryError } from "../../../base/errors.ts";
import { findFolders } from "../../../base/folders.ts";
import { oneLine } from "../../../base/text.ts";
import { shellWord } from "../../../base/words.ts";
import type { Host } from "../../../host/host.ts";
import { readConfig } from "../../config/config.ts";
import { settingNamed } from "../../config/settings.ts";
import type { Context } from "../../context.ts";
import { choose } from "../choice.ts";
import { currentSetting } from "../settings.ts";
import { findLocal } from "./find.ts";

export type AgentReport = Awaited<ReturnType<typeof listAgents>>[number];

export interface ChosenAgent {
  /** Or AGENT:MODEL. */
  readonly name: string;
  /** The setting that says so, as whoever made a slip in it finds it. */
  readonly from: string | null;
}

/** The built-in one takes a message as a script, so it is never chosen for anybody. */
const scripts = "shell";

/** Every agent as an embedded service would find it that is started now, with this environment. */
export async function listAgents(host: Host) {
  const { surveyAgents } = await import("../../../service/agent/survey.ts");
  return surveyAgents(host, findFolders(host).data, (await readConfig(host)).settings ?? {});
}

/** Every agent as the embedded service that runs has it: with the keys that it was started with. Where none runs, as one would. */
export async function listServedAgents(host: Host) {
  const here = await listAgents(host);
  const models = (await findLocal(host))?.models;
  if (models === undefined) return here;
  const { withModelVariables } = await import("../../../service/agent/key-file.ts");
  const there = await listAgents({ ...host, env: withModelVariables(host.env, models) });
  return there.map((agent) => {
    const ours = here.find(({ name }) => name === agent.name)?.signedIn;
    if (agent.signedIn !== undefined || agent.program === undefined || ours === undefined) return agent;
    const remedy = `the service that runs was started without ${ours}, which this shell has: ferry service stop, and the next command starts it with it; or: ferry service agents login ${agent.name}`;
    return { ...agent, remedy };
  });
}

/** What host local can be told to use: all that ferry knows, and those of the config, whether they are ready or not. */
export async function knownAgents(host: Host): Promise<string[]> {
  const { agentNames } = await import("../../../service/agent/survey.ts");
  return agentNames((await readConfig(host)).settings ?? {});
}

/** A key of the form `agents.NAME.FIELD`, as the service will read it. @throws FerryError usage for a value that it can't use */
export async function checkAgentSetting(key: string, value: string): Promise<void> {
  const { checkAgentSetting: check } = await import("../../../service/agent/installed/configured.ts");
  check(key, value);
}

/**
 * The agent of a new session on host local where none is named: what the config says, what the service was started with, else the only
 * one that is ready; with several a person is asked.
 * @throws FerryError usage where there are several and nobody to ask, failure with what to do where there is none
 */
export async function chooseAgent(context: Context): Promise<ChosenAgent> {
  const { host, interactive, print } = context;
  const { value, from } = currentSetting(context, settingNamed("agent"), (await readConfig(host)).settings);
  if (value !== null) return { name: value, from: from === "config" ? "agent in the config" : from };
  const started = (await findLocal(host))?.agent;
  if (started !== undefined) return { name: started, from: null };
  const agents = (await listServedAgents(host)).filter(({ name }) => name !== scripts);
  const [first, ...others] = agents.filter(({ ready }) => ready);
  if (first === undefined) throw noAgent(agents);
  if (others.length === 0) {
    await print.note(`agent: ${first.name}`);
    return { name: first.name, from: null };
  }
  const names = [first, ...others].map(({ name }) => name);
  if (!interactive)
    throw new FerryError("usage", `several agents are ready here: ${names.join(", ")}`, {
      hint: `name one with --model, or once for all: ferry config set agent ${shellWord(first.name)}`,
    });
  const name = await choose(
    host,
    "Which agent?",
    [first, ...others].map(({ name, version }) => ({ name: [name, version ?? ""].join(" ").trim(), value: name })),
  );
  return { name, from: null };
}

function noAgent(agents: readonly AgentReport[]): FerryError {
  const installed = agents.filter(({ program }) => program !== undefined);
  return new FerryError("failure", "no agent is ready here", {
    details: (installed.length > 0 ? installed : agents).map(({ name, remedy }) => `${name}: ${oneLine(remedy)}`),
    hint: "see ferry service agents; --model shell takes the message as a script, without an agent",
  });
}
