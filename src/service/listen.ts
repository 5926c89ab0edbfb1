import { once } from "node:events";
import { chmod, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import { Readable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import { FerryError } from "../base/errors.ts";
import type { Clock } from "../host/host.ts";
import type { App } from "./app.ts";
import { simpleAnswer } from "./http/answer.ts";

/** A unix socket or named pipe, or a TCP port of an address; port 0 is one of the system's choice. */
export type Place =
  | { readonly socket: string }
  | {
      readonly address: string;
      readonly port: number;
      /** PEM; without it whoever is on the way reads along. */
      readonly tls?: { readonly cert: string; readonly key: string } | undefined;
    };

export interface Listener {
  /** The socket's path, or `http://ADDRESS:PORT`, with TLS `https:`. */
  readonly address: string;
  /** How many requests are being answered, streams among them. */
  open(): number;
  /** Takes nothing more, ends streams, and gives the other answers a few seconds. */
  close(): Promise<void>;
}

export type Patience = Readonly<Record<"headersTimeout" | "requestTimeout" | "connectionsCheckingInterval", number>>;

/**
 * How long the head of a request, and the whole of it, may take to come, and how often that is looked at, in ms: no body is larger than
 * 1 MiB, and whoever only begins requests would have all connections there are.
 */
export const patience: Patience = { headersTimeout: 10_000, requestTimeout: 20_000, connectionsCheckingInterval: 2_000 };
const maxHeaderSize = 16 * 1024;
const maxConnections = 1024;
/** Bytes of a refused body that are read before the answer goes out: many senders look for none before they have sent all of it. */
const maxDrained = 16 * 1024 * 1024;
/** How long answers may take to end when the service stops, in ms. */
const grace = 5000;

/**
 * Serves the app over HTTP/1.1, with TLS 1.2 or newer where the place has a certificate (RFC 9325, 3.1.1).
 * @throws FerryError unavailable where the place can't be had
 */
export async function listen(app: App, place: Place, clock: Clock, limits = patience): Promise<Listener> {
  const exchanges = new Set<Exchange>();
  const serve = (message: IncomingMessage, reply: ServerResponse): void => {
    const exchange = { left: new AbortController(), reply };
    exchanges.add(exchange);
    reply.once("close", () => {
      exchanges.delete(exchange);
      // A kept connection would hold up the end until it times out.
      if (!server.listening) server.closeIdleConnections();
      if (!reply.writableFinished) exchange.left.abort();
    });
    void answer(app, message, exchange);
  };
  const server = makeServer(place, limits, serve);
  server.maxConnections = maxConnections;
  const address = await bind(server, place);
  return {
    address,
    open: () => exchanges.size,
    close: () => close(server, exchanges, clock),
  };
}

type AnyServer = Server | TlsServer;

function makeServer(place: Place, limits: Patience, serve: (message: IncomingMessage, reply: ServerResponse) => void): AnyServer {
  const options = { maxHeaderSize, ...limits };
  if (!("tls" in place) || place.tls === undefined) return createServer(options, serve);
  const { cert, key } = place.tls;
  return createTlsServer({ ...options, cert, key, minVersion: "TLSv1.2", handshakeTimeout: limits.headersTimeout }, serve);
}

interface Exchange {
  /** Aborted when the client goes away, or when a stream must end. */
  readonly left: AbortController;
  readonly reply: ServerResponse;
}

/** Never rejects: what goes wrong here is between this client and its connection. */
async function answer(app: App, message: IncomingMessage, { left, reply }: Exchange): Promise<void> {
  try {
    const request = toRequest(message, left.signal);
    const response =
      request === undefined
        ? simpleAnswer(400, "the address or a header is malformed")
        : await app(request, message.socket.remoteAddress);
    await drain(message);
    reply.statusCode = response.status;
    reply.setHeaders(response.headers);
    if (response.body === null) reply.end();
    else await pipeline(Readable.fromWeb(response.body), reply);
  } catch {
    // The client is gone, or the source of its stream broke, which the app has logged.
    reply.destroy();
  }
}

function toRequest(message: IncomingMessage, signal: AbortSignal): Request | undefined {
  const method = message.method ?? "GET";
  const path = message.url ?? "/";
  try {
    const headers = new Headers();
    for (const [name, value] of pairs(message.rawHeaders)) headers.append(name, value);
    // Behind a fixed origin: what the client calls us decides nothing.
    const url = new URL(path.startsWith("/") ? `http://localhost${path}` : path);
    if (method === "GET" || method === "HEAD") return new Request(url, { method, headers, signal });
    return new Request(url, { method, headers, signal, body: bodyOf(message), duplex: "half" });
  } catch {
    return undefined;
  }
}

function* pairs(raw: readonly string[]): Generator<[string, string]> {
  for (let index = 0; index + 1 < raw.length; index += 2) yield [raw[index] ?? "", raw[index + 1] ?? ""];
}

/** Read as it is asked for. Cancelling it leaves the connection alone: the answer goes out over it. */
function bodyOf(message: IncomingMessage): ReadableStream<Uint8Array> {
  const chunks = message.iterator({ destroyOnReturn: false }) as AsyncIterator<Uint8Array>;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await chunks.next();
        if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      },
      async cancel() {
        await chunks.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

/**
 * Until nothing more of the body comes, or there is too much of it. The answer goes out then, too, and who looks for one while it sends,
 * as ferry does, has it whatever the size; what goes on coming is read for as long as a request may take, or cut off behind the answer
 * where the connection is for this one request.
 */
async function drain(message: IncomingMessage): Promise<void> {
  if (message.complete || message.destroyed) return;
  await new Promise<void>((resolve, reject) => {
    let size = 0;
    message.on("data", (chunk: Uint8Array) => {
      size += chunk.length;
      if (size > maxDrained) resolve();
    });
    finished(message).then(resolve, reject);
  });
}

async function bind(server: AnyServer, place: Place): Promise<string> {
  if ("socket" in place) return bindSocket(server, place.socket);
  const { address, port, tls } = place;
  await listening(server, () => server.listen(port, address), `${address}:${port}`);
  const bound = server.address();
  const actual = typeof bound === "object" && bound !== null ? bound.port : port;
  return `${tls === undefined ? "http" : "https"}://${address.includes(":") ? `[${address}]` : address}:${actual}`;
}

/** The caller holds the data folder's lock, so that a socket that is there is a dead service's. */
async function bindSocket(server: AnyServer, path: string): Promise<string> {
  const isPipe = path.startsWith("\\\\");
  if (!isPipe) await rm(path, { force: true });
  await listening(server, () => server.listen(path), path);
  if (!isPipe) await chmod(path, 0o600);
  return path;
}

async function listening(server: AnyServer, start: () => void, where: string): Promise<void> {
  start();
  try {
    await once(server, "listening");
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const isTaken = (cause as NodeJS.ErrnoException).code === "EADDRINUSE";
    throw new FerryError(
      "unavailable",
      `the service can't listen on ${where}: ${isTaken ? "something listens there already" : why}`,
      {
        hint: isTaken ? "choose another port; 0 takes one that is free" : undefined,
        cause,
      },
    );
  }
}

async function close(server: AnyServer, exchanges: ReadonlySet<Exchange>, clock: Clock): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeIdleConnections();
  for (const { left, reply } of exchanges) if (reply.getHeader("content-type") === "text/event-stream") left.abort();
  const done = new AbortController();
  const patience = clock.sleep(grace, done.signal).then(
    () => server.closeAllConnections(),
    () => undefined,
  );
  await closed;
  done.abort();
  await patience;
}
