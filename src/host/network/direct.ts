import type { LookupAddress } from "node:dns";
import http from "node:http";
import type https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { isLoopback } from "../../base/address.ts";
import { exchange, type Line } from "./exchange.ts";
import { lookedAt } from "./looked-at.ts";
import { findPerson, type Person } from "./peer.ts";
import { connectTimeout, type Transport } from "./send.ts";

/** Node's own http and https with keep-alive; over a unix socket or named pipe where one is given. */
export function directTransport(socketPath?: string, find: () => Promise<Person | undefined> = findPerson): Transport {
  const [plain, secure] = [plainly(), overTls()];
  let looking: Promise<WayHere> | undefined;
  // Plain http leads to this machine alone.
  const here = (): Promise<WayHere> => (looking ??= find().then((person) => (person === undefined ? plain : lookedAt(person))));
  return async (request, signal) => {
    const url = new URL(request.url);
    // A write gets a connection of its own: on a kept one that the service is just closing, nobody knows if it arrived.
    const kept = request.method === "GET";
    if (socketPath !== undefined) {
      const line = plain(url, kept);
      return exchange(request, signal, { ...line, options: { ...line.options, socketPath, host: url.host } });
    }
    const line = url.protocol === "https:" ? secure(kept) : (await here())(url, kept, signal);
    return exchange(request, signal, { ...line, options: { ...line.options, ...addressOf(url) } });
  };
}

type WayHere = ReturnType<typeof lookedAt>;

function plainly(): (url: URL, kept: boolean) => Line {
  const agent = new http.Agent({ keepAlive: true });
  return (_, kept) => ({
    over: http,
    options: { agent: kept && agent },
    watch: (outgoing) => watchConnection(outgoing, "connect"),
  });
}

function overTls(): (kept: boolean) => Line {
  let agent: https.Agent | undefined;
  return (kept) => {
    // Loaded where it is used.
    const over = process.getBuiltinModule("node:https");
    agent ??= new over.Agent({ keepAlive: true });
    return { over, options: { agent: kept && agent }, watch: (outgoing) => watchConnection(outgoing, "secureConnect") };
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
function watchConnection(outgoing: http.ClientRequest, event: "connect" | "secureConnect"): () => boolean {
  let connected = false;
  const timer = setTimeout(() => outgoing.destroy(timedOut()), connectTimeout);
  const arrive = () => {
    connected = true;
    clearTimeout(timer);
  };
  outgoing.once("socket", (socket) => {
    if (outgoing.reusedSocket) arrive();
    else socket.once(event, arrive);
  });
  outgoing.once("close", () => clearTimeout(timer));
  return () => connected;
}

function timedOut(): Error {
  return Object.assign(new Error("no connection in time"), { code: "ETIMEDOUT" });
}
