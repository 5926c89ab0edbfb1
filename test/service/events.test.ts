import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { SessionEvent } from "../../src/wire/event.ts";
import { type AskService, makeAsk, makeRequest, must } from "../support/api.ts";
import { makeTestService, type TestService } from "../support/service.ts";
import { eventsOf } from "../support/events-of.ts";

let service: TestService;
let ask: AskService;
let params: { sessionId: string };
beforeEach(async () => {
  service = await makeTestService();
  ask = makeAsk(service);
  await must(ask, "createRepository", { body: { platform: "git", name: "a", full_name: "o/a", clone_url: "/srv/a.git" } });
  params = { sessionId: (await must(ask, "createSession", { body: { message: "one" } })).id };
});
afterEach(() => service.close());

describe("as an array", () => {
  test("the whole timeline, in the order it came, each event once at its newest", async () => {
    await service.sessions.finishTurn(params.sessionId, "done");
    const timeline = await must(ask, "readEvents", { params });
    expect(timeline.map(({ type, status, revision }) => [type, status, revision])).toEqual([
      ["user_message", "completed", 3],
      ["agent_message", "completed", 2],
    ]);
  });

  test("is not sent again to who has it", async () => {
    const first = await ask("readEvents", { params });
    const etag = first.headers.get("etag") ?? "";
    expect(etag).toBe('"1"');
    for (const known of [etag, `W/${etag}`, `"0", ${etag}`, "*"]) {
      const again = await ask("readEvents", { params, headers: { "if-none-match": known } });
      expect([again.status, again.body, again.headers.get("etag")]).toEqual([304, "", etag]);
    }
    await service.sessions.finishTurn(params.sessionId, "done");
    const changed = await ask("readEvents", { params, headers: { "if-none-match": etag } });
    expect([changed.status, changed.headers.get("etag")]).toEqual([200, '"3"']);
  });

  test("after a revision: what is new or changed, by revision, in portions", async () => {
    await service.sessions.finishTurn(params.sessionId, "done");
    const after = async (query: Record<string, number>) =>
      (await must(ask, "readEvents", { params, query })).map(({ revision }) => revision);
    expect(await after({ after: 0 })).toEqual([2, 3]);
    expect(await after({ after: 2 })).toEqual([3]);
    expect(await after({ after: 0, limit: 1 })).toEqual([2]);
    expect(await after({ limit: 1 })).toEqual([2]);
    expect(await after({ after: 3 })).toEqual([]);
  });

  test("of one type alone", async () => {
    await service.sessions.finishTurn(params.sessionId, "done");
    for (const query of [{ type: "agent_message" }, { type: "agent_message", after: 0, limit: 5 }] as const)
      expect((await must(ask, "readEvents", { params, query })).map(({ type }) => type)).toEqual(["agent_message"]);
    const headers = { accept: "text/event-stream" };
    const stream = await ask("readEvents", { params, query: { type: "agent_message" }, headers });
    expect([stream.status, stream.body]).toMatchObject([400, { message: expect.stringMatching(/^type: /u) as string }]);
    expect((await ask("readEvents", { params, query: { type: "other" } })).status).toBe(400);
  });

  test("however large it is, no more of it is in memory than a page", async () => {
    const [event] = await eventsOf(service.store, params.sessionId);
    const large = { ...event, payload: { type: "agent_message", message: "x".repeat(16 * 2 ** 20) } } as SessionEvent;
    let given = 0;
    service.store.timeline.pages = async function* () {
      for (; given < 36; given++) yield [large];
    };
    const answer = await service.app(makeRequest("readEvents", { params, key: service.key }));
    expect(answer.status).toBe(200);
    let [size, ahead] = [0, 0];
    for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      ahead = Math.max(ahead, given - size / 2 ** 24);
    }
    // More than any string may hold.
    expect(size).toBeGreaterThan(2 ** 29);
    expect(ahead).toBeLessThan(3);
  }, 60_000);

  test("a store that fails on the way is logged, and the answer cut off", async () => {
    const events = await eventsOf(service.store, params.sessionId);
    service.store.timeline.pages = async function* () {
      yield events;
      throw new Error("the disk is gone");
    };
    await expect(ask("readEvents", { params })).rejects.toThrow("the disk is gone");
    expect(service.errors).toMatchObject([{ message: "the disk is gone" }]);
  });

  test.each(["application/json", "*/*", "text/html", "text/event-stream;q=0.5, application/json"])(
    "for Accept: %s",
    async (accept) => {
      expect((await ask("readEvents", { params, headers: { accept } })).headers.get("content-type")).toBe("application/json");
    },
  );
});

