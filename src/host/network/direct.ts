import type { LookupAddress } from "node:dns";
import http from "node:http";
import type https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { isLoopback } from "../../base/address.ts";
import { FerryError } from "../../base/errors.ts";
import { exchange } from "./exchange.ts";
import { isAnothers } from "./peer.ts";
import { connectTimeout, type Transport } from "./send.ts";

/** Node's own http and https with keep-alive; over a unix socket or named pipe where one is given. */
export function directTransport(socketPath?: string, uid = process.getuid?.()): Transport {
  const plainAgent = new http.Agent({ keepAlive: true });
  let secureAgent: https.Agent | undefined;
  return async (request, signal) => {
    const url = new URL(request.url);
    const secure = url.protocol === "https:" && socketPath === undefined;
    if (!secure && socketPath === undefined && (await isAnothers(Number(url.port || 80), uid)))
      throw new FerryError("auth", `what listens at ${url.host} is a program of another user of this computer: it gets no key`, {
        hint: "start the service again; one that is meant for several users is called by https",
      });
    // A write gets a connection of its own: on a kept one that the service is just closing, nobody knows if it arrived.
    const kept = request.method === "GET";
    // Its TLS is loaded where there is some.
    const overTls = secure ? process.getBuiltinModule("node:https") : undefined;
    if (overTls !== undefined) secureAgent ??= new overTls.Agent({ keepAlive: true });
    const options = {
      ...(socketPath === undefined ? addressOf(url) : { socketPath, host: url.host }),
      agent: kept && (secure ? secureAgent : plainAgent),
    };
    return exchange(request, signal, { over: overTls ?? http, options, watch: (outgoing) => watchConnection(outgoing, secure) });
  };
}

function addressOf(url: URL): http.RequestOptions {
  const hostname = url.hostname.replace(/^\[|\]$/g, "");
  const here = isLoopback(hostname) && isIP(hostname) === 0;
  return { hostname, ...(url.port === "" ? {} : { port: url.port }), ...(here && { lookup: lookUpLoopback }) };
}

/** `localhost` and the names below it are this machine, whatever a name server says: they are never looked up (RFC 6761, 6.3). */
const lookUpLoopback: LookupFunction = (_name, options, callback) => {
  if (options.all === true) callback(null, loopback);
  else callback(null, "127.0.0.1", 4);
};

const loopback: LookupAddress[] = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];

/** Bounds the time to a connection, and tells whether there was one: before it nothing of the request can have gone out. */
function watchConnection(outgoing: http.ClientRequest, secure: boolean): () => boolean {
  let connected = false;
  const timer = setTimeout(() => outgoing.destroy(timedOut()), connectTimeout);
  const arrive = () => {
    connected = true;
    clearTimeout(timer);
  };
  outgoing.once("socket", (socket) => {
    if (outgoing.reusedSocket) arrive();
    else socket.once(secure ? "secureConnect" : "connect", arrive);
  });
  outgoing.once("close", () => clearTimeout(timer));
  return () => connected;
}

function timedOut(): Error {
  return Object.assign(new Error("no connection in time"), { code: "ETIMEDOUT" });
}
