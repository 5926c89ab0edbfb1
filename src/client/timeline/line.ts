import type { SendResponse } from "../../host/host.ts";
import { notOffered, type Watched } from "./source.ts";
import { parseSse, type SseMessage } from "./sse.ts";

/** How long the connection may be without a byte, in ms: the service sends a comment every 15 s. */
const idleTimeout = 45_000;

/** The head of the answer is there. */
export const opened: unique symbol = Symbol("the stream is open");

/** A stream's connection. */
export interface Line {
  next(): Promise<IteratorResult<SseMessage | typeof opened, unknown>>;
  end(): Promise<void>;
}

/**
 * Asks for what comes after the newest revision.
 * @throws from next(): FerryError by what went wrong, not_offered where what comes is no stream
 */
export function connect({ client, sessionId, timeline, signal }: Watched): Line {
  const stop = new AbortController();
  let response: SendResponse | undefined;
  async function* open(): AsyncGenerator<SseMessage | typeof opened> {
    const after = timeline.revision;
    if (after === undefined) throw notOffered("the service's events have no revision");
    const input = {
      params: { sessionId },
      query: { after },
      accept: "text/event-stream",
      // Compression would hold lines back.
      headers: { "last-event-id": String(after), "accept-encoding": "identity" },
      signal: AbortSignal.any([signal, stop.signal]),
      patience: 0,
      idleTimeout,
    };
    response = await client.stream("readEvents", input, async (answer) => answer);
    if (!/^text\/event-stream\b/i.test(response.headers["content-type"] ?? ""))
      throw notOffered("the service doesn't stream its events");
    yield opened;
    yield* parseSse(response.body);
  }
  const messages = open();
  return {
    next() {
      const step = messages.next();
      // It may fail while the service is asked instead; whoever waits for it gets the error all the same.
      step.catch(() => undefined);
      return step;
    },
    async end() {
      stop.abort();
      await response?.cancel();
    },
  };
}
