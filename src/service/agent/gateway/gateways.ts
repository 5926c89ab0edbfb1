import { once } from "node:events";
import { chmod, mkdir, readdir, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { Server } from "node:net";
import { join } from "node:path";
import type { Send } from "../../../host/host.ts";
import type { ToolBox } from "../tools/tool-box.ts";
import { serveTools } from "../tools/serve-tools.ts";
import type { Access } from "./access.ts";
import { Allowance } from "./body.ts";
import type { Destination } from "./destination.ts";
import { forward } from "./forward.ts";
import { type Reach, serveTunnels, systemReach } from "./tunnels.ts";
import { noUsage, type Usage, type UsageMeter } from "./usage.ts";

/** The one way out of a sandbox: sockets in a folder of its own, behind which the service makes the model calls and has its tools. */
export interface Gateway {
  /** 0700; all that is in it are the sockets. */
  readonly folder: string;
  /** What its model calls took since the last time that it was asked. */
  takeUsage(): Usage;
  close(): Promise<void>;
}

export interface Gateways {
  /** `id` is the sandbox's. For models, for other hosts and for tools there is a socket only where some may be called. */
  open(id: string, ways: Ways): Promise<Gateway>;
  /** Removes what an earlier service left; none of ours may be open. */
  sweep(): Promise<void>;
}

/** What a sandbox can reach. */
export interface Ways {
  readonly accesses: readonly Access[];
  /** Hosts that it may connect to itself. */
  readonly network: readonly Destination[];
  /** The tools that its agent is given, where it takes any. */
  readonly box: ToolBox | undefined;
  /** Told why a model call did not get through. */
  readonly unreachable: (reason: string) => void;
  /** ferry's version, which the agent is told. */
  readonly version: string;
}

export const socketName = "model.sock";
/** No longer than the first: there is room for that. */
export const toolsName = "tools.sock";
export const networkName = "hosts.sock";
/** Calls of one sandbox at a time; no agent asks that many models at once. */
const maxConnections = 64;

const mebibyte = 1024 * 1024;

/** What the service holds of calls' bodies. */
export interface Bounds {
  /** Bytes of one call, of a sandbox's calls together, and of all sandboxes' together. */
  readonly call: number;
  readonly sandbox: number;
  readonly all: number;
  /** How long an agent may be silent in the middle of a call, in ms. */
  readonly silence: number;
}

/** A body that grows is copied, so a call takes up to one and a half times its size. */
const usualBounds: Bounds = { call: 64 * mebibyte, sandbox: 128 * mebibyte, all: 256 * mebibyte, silence: 60_000 };

/** @param root the private folder for the gateways' own folders; short, since a socket's path can't be long */
export function makeGateways(root: string, send: Send, reach: Reach = systemReach, bounds = usualBounds): Gateways {
  const all = new Allowance(bounds.all);
  return {
    async open(id, { accesses, network, box, unreachable, version }) {
      const folder = join(root, id);
      await mkdir(root, { recursive: true, mode: 0o700 });
      await mkdir(folder, { mode: 0o700 });
      let usage = noUsage;
      const used = (meter: UsageMeter): void => {
        usage = {
          calls: usage.calls + 1,
          inputTokens: usage.inputTokens + meter.inputTokens,
          outputTokens: usage.outputTokens + meter.outputTokens,
        };
      };
      const held = { size: bounds.call, held: new Allowance(bounds.sandbox, all), silence: bounds.silence };
      const models = createServer({ requestTimeout: 600_000 }, (message, reply) => {
        void forward(message, reply, { accesses, send, used, unreachable, bounds: held });
      });
      models.maxConnections = maxConnections;
      const tools = box === undefined ? undefined : serveTools(box, version);
      if (accesses.length > 0) await listen(models, join(folder, socketName));
      if (tools !== undefined) await listen(tools.server, join(folder, toolsName));
      const tunnels = serveTunnels(network, reach);
      tunnels.server.maxConnections = maxConnections;
      if (network.length > 0) await listen(tunnels.server, join(folder, networkName));
      return {
        folder,
        takeUsage() {
          const taken = usage;
          usage = noUsage;
          return taken;
        },
        close: async () => {
          if (models.listening) await close(models, () => models.closeAllConnections());
          if (tunnels.server.listening) await close(tunnels.server, () => tunnels.closeAllConnections());
          if (tools !== undefined) await close(tools.server, () => tools.closeAllConnections());
          await rm(folder, { recursive: true, force: true });
        },
      };
    },

    async sweep() {
      for (const id of await readdir(root).catch(() => [])) await rm(join(root, id), { recursive: true, force: true });
    },
  };
}

/** The agent may be another user than the service; who reaches the socket at all is the folder's to say. */
async function listen(server: Server, socket: string): Promise<void> {
  server.listen(socket);
  await once(server, "listening");
  await chmod(socket, 0o666);
}

async function close(server: Server, endConnections: () => void): Promise<void> {
  const closed = once(server, "close");
  server.close();
  endConnections();
  await closed;
}
