import { once } from "node:events";
import { chmod, mkdir, readdir, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import type { Send } from "../../../host/host.ts";
import type { Access } from "./access.ts";
import { forward } from "./forward.ts";
import type { Usage, UsageMeter } from "./usage.ts";

/** The one way out of a sandbox: a socket in a folder of its own, behind which the service makes the model calls. */
export interface Gateway {
  /** 0700; all that is in it is the socket. */
  readonly folder: string;
  usage(): Usage;
  close(): Promise<void>;
}

export interface Gateways {
  /** `id` is the sandbox's. */
  open(id: string, accesses: readonly Access[]): Promise<Gateway>;
  /** Removes what an earlier service left; none of ours may be open. */
  sweep(): Promise<void>;
}

export const socketName = "model.sock";
/** Calls of one sandbox at a time; no agent asks that many models at once. */
const maxConnections = 64;

/** @param root the private folder for the gateways' own folders; short, since a socket's path can't be long */
export function makeGateways(root: string, send: Send): Gateways {
  return {
    async open(id, accesses) {
      const folder = join(root, id);
      await mkdir(root, { recursive: true, mode: 0o700 });
      await mkdir(folder, { mode: 0o700 });
      const total = { calls: 0, inputTokens: 0, outputTokens: 0 };
      const used = (meter: UsageMeter): void => {
        total.calls += 1;
        total.inputTokens += meter.inputTokens;
        total.outputTokens += meter.outputTokens;
      };
      const server = createServer({ requestTimeout: 600_000 }, (message, reply) => {
        void forward(message, reply, { accesses, send, used });
      });
      server.maxConnections = maxConnections;
      const socket = join(folder, socketName);
      server.listen(socket);
      await once(server, "listening");
      // The agent may be another user than the service; who reaches the socket at all is the folder's to say.
      await chmod(socket, 0o666);
      return {
        folder,
        usage: () => ({ ...total }),
        close: async () => {
          await close(server);
          await rm(folder, { recursive: true, force: true });
        },
      };
    },

    async sweep() {
      for (const id of await readdir(root).catch(() => [])) await rm(join(root, id), { recursive: true, force: true });
    },
  };
}

async function close(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}
