import http from "node:http";
import type { AddressInfo } from "node:net";
import type { LoopbackAnswer, LoopbackHandler, LoopbackListener } from "../host.ts";
import { peerOf } from "./peer.ts";

/** In ms: who connects and asks for nothing, as many at once, would keep the browser's answer out. */
const limits = { headersTimeout: 5000, requestTimeout: 5000, connectionsCheckingInterval: 1000 };

/** Listens on 127.0.0.1, a port of the system's choice: RFC 8252, 7.3, and 8.3 for the address rather than the name. */
export function listen(handler: LoopbackHandler): Promise<LoopbackListener> {
  const server = http.createServer(limits, (incoming, outgoing) => {
    void respond(handler, incoming)
      .catch(() => broken)
      .then(({ status, headers, body }) => outgoing.writeHead(status, headers).end(body));
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: "127.0.0.1", port: 0 }, () => {
      server.removeListener("error", reject);
      resolve({ port: (server.address() as AddressInfo).port, close: () => close(server) });
    });
  });
}

/** What went wrong in a handler is for the handler to tell; the browser only learns that something did. */
const broken: LoopbackAnswer = { status: 500, headers: {}, body: "" };
const malformed: LoopbackAnswer = { status: 400, headers: {}, body: "" };

async function respond(handler: LoopbackHandler, incoming: http.IncomingMessage): Promise<LoopbackAnswer> {
  const target = incoming.url ?? "";
  // A browser that comes to us sends the origin form (RFC 9112, 3.2.1); any other names a host of its own.
  if (!target.startsWith("/")) return malformed;
  // A second Host is a request that nobody sent in earnest (RFC 9112, 3.2), and Node would tell us of the first alone.
  if ((incoming.headersDistinct["host"]?.length ?? 0) > 1) return malformed;
  const { searchParams } = new URL(`http://127.0.0.1${target}`);
  // As it came: a URL takes `/x/../callback` for another path, which nobody gave.
  const path = target.replace(/[?#].*$/su, "");
  const { method = "", headers, socket } = incoming;
  return handler({ method, path, query: searchParams, host: headers.host ?? "", peer: await peerOf(socket) });
}

/** How long answers may take to get out, in ms; connections that browsers open in advance would never end. */
const grace = 500;

function close(server: http.Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), grace);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}
