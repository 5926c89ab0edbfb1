import type { Clock } from "../../host/host.ts";
import type { StreamItem } from "../session/sessions.ts";
import type { Deps } from "./handler.ts";

/** A comment this often, in ms, tells that the line is alive: proxies cut one that is silent for a minute. */
const heartbeat = 15_000;
/** How long a client waits before it connects again, in ms. */
const retry = 1000;

export interface Following {
  readonly sessionId: string;
  /** The greatest revision that the client has; 0 for none. */
  readonly after: number;
  readonly signal: AbortSignal;
}

/**
 * A session's timeline as server-sent events (WHATWG HTML, 9.2): what is stored after a revision, then what happens, until the
 * signal aborts. A revision that the timeline never had is told as a gap, and everything follows.
 */
export async function* streamFrames({ sessionId, after, signal }: Following, deps: Deps): AsyncGenerator<Uint8Array> {
  yield encode(`retry: ${retry}\n\n`);
  const lost = after > (await deps.store.timeline.revision(sessionId));
  const start = lost ? 0 : after;
  if (lost) yield encode(frame("gap", { after: start }));
  try {
    for await (const item of withHeartbeat(deps.sessions.follow(sessionId, start, signal), deps.clock))
      yield encode(item === undefined ? ": still here\n\n" : itemFrame(item));
  } catch (error) {
    if (signal.aborted) return;
    // The answer's status is out: the cut connection tells the client, the log tells the operator.
    deps.log.error("a stream broke", error, { session: sessionId });
    throw error;
  }
}

/** The items as they come, and undefined each time that none came for a while. Takes the next one only when it is asked to. */
async function* withHeartbeat<T>(items: AsyncIterable<T>, clock: Clock): AsyncGenerator<T | undefined> {
  const iterator = items[Symbol.asyncIterator]();
  let next = iterator.next();
  try {
    for (;;) {
      const waiting = new AbortController();
      const result = await Promise.race([next, clock.sleep(heartbeat, waiting.signal)]).finally(() => waiting.abort());
      if (result?.done === true) return;
      yield result?.value;
      if (result !== undefined) next = iterator.next();
    }
  } finally {
    await iterator.return?.();
  }
}

function itemFrame(item: StreamItem): string {
  switch (item.type) {
    case "session_event":
      return frame("session_event", item.event, item.event.revision);
    case "patch":
      return frame("patch", item.patch);
    case "session":
      return frame("session", item.session);
    case "delta":
      return frame("delta", item.delta);
  }
}

/** JSON has no line break outside of its escapes, so that one `data:` line holds it. Only what is stored has an id to resume at. */
function frame(event: string, data: object, revision?: number): string {
  const id = revision === undefined ? "" : `id: ${revision}\n`;
  return `${id}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
