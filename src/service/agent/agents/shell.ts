import type { AgentDefinition } from "../agent.ts";

const program = "/opt/ferry/shell-agent.js";

/** The built-in agent without a model: a message is a script. It needs no account. */
export const shell: AgentDefinition = {
  name: "shell",
  remembers: false,
  launch: ({ dist, node }) => ({
    argv: [node.path, program],
    mounts: [...node.mounts, { source: `${dist}/shell-agent.js`, target: program }],
    env: {},
  }),
};
