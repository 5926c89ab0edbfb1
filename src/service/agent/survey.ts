import { asFerryError, FerryError } from "../../base/errors.ts";
import type { Host } from "../../host/host.ts";
import type { AgentDefinition, AgentPlace, AgentState } from "./agent.ts";
import { agentsWith } from "./agents.ts";
import { configuredAgents } from "./installed/configured.ts";
import { secretsOf } from "./key-file.ts";
import { readSignIn } from "./sign-in/store.ts";
import { type LastTurn, readLastTurns } from "./last-turns.ts";

/** An agent as it is here, for people and for choosing one. */
export interface AgentReport extends AgentState {
  readonly name: string;
  /** Whether a turn can be tried. */
  readonly ready: boolean;
  readonly lastTurn: LastTurn | undefined;
  /** Why it couldn't even be looked at, e.g. a setting that can't be read. */
  readonly fault: FerryError | undefined;
}

type SurveyHost = Pick<Host, "env" | "files" | "processes" | "dist" | "self">;

/** Every agent, as a service with this environment and data folder would find it. @param settings of ferry's config */
export async function surveyAgents(
  host: SurveyHost,
  data: string,
  settings: Readonly<Record<string, string>>,
): Promise<AgentReport[]> {
  const place = placeOf(host, data);
  const turns = await readLastTurns(host.files, data);
  return Promise.all(agentsWith(configuredAgents(settings)).map((agent) => report(agent, place, turns[agent.name])));
}

/**
 * The command line by which an agent signs in by itself.
 * @throws FerryError usage where there is no such agent, or it can't; failure where it isn't installed
 */
export async function outsideCommand(
  host: SurveyHost,
  data: string,
  settings: Readonly<Record<string, string>>,
  name: string,
): Promise<readonly string[]> {
  const agent = agentsWith(configuredAgents(settings)).find((known) => known.name === name);
  if (agent === undefined) throw new FerryError("usage", `there is no agent "${name}"`, { hint: "see ferry service agents" });
  const place = placeOf(host, data);
  const argv = await agent.outside(place);
  if (argv !== undefined) return argv;
  const { program, remedy } = await agent.look(place);
  if (program === undefined) throw new FerryError("failure", `the agent "${name}" isn't installed`, { hint: remedy });
  throw new FerryError("usage", `ferry knows of no subscription that the agent "${name}" could sign in with by itself`, {
    hint: `give it a key: ferry service agents login ${name}`,
  });
}

function placeOf(host: SurveyHost, data: string): AgentPlace {
  return {
    dist: host.dist,
    node: { path: host.self[0] ?? "node", mounts: [] },
    find: (program) => host.processes.find(program),
    secret: secretsOf(host.env, host.files, data),
    signIn: (agent) => readSignIn(host.files, data, agent),
    permissions: () => Promise.resolve("allow"),
  };
}

/** The names of all of them: nothing is run or looked for to tell. */
export function agentNames(settings: Readonly<Record<string, string>>): string[] {
  return agentsWith(configuredAgents(settings)).map(({ name }) => name);
}

async function report(agent: AgentDefinition, place: AgentPlace, lastTurn: LastTurn | undefined): Promise<AgentReport> {
  const about = { name: agent.name, lastTurn };
  try {
    const state = await agent.look(place);
    return { ...about, ...state, ready: state.program !== undefined && state.signedIn !== undefined, fault: undefined };
  } catch (error) {
    const fault = asFerryError(error);
    const remedy = fault.hint === undefined ? fault.message : `${fault.message}: ${fault.hint}`;
    return { ...about, program: undefined, version: undefined, signedIn: undefined, ready: false, remedy, fault };
  }
}
