import { EventEmitter, once } from "node:events";
import { NoAnswerError } from "../../src/base/errors.ts";
import type { Clock, Send, SendRequest, SendResponse } from "../../src/host/host.ts";
import type { SessionState, TimelineEvent } from "../../src/client/timeline/items.ts";

/** What goes wrong with one answer on its way. */
export interface Fault {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** No answer at all. */
  readonly lost?: true;
  /** The body is cut after so many bytes: as a broken connection, or a stream cleanly, which has no length to be held to. */
  readonly cut?: number;
  readonly clean?: boolean;
  /** Each message comes twice. */
  readonly twice?: true;
  /** A stream brings comments only. */
  readonly dead?: true;
  /** The answer comes so much later, in ms. */
  readonly delay?: number;
  /** A stream doesn't have what is this old or older any more: it begins after this revision. */
  readonly forgot?: number;
  /** It goes on after a revision that it never had, or without what it has no more, and tells of no gap. */
  readonly gapless?: true;
  /** An array comes in another order. */
  readonly reversed?: true;
}

export interface TimelineService {
  readonly send: Send;
  readonly asked: string[];
  readonly events: TimelineEvent[];
  session: SessionState;
  /** Adds an event, made now. */
  add(type: string, change?: Partial<TimelineEvent>): TimelineEvent;
  /** Changes an event that is there. */
  change(id: string, change: Partial<TimelineEvent>): void;
  /** Changes the session, and tells streams. */
  set(change: Partial<SessionState>): void;
  /** Counts revisions anew, as after a restore. */
  recount(): void;
  /** Ends all streams, as a restart does. */
  hangUp(): void;
  /** Sends something of another kind to streams. */
  /** A text is sent as it is. */
  tell(event: string, data: object | string): void;
}

export interface TimelineServiceOptions {
  readonly clock: Clock;
  readonly capabilities: readonly string[];
  /** Called for each request on the session and its timeline, counted from 0. */
  readonly fault?: ((request: SendRequest, count: number) => Fault | undefined) | undefined;
}

/** A service with one session, as a second implementation of the interface's reading side, behind a line that can be bad. */
export function makeTimelineService({ clock, capabilities, fault }: TimelineServiceOptions): TimelineService {
  const bell = new EventEmitter().setMaxListeners(0);
  const counts = capabilities.some((word) => word === "stream" || word === "after");
  let [revision, made, requests] = [0, 0, 0];
  const now = () => new Date(clock.now()).toISOString();
  const revise = () => (counts ? { revision: ++revision } : {});

  const service: TimelineService = {
    asked: [],
    events: [],
    session: { id: "ses_1", status: "active", agent_status: "working" },
    add(type, change = {}) {
      const event = {
        id: `evt_${++made}`,
        type,
        status: "completed",
        payload: { type },
        created_at: now(),
        updated_at: now(),
        ...change,
        ...revise(),
      };
      service.events.push(event);
      bell.emit("news");
      return event;
    },
    change(id, change) {
      const at = service.events.findIndex((event) => event.id === id);
      service.events[at] = { ...service.events[at], id, updated_at: now(), ...change, ...revise() };
      bell.emit("news");
    },
    set(change) {
      service.session = { ...service.session, ...change };
      service.tell("session", service.session);
    },
    recount() {
      revision = 0;
      service.events.splice(0, Infinity, ...service.events.map((event) => ({ ...event, ...revise() })));
    },
    hangUp: () => void bell.emit("hang-up"),
    tell: (event, data) =>
      void bell.emit("news", `event: ${event}\ndata: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`),
    send: async (request) => {
      const { pathname, searchParams } = new URL(request.url);
      service.asked.push(
        `${request.headers["accept"] === "text/event-stream" ? "STREAM" : request.method} ${pathname}${searchParams.size > 0 ? `?${searchParams.toString()}` : ""}`,
      );
      if (pathname === "/api/v1/cli") return counts ? json({ capabilities }) : json({ error: "no" }, 404);
      const problem = fault?.(request, requests++) ?? {};
      if (problem.delay !== undefined) await clock.sleep(problem.delay, request.signal);
      if (problem.lost === true) throw new NoAnswerError("the line is cut", { sent: true, code: "ECONNRESET" });
      if (problem.status !== undefined) return json({ error: `status ${problem.status}` }, problem.status, problem.headers);
      if (pathname === "/api/v1/sessions/ses_1") return json(service.session);
      if (pathname !== "/api/v1/sessions/ses_1/events") return json({ error: "no such thing" }, 404);
      const after = Number(request.headers["last-event-id"] ?? searchParams.get("after") ?? 0);
      if (request.headers["accept"] === "text/event-stream")
        return cut(stream(after, request.signal, problem), problem, "text/event-stream");
      const rest = service.events.filter((event) => !searchParams.has("after") || (event.revision ?? 0) > after);
      const sorted = searchParams.has("after") ? rest.toSorted(byRevision) : rest;
      return cut(bytes(JSON.stringify(problem.reversed === true ? sorted.toReversed() : sorted)), problem, "application/json");
    },
  };

  async function* stream(
    after: number,
    signal: AbortSignal | undefined,
    { twice, dead, forgot = 0, gapless }: Fault,
  ): AsyncGenerator<Uint8Array> {
    const told: string[] = [];
    const listen = (text?: string) => text !== undefined && told.push(text);
    const ending = new AbortController();
    const close = () => ending.abort();
    const ended = once(ending.signal, "abort");
    bell.on("news", listen);
    bell.once("hang-up", close);
    try {
      let at = after;
      const isGap = at < forgot || at > revision;
      if (at < forgot || (isGap && gapless !== true)) at = forgot;
      if (isGap && gapless !== true) yield Buffer.from(`event: gap\ndata: {"after":${at}}\n\n`);
      while (!ending.signal.aborted) {
        const rung = once(bell, "news", signal === undefined ? {} : { signal });
        rung.catch(() => undefined);
        yield Buffer.from(": still here\n\n");
        if (dead !== true) {
          for (const event of service.events.filter((each) => (each.revision ?? 0) > at).toSorted(byRevision)) {
            at = event.revision ?? at;
            const frame = Buffer.from(`id: ${at}\nevent: session_event\ndata: ${JSON.stringify(event)}\n\n`);
            yield twice === true ? Buffer.concat([frame, frame]) : frame;
          }
          for (const text of told.splice(0)) yield Buffer.from(text);
        }
        await Promise.race([rung, ended]);
      }
    } finally {
      bell.off("news", listen);
      bell.off("hang-up", close);
    }
  }
  return service;
}

function byRevision(one: TimelineEvent, other: TimelineEvent): number {
  return (one.revision ?? 0) - (other.revision ?? 0);
}

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

function json(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): SendResponse {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: bytes(JSON.stringify(body)),
    cancel: async () => undefined,
  };
}

function cut(body: AsyncGenerator<Uint8Array>, { cut: limit = Infinity, clean }: Fault, type: string): SendResponse {
  async function* until(): AsyncGenerator<Uint8Array> {
    let left = limit;
    for await (const chunk of body) {
      if (chunk.length > 0) yield chunk.subarray(0, left);
      left -= chunk.length;
      if (left > 0) continue;
      if (clean === true && type === "text/event-stream") return;
      throw new NoAnswerError("the line is cut", { sent: true, code: "ECONNRESET" });
    }
  }
  return { status: 200, headers: { "content-type": type }, body: until(), cancel: async () => undefined };
}
