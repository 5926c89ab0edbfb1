import { agent, makeEtc } from "./folder/etc.ts";
import { makeFolder } from "./folder/layout.ts";
import type { Sandbox, SandboxDriver, SandboxSpec } from "./driver.ts";
import { pack } from "./environment.ts";
import type { SandboxHost } from "./host.ts";
import { countsThreadsAlone, firstProcess } from "./inside.ts";
import { makeCgroup } from "./limits/cgroup.ts";
import { viewOf, workspace, type Step } from "./namespaces.ts";
import { probeNamespaces } from "./probe.ts";
import { label } from "./processes/members.ts";
import { systemPath } from "./processes/run.ts";
import type { Inside, Recipe } from "./recipe.ts";
import { openSandbox } from "./sandbox.ts";
import { sweep } from "./sweep.ts";
import { builderFor } from "./user.ts";

/** What a driver that works with namespaces says of itself. */
export interface NamespaceTool {
  readonly name: "bwrap" | "unshare";
  /** The program that is looked for, and what to do where it isn't there. */
  readonly program: string;
  readonly remedy: string;
  /** The words that make the steps true and run what follows them; `place` is an empty folder for a new root. */
  words(steps: readonly Step[], place: string): readonly string[];
}

/** The driver of a tool: all that the two have in common. */
export function makeNamespaceDriver(tool: NamespaceTool, host: SandboxHost): SandboxDriver {
  const create = (spec: SandboxSpec): Promise<Sandbox> => createWith(tool, spec, host);
  return {
    name: tool.name,
    probe: () => probeNamespaces(tool, create, host),
    create,
    sweep: (root, alive) => sweep(root, alive, host),
  };
}

async function createWith(tool: NamespaceTool, spec: SandboxSpec, host: SandboxHost): Promise<Sandbox> {
  const folder = await makeFolder(spec.root, spec.id);
  const steps = await viewOf(folder, spec, await makeEtc(folder.etc));
  const builder = await builderFor(spec.id);
  const built = builder.build(steps, folder.root);
  const before = [...built.prefix, ...tool.words(built.steps, built.place)];
  const alone = countsThreadsAlone(builder.uid !== undefined);
  const recipe: Recipe = {
    driver: tool.name,
    workspace,
    home: agent.home,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: agent.home, USER: agent.name, LANG: "C.UTF-8", TMPDIR: "/tmp" },
    contained: true,
    prepare: () => builder.own([folder.workspace, folder.home, ...spec.sockets.map((mount) => mount.source)]),
    lockIn: (inside: Inside) => ({
      argv: [...before, ...firstProcess(inside, spec.limits, alone)],
      env: { PATH: systemPath, LC_ALL: "C", [label]: inside.label, ...pack(inside.env) },
      cwd: "/",
    }),
  };
  return openSandbox({ spec, folder, recipe, cgroup: await makeCgroup(spec.id, spec.limits) }, host);
}
