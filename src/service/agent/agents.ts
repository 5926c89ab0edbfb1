import { Problem } from "../problem.ts";
import type { AgentDefinition } from "./agent.ts";
import { shell } from "./agents/shell.ts";

/** The registry: every agent that a session's `model` may name. The contract suite runs over it. */
export const agents: readonly AgentDefinition[] = [shell];

/**
 * The agent of a session's `model`, which is `<agent>` or `<agent>:<model>`.
 * @throws Problem 422 that lists the agents there are
 */
export function findAgent(model: string): AgentDefinition {
  const [name] = model.split(":");
  const agent = agents.find((candidate) => candidate.name === name);
  if (agent !== undefined) return agent;
  const known = agents.map((candidate) => candidate.name).join(", ");
  throw new Problem(422, "unknown_model", `model: there is no agent "${model}" here; there is ${known}`);
}
