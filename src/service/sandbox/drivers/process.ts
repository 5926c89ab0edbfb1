import type { Sandbox, SandboxDriver, SandboxSpec } from "../driver.ts";
import { makeFolder } from "../folder/layout.ts";
import type { SandboxHost } from "../host.ts";
import { makeCgroup } from "../limits/cgroup.ts";
import { unenforced } from "../probe.ts";
import { label } from "../processes/members.ts";
import { systemPath } from "../processes/run.ts";
import type { Recipe } from "../recipe.ts";
import { openSandbox } from "../sandbox.ts";
import { sweep } from "../sweep.ts";

/**
 * No sandbox: processes of the service's own user, with an environment of their own and nothing between them and the machine. For
 * containers and CI machines that are thrown away and forbid namespaces; never chosen by itself.
 */
export function process(host: SandboxHost): SandboxDriver {
  return {
    name: "process",
    probe: async () => ({
      works: true,
      reason: "no sandbox at all: the agent can do to this machine what the service can",
      unenforced: await unenforced(host),
    }),
    create: (spec) => create(spec, host),
    sweep: (root, alive) => sweep(root, alive, host),
  };
}

async function create(spec: SandboxSpec, host: SandboxHost): Promise<Sandbox> {
  const folder = await makeFolder(spec.root, spec.id);
  const recipe: Recipe = {
    driver: "process",
    workspace: folder.workspace,
    home: folder.home,
    env: { PATH: host.env["PATH"] ?? systemPath, HOME: folder.home, USER: "agent", LANG: "C.UTF-8", TMPDIR: folder.temporary },
    contained: false,
    prepare: () => Promise.resolve(),
    lockIn: ({ argv, cwd, env, label: value }) => ({
      argv: argv.map((word) => onHost(word, spec)),
      env: { ...env, [label]: value },
      cwd,
    }),
  };
  return openSandbox({ spec, folder, recipe, cgroup: await makeCgroup(spec.id, spec.limits) }, host);
}

/** A path under a mount's target as the path under its source, since nothing is moved here. */
function onHost(word: string, spec: SandboxSpec): string {
  for (const { source, target } of [...spec.mounts, ...spec.sockets])
    if (word === target || word.startsWith(`${target}/`)) return source + word.slice(target.length);
  return word;
}
