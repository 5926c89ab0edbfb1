import { asFerryError, FerryError } from "../../../base/errors.ts";
import { within } from "../../patience.ts";
import type { Sandbox, SandboxDriver, SandboxSpec } from "../driver.ts";
import { agent, pack } from "../environment.ts";
import type { SandboxHost } from "../host.ts";
import { makeEtc } from "../namespaces/etc.ts";
import { writeFilter } from "../namespaces/filter.ts";
import { containerName, labels, makeContainers, removeLabelled } from "../oci/containers.ts";
import { type Engine, findEngine } from "../oci/engine.ts";
import { findImage, type Image } from "../oci/image.ts";
import { mountOptions } from "../oci/mounts.ts";
import { insideWords, runOptions } from "../oci/options.ts";
import { probeContainers } from "../oci/probe.ts";
import { patience, recordEngine } from "../oci/recorded.ts";
import { userFor } from "../oci/user.ts";
import { makeSandbox } from "../sandbox.ts";
import { sweep } from "../sweep.ts";
import { workspace } from "../view.ts";

/**
 * Containers of podman or docker: for machines without namespaces of their own (macOS, Windows), and for images. Each process that the
 * service starts is a container, as with the other drivers a set of namespaces: `exec` in one that stays is hardly quicker, would join a
 * room where an agent's processes wait for it, and couldn't say which of them are whose.
 */
export function oci(host: SandboxHost): SandboxDriver {
  let found: Promise<{ engine: Engine; image: Image }> | undefined;
  const find = async (): Promise<{ engine: Engine; image: Image }> => {
    const engine = await findEngine(host);
    return { engine, image: await findImage(engine, host) };
  };
  const known = async (): Promise<{ engine: Engine; image: Image }> => {
    try {
      return await (found ??= find());
    } catch (error) {
      // What is missing may come.
      found = undefined;
      throw error;
    }
  };
  const create = async (spec: SandboxSpec): Promise<Sandbox> => {
    const { engine, image } = await known();
    if (spec.sockets.length > 0 && host.platform !== "linux")
      throw new FerryError(
        "failure",
        `${engine.kind} runs in a virtual machine here, where the model gateway's socket doesn't lead`,
        {
          hint: "agents that call a model need the service on Linux (or in WSL)",
        },
      );
    return makeSandbox(spec, host, async (folder) => {
      const user = await userFor(engine, spec.id);
      const etc = await makeEtc(folder.etc, user);
      await writeFilter(folder.filter, true);
      await recordEngine(folder, engine);
      const options = await runOptions({ engine, image, user, mounts: await mountOptions(folder, spec, image, etc) }, spec, host);
      const containers = makeContainers(engine, spec.id, host);
      return {
        driver: "oci",
        workspace,
        home: agent.home,
        env: { PATH: image.path, HOME: agent.home, USER: agent.name, LANG: "C.UTF-8", TMPDIR: "/tmp" },
        keeper: containers,
        keeps: ["memory", "processes", "cpu"],
        exceeded: () => containers.exceeded(),
        prepare: () => user.own([folder.workspace, folder.home, ...spec.sockets.map((mount) => mount.source)]),
        lockIn: (inside, number) => ({
          argv: [
            ...engine.words,
            "run",
            ...[`--name=${containerName(spec.id, number)}`, ...options],
            ...[image.name, ...insideWords(image, inside)],
          ],
          env: { ...engine.env, ...pack(inside.env) },
          // Where its helpers leave notes of their own.
          cwd: folder.temporary,
        }),
      };
    });
  };
  return {
    name: "oci",
    probe: () => probeContainers(known, create, host),
    create,
    async sweep(root, alive, rescue) {
      // Also those whose folder is gone.
      const all = known().then(({ engine }) => removeLabelled(engine, labels(root, "").slice(0, 1), alive));
      const ended = await within(host.clock, patience, "ending containers", all).catch(asFerryError);
      const { swept, left } = await sweep(root, alive, host, rescue);
      if (ended instanceof FerryError) return { swept, left: [`containers: ${ended.message}`, ...left] };
      return { swept: [...ended.map((id) => ({ id, what: "container" }) as const), ...swept], left };
    },
  };
}
