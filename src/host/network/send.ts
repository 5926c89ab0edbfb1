import type { Readable } from "node:stream";
import type { Send, SendRequest, SendResponse } from "../host.ts";
import { accepted, decoded } from "./encoding.ts";
import { noAnswer } from "./failure.ts";
import { makeWatchdog, type Watchdog } from "./watchdog.ts";

/** How long a connection may take to be made, TLS included, in ms. */
export const connectTimeout = 10_000;

export interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readable;
}

/** The bare exchange: rejects with whatever the system says, or with TransportError where it is known that nothing was sent. */
export type Transport = (request: SendRequest, signal: AbortSignal) => Promise<Received>;

/** A Send over a transport, which adds what they have in common: idle timeouts, decompression, errors that name the host. */
export function makeSend(transport: Transport, nameOf: (url: string) => string): Send {
  return async (request) => {
    request.signal?.throwIfAborted();
    const name = nameOf(request.url);
    const watchdog = makeWatchdog(request, name);
    try {
      watchdog.expect();
      const headers = { "accept-encoding": accepted, ...request.headers };
      return answer(await transport({ ...request, headers }, watchdog.signal), name, watchdog);
    } catch (error) {
      watchdog.end();
      throw watchdog.signal.aborted ? watchdog.signal.reason : noAnswer(error, name);
    }
  };
}

function answer(received: Received, name: string, watchdog: Watchdog): SendResponse {
  const headers = Object.fromEntries(
    Object.entries(received.headers).map(([key, value]) => [
      key.toLowerCase(),
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
  const body = decoded(received.body, received.status, headers["content-encoding"]);
  // An error after the reader has gone has no one to tell it to.
  body.on("error", () => undefined);
  watchdog.rest();
  return {
    status: received.status,
    headers,
    body: read(body, name, watchdog),
    cancel: async () => {
      watchdog.end();
      body.destroy();
      received.body.destroy();
    },
  };
}

/** The bytes as they come; the watchdog runs only while we wait for them, not while the reader works on them. */
async function* read(body: Readable, name: string, watchdog: Watchdog): AsyncGenerator<Uint8Array> {
  const stop = () => body.destroy(new Error("aborted"));
  watchdog.signal.addEventListener("abort", stop, { once: true });
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  try {
    for (;;) {
      watchdog.signal.throwIfAborted();
      watchdog.expect();
      const step = await chunks.next();
      watchdog.rest();
      if (step.done === true) return;
      yield step.value;
    }
  } catch (error) {
    throw watchdog.signal.aborted ? watchdog.signal.reason : noAnswer(error, name, true);
  } finally {
    watchdog.signal.removeEventListener("abort", stop);
    watchdog.end();
    body.destroy();
  }
}
