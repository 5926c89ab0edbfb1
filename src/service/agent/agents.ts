import { FerryError } from "../../base/errors.ts";
import { Problem } from "../problem.ts";
import type { AgentDefinition, AgentLaunch, AgentPlace } from "./agent.ts";
import { claude } from "./agents/claude.ts";
import { codex } from "./agents/codex.ts";
import { gemini } from "./agents/gemini.ts";
import { genericAgent } from "./agents/generic.ts";
import { opencode } from "./agents/opencode.ts";
import { qwen } from "./agents/qwen.ts";
import { shellAgent, shellName } from "./agents/shell.ts";
import type { ConfiguredAgent } from "./installed/configured.ts";
import { providers } from "./gateway/provider.ts";
import { installedAgent } from "./installed/installed-agent.ts";
import type { AgentRecipe } from "./installed/recipe.ts";

/** The registry: every agent that ferry knows by itself, besides the built-in `shell`. */
const recipes: readonly AgentRecipe[] = [claude, codex, gemini, opencode, qwen];

/** Those, with what the user says of them, and the others that the user says something of. */
export function agentsWith(configured: readonly ConfiguredAgent[]): readonly AgentDefinition[] {
  const known = new Set([shellName, ...recipes.map(({ name }) => name)]);
  const others = configured.filter(({ name }) => !known.has(name)).map(({ name }) => genericAgent(name));
  const said = (name: string) => configured.find((agent) => agent.name === name);
  const all = [
    ...[...recipes, ...others].map((recipe) => installedAgent(recipe, said(recipe.name))),
    shellAgent(said(shellName)),
  ];
  return all.map((agent) => withFault(agent, said(agent.name)?.fault));
}

/** Without what the user meant by a setting it would do something else than that. */
function withFault(agent: AgentDefinition, fault: FerryError | undefined): AgentDefinition {
  if (fault === undefined) return agent;
  const fail = () => Promise.reject(fault);
  return { ...agent, look: fail, outside: fail, launch: fail };
}

/** The variables that can hold a key for an agent's providers, the usual one of each provider first; none for one that needs no key. */
export function keyVariables(name: string, configured: readonly ConfiguredAgent[]): string[] {
  const recipe = recipes.find((candidate) => candidate.name === name);
  const said = configured.find((agent) => agent.name === name);
  if (said?.keyless === true) return [];
  const named = recipe ?? (said && genericAgent(name));
  return (named?.providers ?? []).flatMap((provider) => providers[provider].keys.map(({ variable }) => variable));
}

/** The agents of one service. */
export interface Agents {
  list(): Promise<readonly AgentDefinition[]>;
  /**
   * The agent of a session's `model`, which is `<agent>` or `<agent>:<model>`.
   * @throws Problem 422 that lists the agents there are
   */
  find(model: string): Promise<AgentDefinition>;
  /** @throws FerryError where it can't be started here, with the remedy */
  launch(model: string): Promise<AgentLaunch>;
  /** @throws Problem 422 where there is no such agent, or it can't be started here */
  check(model: string): Promise<void>;
}

/**
 * @param place where the agents' programs and keys are
 * @param configured what the user says of agents, now
 */
export function makeAgents(place: AgentPlace, configured: () => Promise<readonly ConfiguredAgent[]>): Agents {
  const agents: Agents = {
    list: async () => agentsWith(await configured()),
    async find(model) {
      const { name } = parseModel(model);
      const list = await agents.list();
      const agent = list.find((candidate) => candidate.name === name);
      if (agent !== undefined) return agent;
      const known = list.map((candidate) => candidate.name).join(", ");
      throw new Problem(422, "unknown_model", `model: there is no agent "${name}" here; there is ${known}`);
    },
    launch: async (model) => (await agents.find(model)).launch(place, parseModel(model).rest),
    async check(model) {
      try {
        await agents.launch(model);
      } catch (error) {
        if (!(error instanceof FerryError)) throw error;
        const hint = error.hint === undefined ? "" : ` (${error.hint})`;
        throw new Problem(422, "agent_not_ready", `model: ${error.message}${hint}`);
      }
    },
  };
  return agents;
}

/** `<agent>:<model>`; what stands behind the first colon is the agent's business. */
function parseModel(model: string): { name: string; rest: string } {
  const [name = ""] = model.split(":", 1);
  return { name, rest: model.slice(name.length + 1) };
}
