import { directTransport } from "./network/direct.ts";
import { listen } from "./network/listener.ts";
import { proxiedTransport } from "./network/proxied.ts";
import { parseProxy, proxyFor } from "./network/proxy.ts";
import { makeSend, type Transport } from "./network/send.ts";
import { knockAt, openTunnel } from "./network/tunnel.ts";
import type { Environment, Network } from "./host.ts";

/**
 * The network as this environment wants it: HTTPS_PROXY and NO_PROXY in either case (the lower wins), and NODE_EXTRA_CA_CERTS, which
 * Node itself reads at start. Node's own http does it all, tunnels of proxies too: undici takes 130 ms to its first answer, and waits
 * for a proxy without end.
 */
export function makeNetwork(env: Environment): Network {
  const direct = directTransport();
  const proxied = proxiedTransport();
  const transport: Transport = async (request, signal) => {
    const proxy = proxyFor(request.url, env);
    return (proxy === undefined ? direct : proxied(proxy))(request, signal);
  };
  return {
    send: makeSend(transport, (url) => new URL(url).host),
    overSocket: (path) => makeSend(directTransport(path), () => `the service at ${path}`),
    listen,
    tunnel: (host) =>
      new Promise((resolve) => {
        const proxy = proxyFor(`https://${host}`, env);
        resolve(proxy && (() => openTunnel({ proxy, host })));
      }),
    async reachProxy({ variable, address, timeout, signal }) {
      await knockAt(parseProxy(address, variable), timeout, signal);
    },
  };
}
