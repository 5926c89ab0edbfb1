import type http from "node:http";
import type https from "node:https";
import { dialing } from "./agent.ts";
import { exchange, watchSocket } from "./exchange.ts";
import type { Proxy } from "./proxy.ts";
import type { Transport } from "./send.ts";
import { openSecureTunnel } from "./tunnel.ts";

/** https in a tunnel of the proxy, which is kept for the reads that follow. */
export function proxiedTransport(): (proxy: Proxy) => Transport {
  const kept = new Map<string, https.Agent>();
  return (proxy) => (request, signal) => {
    const over = process.getBuiltinModule("node:https");
    const { hostname, port } = new URL(request.url);
    const agentOf = (): https.Agent => {
      // A write gets a connection of its own, as without a proxy.
      if (request.method !== "GET") return makeAgent(over, proxy, false);
      const agent = kept.get(proxy.url.href) ?? makeAgent(over, proxy, true);
      kept.set(proxy.url.href, agent);
      return agent;
    };
    const options: TunnelOptions = { hostname, port: port || "443", agent: agentOf(), calledOff: signal };
    return exchange(request, signal, { over, options, watch: watchSocket });
  };
}

interface TunnelOptions extends http.RequestOptions {
  readonly calledOff: AbortSignal;
}

function makeAgent(over: typeof https, proxy: Proxy, keepAlive: boolean): https.Agent {
  return Object.assign(
    new over.Agent({ keepAlive }),
    dialing(({ hostname, port, calledOff }: TunnelOptions) =>
      openSecureTunnel({ proxy, host: `${hostname ?? ""}:${port ?? ""}` }, calledOff),
    ),
  );
}
