import { readFile } from "node:fs/promises";
import { arch } from "node:os";
import { splitWords } from "../../../base/words.ts";
import type { SandboxSpec } from "../driver.ts";
import type { SandboxHost } from "../host.ts";
import { filtered } from "../namespaces/filter.ts";
import { initWords } from "../namespaces/first-process.ts";
import { processorOf } from "../namespaces/system-calls.ts";
import { carrier } from "../environment.ts";
import { label } from "../processes/members.ts";
import type { Inside } from "../recipe.ts";
import { labels, sayLimit } from "./containers.ts";
import type { Engine } from "./engine.ts";
import type { Image } from "./image.ts";
import { insideFilter } from "./mounts.ts";
import type { User } from "./user.ts";

/** What all containers of a sandbox have in common. */
export interface Shape {
  readonly engine: Engine;
  readonly image: Image;
  readonly user: User;
  readonly mounts: readonly string[];
}

/** The options of `run` for a sandbox, all but a container's name. */
export async function runOptions({ engine, user, mounts }: Shape, spec: SandboxSpec, host: SandboxHost): Promise<string[]> {
  const { limits } = spec;
  const file = limits.diskMB * 1024 * 1024;
  return [
    ...["--interactive", "--pull=never", "--network=none", "--hostname=ferry", "--workdir=/", "--entrypoint=sh"],
    // What an agent says would else be kept on this machine's disk, without a bound.
    ...["--log-driver=none", "--no-healthcheck", "--cgroupns=private"],
    ...["--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges", "--security-opt=label=disable"],
    ...[
      `--pids-limit=${limits.processes}`,
      `--memory=${limits.memoryMB}m`,
      `--memory-swap=${limits.memoryMB}m`,
      `--cpus=${limits.cpus}`,
    ],
    ...["--shm-size=64m", `--tmpfs=/tmp:rw,exec,nosuid,nodev,mode=1777,size=${Math.max(64, Math.floor(limits.memoryMB / 4))}m`],
    ...["--ulimit=core=0:0", `--ulimit=fsize=${file}:${file}`],
    ...(engine.kind === "podman" ? await podmanOptions(limits.wall) : []),
    ...labels(spec.root, spec.id).map((text) => `--label=${text}`),
    ...[`--user=${user.uid}:${user.gid}`, ...user.options, `--env=${label}`, `--env=${carrier}`],
    ...mounts,
    // The user's last, so that they win.
    ...splitWords(host.env["FERRY_SANDBOX_OPTIONS"] ?? ""),
  ];
}

/** What docker does by itself, or hasn't got. */
async function podmanOptions(wall: number): Promise<string[]> {
  const seconds = Math.ceil(wall / 1000) + 60;
  return [
    ...["--read-only-tmpfs=false", "--image-volume=ignore", "--http-proxy=false", "--systemd=false"],
    // Should nobody be there to end it.
    `--timeout=${seconds}`,
    ...(await ownBounds()),
  ];
}

/** podman's own bounds may be above ours, which an engine without the right to raise them can't give. */
async function ownBounds(): Promise<string[]> {
  const text = await readFile("/proc/self/limits", "utf8").catch(() => "");
  const bounds: [name: string, most: number, pattern: RegExp][] = [
    ["nofile", 65_536, /^Max open files +\d+ +(\d+)/mu],
    // Processes are counted by the control group; where podman itself runs under less than it was given, this is well below.
    ["nproc", 4096, /^Max processes +\d+ +(\d+)/mu],
  ];
  return bounds.map(([name, most, pattern]) => {
    const bound = Math.min(most, Number(pattern.exec(text)?.[1] ?? most));
    return `--ulimit=${name}=${bound}:${bound}`;
  });
}

/** Variables that engines set by themselves. */
const enginesOwn = ["container", "TERM", "HOSTNAME", "HOME"];

/** The words behind the image's name: an entrypoint of `sh`, which first puts our filter of system calls behind the engine's. */
export function insideWords(image: Image, inside: Inside): string[] {
  const forget = [...image.sets, ...enginesOwn].filter((name) => /^[A-Za-z_]\w*$/u.test(name));
  const init = initWords(inside, forget, sayLimit);
  const filter = processorOf(arch()) === undefined ? [] : filtered(insideFilter);
  return [...filter, ...init].slice(1);
}
