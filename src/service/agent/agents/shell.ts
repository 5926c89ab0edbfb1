import { oneLine } from "../../../base/text.ts";
import { Problem } from "../../problem.ts";
import type { AgentDefinition } from "../agent.ts";
import type { ConfiguredAgent } from "../installed/configured.ts";

export const shellName = "shell";

const program = "/opt/ferry/shell-agent.js";

/** The built-in agent without a model: a message is a script. It needs no account. Of what the user may say of an agent it takes the network. */
export function shellAgent(configured?: ConfiguredAgent): AgentDefinition {
  return {
    name: shellName,
    remembers: false,
    countsAnew: true,
    look: () => Promise.resolve({ program: "built in", version: undefined, signedIn: "needs none", remedy: "" }),
    outside: () => Promise.resolve(undefined),
    launch({ dist, node }, model) {
      if (model !== "")
        return Promise.reject(
          new Problem(422, "unknown_model", `model: the agent "shell" has no models, and so no "${oneLine(model)}"`),
        );
      return Promise.resolve({
        argv: [node.path, program],
        mounts: [...node.mounts, { source: `${dist}/shell-agent.js`, target: program }],
        env: {},
        files: {},
        programs: [],
        accesses: [],
        network: configured?.network ?? [],
        tools: false,
        protocol: { authMethod: "", mode: "", model: "" },
      });
    },
  };
}
