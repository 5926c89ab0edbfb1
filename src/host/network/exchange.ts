import type http from "node:http";
import { FerryError } from "../../base/errors.ts";
import type { SendRequest } from "../host.ts";
import { NotSentError } from "./failure.ts";
import type { Received } from "./send.ts";

export interface Line {
  /** Node's http, or its https. */
  readonly over: Pick<typeof http, "request">;
  /** Where to, and by which agent. */
  readonly options: http.RequestOptions;
  /** Tells whether there is a connection: before it nothing of the request can have gone out. */
  readonly watch: (outgoing: http.ClientRequest) => () => boolean;
}

/** One request and the head of its answer. Rejects with what the system says, as a NotSentError where nothing was sent. */
export function exchange(request: SendRequest, signal: AbortSignal, { over, options, watch }: Line): Promise<Received> {
  const url = new URL(request.url);
  const length = request.body === undefined ? {} : { "content-length": Buffer.byteLength(request.body) };
  return new Promise((resolve, reject) => {
    const headers = { ...request.headers, ...length };
    const outgoing = over.request({ ...options, path: `${url.pathname}${url.search}`, method: request.method, headers });
    const abort = () => outgoing.destroy(new Error("aborted"));
    const connected = watch(outgoing);
    signal.addEventListener("abort", abort, { once: true });
    outgoing.once("response", (incoming) => {
      signal.removeEventListener("abort", abort);
      resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: incoming });
    });
    outgoing.on("error", (error) => {
      signal.removeEventListener("abort", abort);
      reject(connected() ? error : new NotSentError("not sent", { cause: error }));
    });
    // Without a listener Node drops the connection, and nobody would ever hear of it.
    outgoing.once("upgrade", (_, socket) => {
      socket.destroy();
      reject(new FerryError("unavailable", `${url.host} changes the protocol (101), which it wasn't asked to`));
    });
    outgoing.once("close", () => reject(Object.assign(new Error("no answer"), { code: "ECONNRESET" })));
    outgoing.end(request.body);
  });
}

/** For a line whose requests have a socket when the whole way to the service is made. */
export function watchSocket(outgoing: http.ClientRequest): () => boolean {
  let connected = false;
  outgoing.once("socket", () => (connected = true));
  return () => connected;
}
