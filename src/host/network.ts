import { directTransport } from "./network/direct.ts";
import { listen } from "./network/listener.ts";
import { proxiedTransport, proxyFor } from "./network/proxied.ts";
import { makeSend, type Transport } from "./network/send.ts";
import type { Environment, Network } from "./host.ts";

/**
 * The network as this environment wants it: HTTPS_PROXY, HTTP_PROXY and NO_PROXY in either case (the lower wins), and
 * NODE_EXTRA_CA_CERTS, which Node itself reads at start.
 *
 * Two transports, since start-up matters to every command: Node's own http costs 15 ms to the first answer, undici 130 (its parser
 * is WebAssembly that has to be loaded and compiled) and 200 with its whole entry point. So undici is loaded only where a
 * proxy is to be talked to, which Node's own http can't do.
 */
export function makeNetwork(env: Environment): Network {
  const direct = directTransport();
  const proxied = proxiedTransport(env);
  const transport: Transport = (request, signal) =>
    (proxyFor(request.url, env) === undefined ? direct : proxied)(request, signal);
  return {
    send: makeSend(transport, (url) => new URL(url).host),
    overSocket: (path) => makeSend(directTransport(path), () => `the service at ${path}`),
    listen,
  };
}