describe("as a stream", () => {
  test("what is stored, then what happens, each with its revision as id", async () => {
    const stream = await open();
    expect(await stream.next()).toEqual({ retry: "1000" });
    expect(await stream.next()).toMatchObject({ event: "session_event", id: "1", data: { type: "user_message", revision: 1 } });
    await service.sessions.finishTurn(params.sessionId, "done");
    const rest = [await stream.next(), await stream.next(), await stream.next()];
    expect(rest.map(({ event, id }) => [event, id])).toEqual([
      ["session_event", "2"],
      ["session_event", "3"],
      ["session", undefined],
    ]);
    expect(rest[2]?.data).toMatchObject({ id: params.sessionId, agent_status: "idle" });
    await stream.close();
  });

  test("deltas and patches have no id: nobody can resume at them", async () => {
    const stream = await open();
    await stream.skip(2);
    const patch = { sequence: 1, commit: "c".repeat(40), repository_id: "rep_1", subject: "two\nlines" };
    service.sessions.tell(params.sessionId, { type: "delta", delta: { event_type: "agent_message", text: "wor" } });
    service.sessions.tell(params.sessionId, { type: "patch", patch });
    expect(await stream.next()).toEqual({ event: "delta", data: { event_type: "agent_message", text: "wor" } });
    expect(await stream.next()).toEqual({ event: "patch", data: patch });
    await stream.close();
  });

  test.each([
    ["Last-Event-ID", { headers: { "last-event-id": "1" } }],
    ["after", { query: { after: 1 } }],
    ["Last-Event-ID before after", { headers: { "last-event-id": "1" }, query: { after: 0 } }],
  ])("goes on after %s", async (_, given) => {
    await service.sessions.finishTurn(params.sessionId, "done");
    const stream = await open(given);
    await stream.skip(1);
    expect((await stream.next()).id).toBe("2");
    expect((await stream.next()).id).toBe("3");
    await stream.close();
  });

  test("a revision that the timeline never had is told as a gap, and everything follows", async () => {
    const stream = await open({ headers: { "last-event-id": "99" } });
    await stream.skip(1);
    expect(await stream.next()).toEqual({ event: "gap", data: { after: 0 } });
    expect((await stream.next()).id).toBe("1");
    await stream.close();
  });

  test("a comment each 15 seconds with nothing else tells that the line is alive", async () => {
    const stream = await open();
    await stream.skip(2);
    for (let count = 0; count < 2; count++) {
      const next = stream.next();
      while (service.clock.sleepers() === 0) await new Promise(setImmediate);
      service.clock.advance(15_000);
      expect(await next).toEqual({ comment: "still here" });
    }
    await service.sessions.finishTurn(params.sessionId, "done");
    expect(await stream.next()).toMatchObject({ id: "2" });
    await stream.close();
    expect(service.clock.sleepers()).toBe(0);
  });

  test("takes nothing from the engine that the client has not asked for", async () => {
    let taken = 0;
    const event = (await eventsOf(service.store, params.sessionId))[0] as SessionEvent;
    service.sessions.follow = async function* () {
      for (;;) {
        taken += 1;
        yield { type: "session_event", event };
      }
    };
    const stream = await open();
    await stream.skip(5);
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
    expect(taken).toBeLessThanOrEqual(5);
    await stream.close();
  });

  test("ends the following when the client goes, whichever way", async () => {
    const cancelled = await open();
    await cancelled.skip(2);
    const left = new AbortController();
    const aborted = await open({ signal: left.signal });
    await aborted.skip(2);
    expect(service.sessions.followers()).toBe(2);
    const ended = aborted.next();
    left.abort();
    expect(await ended).toEqual({ end: true });
    await cancelled.close();
    expect(service.sessions.followers()).toBe(0);
    expect(service.errors).toEqual([]);
  });

  test("that breaks is cut and logged", async () => {
    const broken = new Error("disk");
    service.sessions.follow = () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(broken) }) });
    const stream = await open();
    await stream.skip(1);
    await expect(stream.next()).rejects.toThrow("disk");
    expect(service.errors).toEqual([broken]);
  });

  test.each(["x", "-1", "1.5", "9".repeat(16)])("Last-Event-ID %s is 400", async (id) => {
    const reply = await ask("readEvents", { params, headers: { accept: "text/event-stream", "last-event-id": id } });
    expect(reply).toMatchObject({ status: 400, body: { message: "Last-Event-ID: is no revision of a timeline" } });
  });

  test("of a session that isn't there is 404", async () => {
    const reply = await ask("readEvents", { params: { sessionId: "ses_none" }, headers: { accept: "text/event-stream" } });
    expect(reply.status).toBe(404);
  });
});

interface Frame {
  readonly id?: string;
  readonly event?: string;
  readonly data?: unknown;
  readonly retry?: string;
  readonly comment?: string;
  /** The stream is over. */
  readonly end?: true;
}

interface Stream {
  next(): Promise<Frame>;
  skip(count: number): Promise<void>;
  close(): Promise<void>;
}

/** Reads frames as the service sends them: one chunk each. */
async function open({
  headers,
  query,
  signal,
}: { headers?: Record<string, string>; query?: Record<string, number>; signal?: AbortSignal } = {}): Promise<Stream> {
  const request = makeRequest("readEvents", {
    params,
    key: service.key,
    headers: { accept: "text/event-stream", ...headers },
    ...(query && { query }),
  });
  const response = await service.app(new Request(request, signal === undefined ? {} : { signal }));
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
  // A proxy in front of it must pass each event on as it comes.
  expect(response.headers.get("x-accel-buffering")).toBe("no");
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const stream: Stream = {
    async next() {
      const { done, value } = await reader.read();
      return done ? { end: true } : parseFrame(new TextDecoder().decode(value));
    },
    async skip(count) {
      for (let skipped = 0; skipped < count; skipped++) await stream.next();
    },
    close: () => reader.cancel(),
  };
  return stream;
}

function parseFrame(text: string): Frame {
  expect(text).toMatch(/[^\n]\n\n$/u);
  const fields = text
    .trimEnd()
    .split("\n")
    .map((line) => /^(\w*): (.*)$/u.exec(line) ?? [])
    .map(([, name = "?", value = ""]): [string, unknown] => [
      name === "" ? "comment" : name,
      name === "data" ? JSON.parse(value) : value,
    ]);
  return Object.fromEntries(fields);
}
