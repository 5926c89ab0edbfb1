import { FerryError } from "../../base/errors.ts";
import { Problem } from "../problem.ts";
import type { AgentDefinition, AgentLaunch, AgentPlace } from "./agent.ts";
import { claude } from "./agents/claude.ts";
import { codex } from "./agents/codex.ts";
import { gemini } from "./agents/gemini.ts";
import { opencode } from "./agents/opencode.ts";
import { qwen } from "./agents/qwen.ts";
import { shell } from "./agents/shell.ts";

/** The registry: every agent that ferry knows by itself. */
export const knownAgents: readonly AgentDefinition[] = [claude, codex, gemini, opencode, qwen, shell];

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

/** @param place where the agents' programs and keys are */
export function makeAgents(place: AgentPlace): Agents {
  const agents: Agents = {
    list: () => Promise.resolve(knownAgents),
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
