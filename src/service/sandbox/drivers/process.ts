import type { SandboxDriver, SandboxSpec } from "../driver.ts";
import { agent, systemPath } from "../environment.ts";
import type { SandboxHost } from "../host.ts";
import { shortcomings } from "../namespaces/probe.ts";
import { makeSandbox } from "../sandbox.ts";
import { sweep } from "../sweep.ts";

/**
 * No sandbox: processes of the service's own user, with an environment of their own and nothing between them and the machine. For
 * containers and CI machines that are thrown away and forbid namespaces; never chosen by itself.
 */
export function process(host: SandboxHost): SandboxDriver {
  return {
    name: "process",
    probe: async () => {
      const { unenforced, weak } = await shortcomings(host);
      const open = "the agent can do to this machine what the service can";
      return { works: true, reason: "no sandbox at all", weak: [open, ...weak], unenforced };
    },
    create: (spec) =>
      makeSandbox(spec, host, (folder) => ({
        driver: "process",
        workspace: folder.workspace,
        home: folder.home,
        env: {
          PATH: host.env["PATH"] ?? systemPath,
          HOME: folder.home,
          USER: agent.name,
          LANG: "C.UTF-8",
          TMPDIR: folder.temporary,
        },
        keeper: "nobody",
        keeps: [],
        prepare: () => Promise.resolve(),
        lockIn: ({ argv, cwd, env }) => ({ argv: argv.map((word) => onHost(word, spec)), cwd, env }),
      })),
    sweep: (root, alive, rescue) => sweep(root, alive, host, rescue),
  };
}

/** A path under a mount's target as the path under its source, since nothing is moved here. */
function onHost(word: string, spec: SandboxSpec): string {
  for (const { source, target } of [...spec.mounts, ...spec.sockets])
    if (word === target || word.startsWith(`${target}/`)) return source + word.slice(target.length);
  return word;
}
