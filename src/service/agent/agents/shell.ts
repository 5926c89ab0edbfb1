import type { AgentDefinition } from "../agent.ts";

const program = "/opt/ferry/shell-agent.js";

/** The built-in agent without a model: a message is a script. It needs no account. */
export const shell: AgentDefinition = {
  name: "shell",
  remembers: false,
  look: () => Promise.resolve({ program: "built in", version: undefined, signedIn: "needs none", remedy: "" }),
  outside: () => Promise.resolve(undefined),
  launch: ({ dist, node }) =>
    Promise.resolve({
      argv: [node.path, program],
      mounts: [...node.mounts, { source: `${dist}/shell-agent.js`, target: program }],
      env: {},
      files: {},
      programs: [],
      accesses: [],
      network: [],
      tools: false,
      protocol: { authMethod: "", mode: "", model: "" },
    }),
};
