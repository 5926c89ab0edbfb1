import type { McpServer } from "@agentclientprotocol/sdk";
import type { Mount, SandboxDriverName } from "../../sandbox/driver.ts";
import type { AgentLaunch, AgentPlace } from "../agent.ts";
import { type Gateway, networkName, socketName, toolsName } from "../gateway/gateways.ts";
import { type Launch, launchVariable } from "./launch.ts";

/** What a sandbox is made with, and started with, for its agent. */
export interface Outfit {
  readonly argv: readonly string[];
  readonly mounts: readonly Mount[];
  readonly sockets: readonly Mount[];
  readonly env: Readonly<Record<string, string>>;
  /** What the agent is to start by itself. */
  readonly servers: readonly McpServer[];
}

/** Where an agent is to be, and what of the service it reaches. */
export interface Surroundings {
  readonly place: AgentPlace;
  readonly driver: SandboxDriverName;
  readonly gateway: Gateway | undefined;
}

const launcher = "/opt/ferry/agent-launcher.js";
const bridge = "/opt/ferry/bridge.js";
const gatewayFolder = "/run/ferry";

/** An agent behind the launcher, which raises the gateway's inner end and writes the settings; one that needs neither by itself. */
export function outfit(launch: AgentLaunch, { place, driver, gateway }: Surroundings): Outfit {
  const { argv, env, files, programs, accesses, network, tools } = launch;
  const { dist, node } = place;
  const models = gateway !== undefined && accesses.length > 0 ? `${gatewayFolder}/${socketName}` : "-";
  const hosts = gateway !== undefined && network.length > 0 ? `${gatewayFolder}/${networkName}` : "-";
  const wrapped = models !== "-" || hosts !== "-" || Object.keys(files).length > 0;
  const told: Launch = { files, programs };
  const mounts = [
    ...node.mounts,
    ...(wrapped ? [{ source: `${dist}/agent-launcher.js`, target: launcher }] : []),
    ...(tools ? [{ source: `${dist}/bridge.js`, target: bridge }] : []),
    ...launch.mounts,
  ].filter(isFirst);
  const sockets = gateway === undefined ? [] : [{ source: gateway.folder, target: gatewayFolder }];
  // The driver `process` moves nothing, and finds its way in argv alone.
  const seen = driver === "process" ? (path: string) => onHost(path, [...mounts, ...sockets]) : (path: string) => path;
  const args = [bridge, `${gatewayFolder}/${toolsName}`].map(seen);
  return {
    argv: wrapped ? [node.path, launcher, models, hosts, ...argv] : argv,
    mounts,
    sockets,
    env: wrapped ? { ...env, [launchVariable]: JSON.stringify(told) } : env,
    servers: !tools ? [] : [{ name: "ferry", command: seen(node.path), args, env: [] }],
  };
}

function isFirst({ target }: Mount, at: number, all: readonly Mount[]): boolean {
  return all.findIndex((other) => other.target === target) === at;
}

function onHost(path: string, mounts: readonly Mount[]): string {
  const mount = mounts.find(({ target }) => path === target || path.startsWith(`${target}/`));
  return mount === undefined ? path : mount.source + path.slice(mount.target.length);
}
