import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import type { Network } from "../../../host/host.ts";
import { type Destination, destinationOf, isListed, isOutside } from "./destination.ts";

/** The way to other machines. */
export interface Reach {
  /** All addresses of a name. */
  resolve(host: string): Promise<readonly string[]>;
  /** Resolves when it is connected. */
  connect(address: string, port: number): Promise<Duplex>;
  /** Connects by the proxy that this machine must take to `host:port`, which resolves the name itself; undefined where there is none. */
  proxied?(host: string): Promise<(() => Promise<Duplex>) | undefined>;
}

/** How long a name may take where a proxy will do, a host may take to accept, and a connection may be silent, in ms. */
const patience = { resolve: 2000, connect: 10_000, silence: 600_000 };

export const systemReach: Reach = {
  resolve: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
  async connect(address, port) {
    const socket = connect({ host: address, port });
    await once(socket, "connect", { signal: AbortSignal.timeout(patience.connect) }).catch((error: unknown) => {
      socket.destroy();
      throw error;
    });
    return socket.setTimeout(patience.silence, () => socket.destroy());
  },
};

/** As this machine's network is: by its own names and addresses, or by its proxy. */
export function reachBy(network: Pick<Network, "tunnel">): Reach {
  return { ...systemReach, proxied: (host) => network.tunnel(host) };
}

/**
 * A proxy for one sandbox, not yet listening, that connects to the listed hosts and to nothing else (RFC 9110, CONNECT). A name is
 * resolved once, here, and the address that was looked at is the one that is called.
 */
export function serveTunnels(list: readonly Destination[], reach: Reach): { server: Server; closeAllConnections(): void } {
  const open = new Set<Duplex>();
  const server = createServer((_, reply) => {
    reply.writeHead(403, { "content-type": "text/plain", connection: "close" }).end("ferry's network is for https alone\n");
  });
  server.on("connect", (request: IncomingMessage, client: Duplex, head: Buffer) => {
    open.add(client);
    client.once("close", () => open.delete(client)).on("error", () => client.destroy());
    void tunnel(request.url ?? "", list, reach).then((far) => {
      if (typeof far === "string") refuse(client, far);
      else join(client, far, head);
    });
  });
  return {
    server,
    closeAllConnections() {
      server.closeAllConnections();
      for (const client of open) client.destroy();
    },
  };
}

function join(client: Duplex, far: Duplex, head: Buffer): void {
  far.once("close", () => client.destroy()).on("error", () => far.destroy());
  client.once("close", () => far.destroy());
  // It may have gone while the host was called.
  if (client.destroyed) far.destroy();
  client.write("HTTP/1.1 200 Connection established\r\n\r\n");
  far.write(head);
  client.pipe(far).pipe(client);
}

/** The connection, or why there is none. */
async function tunnel(wanted: string, list: readonly Destination[], reach: Reach): Promise<Duplex | string> {
  const to = destinationOf(wanted);
  if (to === undefined || !isListed(list, to)) return "this host isn't one of those that the agent may reach";
  try {
    const proxied = await reach.proxied?.(`${to.host}:${to.port}`);
    const found = await lookUp(to.host, reach, proxied !== undefined);
    const addresses = found?.filter(isOutside);
    if (addresses?.length === 0) return "this host's name leads to no address that may be reached";
    if (proxied !== undefined) return await proxied();
    for (const address of addresses ?? []) {
      const far = await reach.connect(address, to.port).catch(() => undefined);
      if (far !== undefined) return far;
    }
    return "this host can't be reached";
  } catch {
    return "this host can't be reached: its name can't be resolved, or this machine's proxy makes no connection";
  }
}

/** The name's addresses; undefined where only the proxy knows it, as behind a company's. */
async function lookUp(host: string, reach: Reach, byProxy: boolean): Promise<readonly string[] | undefined> {
  if (!byProxy) return reach.resolve(host);
  const late = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), patience.resolve).unref());
  return Promise.race([reach.resolve(host).catch(() => undefined), late]);
}

function refuse(client: Duplex, why: string): void {
  const body = `ferry: ${why}\n`;
  client.end(
    `HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
