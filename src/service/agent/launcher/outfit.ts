import type { Mount } from "../../sandbox/driver.ts";
import type { AgentLaunch, AgentPlace } from "../agent.ts";
import { type Gateway, socketName } from "../gateway/gateways.ts";
import { type Launch, launchVariable } from "./launch.ts";

/** What a sandbox is made with, and started with, for its agent. */
export interface Outfit {
  readonly argv: readonly string[];
  readonly mounts: readonly Mount[];
  readonly sockets: readonly Mount[];
  readonly env: Readonly<Record<string, string>>;
}

const launcher = "/opt/ferry/agent-launcher.js";
const gatewayFolder = "/run/ferry";

/** An agent behind the launcher, which raises the gateway's inner end and writes the settings; one that needs neither by itself. */
export function outfit(launch: AgentLaunch, { dist, node }: AgentPlace, gateway: Gateway | undefined): Outfit {
  const { argv, mounts, env, files, programs } = launch;
  if (gateway === undefined && Object.keys(files).length === 0) return { argv, mounts, sockets: [], env };
  const told: Launch = { files, programs };
  const own = [...node.mounts, { source: `${dist}/agent-launcher.js`, target: launcher }];
  return {
    argv: [node.path, launcher, gateway === undefined ? "-" : `${gatewayFolder}/${socketName}`, ...argv],
    mounts: [...own, ...mounts].filter(isFirst),
    sockets: gateway === undefined ? [] : [{ source: gateway.folder, target: gatewayFolder }],
    env: { ...env, [launchVariable]: JSON.stringify(told) },
  };
}

function isFirst({ target }: Mount, at: number, all: readonly Mount[]): boolean {
  return all.findIndex((other) => other.target === target) === at;
}
