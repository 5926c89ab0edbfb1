import type { SandboxDriver } from "./driver.ts";
import { agent, pack, systemPath } from "./environment.ts";
import type { SandboxHost } from "./host.ts";
import { builderFor } from "./namespaces/builder.ts";
import { makeEtc } from "./namespaces/etc.ts";
import { writeFilter } from "./namespaces/filter.ts";
import { countsThreadsAlone, firstProcess } from "./namespaces/first-process.ts";
import { probeNamespaces, type Tool } from "./namespaces/probe.ts";
import { makeSandbox } from "./sandbox.ts";
import { sweep } from "./sweep.ts";
import { viewOf, workspace, type View } from "./view.ts";

/** What a driver that works with namespaces says of itself. */
export interface NamespaceTool extends Tool {
  readonly name: "bwrap" | "unshare";
  /** The words that make the view true and run what follows them in it. */
  words(view: View): readonly string[];
}

/** The driver of a tool: all that the two have in common. */
export function makeNamespaceDriver(tool: NamespaceTool, host: SandboxHost): SandboxDriver {
  const create: SandboxDriver["create"] = (spec) =>
    makeSandbox(spec, host, async (folder) => {
      const builder = await builderFor(spec.id);
      const made = { etc: await makeEtc(folder.etc), filter: await writeFilter(folder.filter) };
      const { prefix, view } = builder.build(await viewOf(folder, spec, made));
      const before = [...prefix, ...tool.words(view)];
      const alone = countsThreadsAlone(builder.uid !== undefined);
      return {
        driver: tool.name,
        workspace,
        home: agent.home,
        env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: agent.home, USER: agent.name, LANG: "C.UTF-8", TMPDIR: "/tmp" },
        keeper: "kernel",
        keeps: alone ? ["processes"] : [],
        prepare: () => builder.own([folder.workspace, folder.home, ...spec.sockets.map((mount) => mount.source)]),
        lockIn: (inside) => ({
          argv: [...before, ...firstProcess(inside, spec.limits, alone)],
          env: { PATH: systemPath, LC_ALL: "C", ...pack(inside.env) },
          cwd: "/",
        }),
      };
    });
  return {
    name: tool.name,
    probe: () => probeNamespaces(tool, create, host),
    create,
    sweep: (root, alive, rescue) => sweep(root, alive, host, rescue),
  };
}
