import { preferredMedium } from "../http/accept.ts";
import { arrayAnswer, streamAnswer } from "../http/answer.ts";
import { Problem } from "../problem.ts";
import type { SessionEvent } from "../../wire/event.ts";
import type { TimelinePart } from "../store/store.ts";
import type { Call, Deps, Handlers } from "./handler.ts";
import { found } from "./missing.ts";
import { streamFrames } from "./stream.ts";

export const events = {
  async readEvents(call, deps) {
    const { sessionId } = call.params;
    found(await deps.store.sessions.find(sessionId), "session", sessionId);
    const medium = preferredMedium(call.headers.get("accept"), ["application/json", "text/event-stream"]);
    const { after, limit, type } = call.query;
    if (medium === "text/event-stream") {
      if (type !== undefined) throw new Problem(400, "invalid_request", "type: a stream has events of all types");
      const left = new AbortController();
      return streamAnswer(framesForKey(call, readResumption(call), left, deps), medium, () => left.abort());
    }
    if (after === undefined && limit === undefined) return readWhole(call, deps);
    return arrayAnswer(await begin(sessionId, { after: after ?? 0, limit, type }, deps));
  },
} satisfies Pick<Handlers, "readEvents">;

/** The stream, which ends with the key that opened it: whoever comes back with that key is refused. */
async function* framesForKey(
  { key, params, signal }: Call<"readEvents">,
  after: number,
  left: AbortController,
  deps: Deps,
): AsyncGenerator<Uint8Array> {
  try {
    const ended = await deps.keyEnds.watch(key, left.signal);
    const over = AbortSignal.any([signal, left.signal, ended]);
    for await (const frame of streamFrames({ ...params, after, signal: over }, deps)) {
      // What was stored is read to its end without a look at the signal.
      if (ended.aborted) return;
      yield frame;
    }
  } finally {
    left.abort();
  }
}

/** The whole timeline, or all of a type in it, or 304 where the client has it: the revision says as much as the bytes. */
async function readWhole(
  { params: { sessionId }, headers: asked, query: { type } }: Call<"readEvents">,
  deps: Deps,
): Promise<Response> {
  // Read before the events: a tag that is too old costs a repeat, one that is too new would hide an event.
  const etag = `"${await deps.store.timeline.revision(sessionId)}"`;
  const headers = { etag, "cache-control": "private, no-cache" };
  const known = (asked.get("if-none-match") ?? "").split(",").map((tag) => tag.trim().replace(/^W\//u, ""));
  if (known.includes(etag) || known.includes("*")) return new Response(null, { status: 304, headers });
  return arrayAnswer(await begin(sessionId, { type }, deps), headers);
}

/** The events in pages, of which the first is there: a store that can't be read shows in the answer's status. */
async function begin(sessionId: string, part: TimelinePart, { store, log }: Deps): Promise<AsyncGenerator<SessionEvent[]>> {
  const pages = store.timeline.pages(sessionId, part);
  const first = await pages.next();
  return (async function* () {
    try {
      if (first.done !== true) yield first.value;
      yield* pages;
    } catch (error) {
      log.error("an answer broke", error, { session: sessionId });
      throw error;
    }
  })();
}

/**
 * The revision after which a stream goes on: the browser's `Last-Event-ID`, which is the later one, else `after`.
 * @throws Problem 400 where it is no revision
 */
function readResumption({ headers, query }: Call<"readEvents">): number {
  const last = headers.get("last-event-id") ?? "";
  if (last === "") return query.after ?? 0;
  if (!/^\d{1,15}$/u.test(last)) throw new Problem(400, "invalid_request", "Last-Event-ID: is no revision of a timeline");
  return Number(last);
}
