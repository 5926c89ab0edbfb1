import { describe, expect, test } from "vitest";
import { NoAnswerError } from "../../../src/base/errors.ts";
import type { Clock, Send, SendRequest, SendResponse } from "../../../src/host/host.ts";
import type { FollowItem } from "../../../src/client/follow.ts";
import { kinds, outcome, play, shown, ways, work } from "../../support/following.ts";

const turn = ["evt_1", "evt_2", "evt_3", "evt_4", "evt_5", "evt_6"];
const hour = 3_600_000;

/** What comes of a stream instead of its events, while all else works. */
const broken: Readonly<Record<string, (clock: Clock, request: SendRequest) => Promise<SendResponse>>> = {
  "answered with 503": async () => answer([JSON.stringify({ error: "no" })], 503),
  "answered with 500": async () => answer([JSON.stringify({ error: "no" })], 500),
  "closed at once": async () => answer([]),
  "garbled at once": async () =>
    answer([], 200, () => {
      throw new NoAnswerError("incorrect header check", { sent: true, code: "Z_DATA_ERROR" });
    }),
  "held back by a proxy": async (clock, { signal }) => {
    await clock.sleep(hour, signal);
    return answer([]);
  },
  "held back by a proxy, but for its head": async (clock, { signal }) => answer([], 200, async () => clock.sleep(hour, signal)),
};

/** Messages of another kind, again and again, which say nothing of the session's events. */
const chatter: Readonly<Record<string, string>> = {
  pings: "event: ping\ndata: {}\n\n",
  "an old state": 'event: session\ndata: {"id":"ses_1","status":"active","agent_status":"working"}\n\n',
};

function answer(lines: readonly string[], status = 200, then?: () => unknown): SendResponse {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for (const line of lines) yield Buffer.from(line);
    await then?.();
  }
  const type = status === 200 ? "text/event-stream" : "application/json";
  return { status, headers: { "content-type": type }, body: bytes(), cancel: async () => undefined };
}

/** A service whose streams are another's. */
function playWith(
  stream: (clock: Clock, request: SendRequest) => Promise<SendResponse>,
  capabilities: readonly string[] = ways.stream,
) {
  let isBroken = true;
  const around =
    (send: Send): Send =>
    async (request) =>
      isBroken && request.headers["accept"] === "text/event-stream" ? stream(played.clock, request) : send(request);
  const played = play(capabilities, undefined, ({ send }) => around(send));
  return { ...played, mend: () => void (isBroken = false) };
}

const firsts = (lines: readonly string[]) => lines.filter((line) => !line.endsWith("update")).map((line) => line.split(" ")[0]);
const sources = (items: Parameters<typeof kinds>[0]) =>
  kinds(items, "source").map((item) => (item.kind === "source" ? item.name : ""));

describe.each(Object.entries(broken))("a stream that is %s", (_what, stream) => {
  test("hides nothing, neither the events nor the end, and no connection is told as lost", async () => {
    const played = playWith(stream);
    const [items] = await Promise.all([played.watch({ message: "mine", timeout: hour }), work(played)]);
    expect(outcome(items)).toMatchObject({ outcome: "idle", state: "done" });
    expect(firsts(shown(items))).toEqual(turn);
    expect(kinds(items, "trouble")).toEqual([]);
    expect(played.clock.elapsed()).toBeLessThan(45_000);
  });

  test("is left for the next way, and tried again later", async () => {
    const played = playWith(stream);
    const { service, clock } = played;
    const working = (async () => {
      const message = service.add("user_message", { status: "processing", client_id: "mine" });
      for (let step = 0; step < 60; step++) {
        await clock.sleep(15_000);
        service.add("agent_message");
        if (step === 12) played.mend();
      }
      service.change(message.id, { status: "completed" });
      service.set({ agent_status: "idle" });
    })();
    const items = await played.watch({ message: "mine", timeout: hour });
    await working;
    expect(sources(items)).toEqual(["stream", "after", "stream"]);
    expect(kinds(items, "source")[1]).toMatchObject({ reason: /^by stream it doesn't work: ./u });
    expect(firsts(shown(items))).toHaveLength(61);
    expect(outcome(items)).toMatchObject({ outcome: "idle", state: "done" });
    expect(service.asked.length).toBeLessThan(2 * 900);
  });
});

/** How late each event was shown, in s. */
async function lateness(played: ReturnType<typeof playWith>): Promise<number[]> {
  const late: number[] = [];
  const look = (item: FollowItem) => {
    if (item.kind !== "events") return;
    for (const { event } of item.items) late.push((played.clock.now() - Date.parse(event.updated_at ?? "")) / 1000);
  };
  await Promise.all([played.watch({ message: "mine", timeout: hour }, look), slowWork(played)]);
  return late;
}

/** A turn with a step every 7 s, over five minutes. */
async function slowWork({ service, clock }: ReturnType<typeof playWith>): Promise<void> {
  const message = service.add("user_message", { status: "processing", client_id: "mine" });
  for (let step = 0; step < 40; step++) {
    await clock.sleep(7000);
    service.add("agent_message");
  }
  service.change(message.id, { status: "completed" });
  service.set({ agent_status: "idle" });
}

/** Streams that bring no events, however long they hold. */
const empty: typeof broken = {
  ...broken,
  "silent but for heartbeats": async (clock, { signal }) => beating(clock, signal),
  "ended cleanly after each 12 s": async (clock, { signal }) => beating(clock, signal, 4),
  "cut after each 12 s": async (clock, { signal }) =>
    beating(clock, signal, 4, () => {
      throw new NoAnswerError("the line is cut", { sent: true, code: "ECONNRESET" });
    }),
};

function beating(clock: Clock, signal: AbortSignal | undefined, times = Infinity, then?: () => void): SendResponse {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for (let count = 0; count < times; count++) {
      yield Buffer.from(": still here\n\n");
      await clock.sleep(3000, signal);
    }
    then?.();
  }
  return { ...answer([]), body: bytes() };
}

test.each(Object.entries(empty))("no line is more than 6 s late by a stream that is %s", async (_what, stream) => {
  const late = await lateness(playWith(stream));
  expect(late).toHaveLength(42);
  expect(Math.max(...late)).toBeLessThan(6);
});

test("a stream that brings its first event and then no more is left, and hides none for more than 15 s until then", async () => {
  const played = playWith(async (clock, { signal, headers }) => {
    const after = Number(headers["last-event-id"]);
    async function* bytes(): AsyncGenerator<Uint8Array> {
      const next = played.service.events.find(({ revision }) => (revision ?? 0) > after);
      if (next !== undefined) yield Buffer.from(`event: session_event\ndata: ${JSON.stringify(next)}\n\n`);
      yield* beating(clock, signal).body;
    }
    return { ...answer([]), body: bytes() };
  });
  const late = await lateness(played);
  expect(late).toHaveLength(42);
  expect(Math.max(...late)).toBeLessThan(16);
  expect(late.filter((seconds) => seconds > 6).length).toBeLessThan(10);
});

test("a good stream that is quiet for an hour isn't left, and costs few requests", async () => {
  const played = play(ways.stream);
  const message = played.service.add("user_message", { status: "processing" });
  const working = (async () => {
    await played.clock.sleep(hour);
    played.service.change(message.id, { status: "completed" });
    played.service.set({ agent_status: "idle" });
  })();
  const items = await played.watch();
  await working;
  expect(sources(items)).toEqual(["stream"]);
  expect(played.service.asked.length).toBeLessThan(60 * 9);
});

test("a service that is asked for what came after a revision, and only ever fails, is read as a whole", async () => {
  const played = play(ways.after, ({ url }) => (url.includes("after=") ? { status: 500 } : undefined));
  const [items] = await Promise.all([played.watch({ message: "mine", timeout: hour }), work(played)]);
  expect(outcome(items)).toMatchObject({ outcome: "idle", state: "done" });
  expect(firsts(shown(items))).toEqual(turn);
  expect(sources(items)).toEqual(["after", "array"]);
  expect(played.clock.elapsed()).toBeLessThan(30_000);
});

test.each(Object.entries(chatter))("%s on a stream are no sign that the session's events come", async (_what, message) => {
  const played = playWith(async (clock, { signal }) => {
    async function* bytes(): AsyncGenerator<Uint8Array> {
      for (;;) {
        yield Buffer.from(message);
        await clock.sleep(3000, signal);
      }
    }
    return { ...answer([]), body: bytes() };
  });
  const [items] = await Promise.all([played.watch({ message: "mine", timeout: hour }), work(played)]);
  expect(outcome(items)).toMatchObject({ outcome: "idle", state: "done" });
  expect(firsts(shown(items))).toEqual(turn);
  expect(played.clock.elapsed()).toBeLessThan(60_000);
});

describe.each<[string, boolean, (event: object) => string]>([
  ["an event without its id", false, (event) => JSON.stringify({ ...event, id: undefined })],
  ["an event that has no id anywhere", true, (event) => JSON.stringify(event)],
  ["a message that is no JSON", false, () => '{"id":}'],
  ["a message that is no object", false, () => "[1]"],
  ["half of a character", false, (event) => JSON.stringify(event).slice(0, 20) + "\ufffd"],
])("%s on a stream", (_what, isNameless, spoil) => {
  test("is read in another way: nothing is lost, nothing comes twice, and the stream goes on behind it", async () => {
    const played = play(ways.stream, undefined, ({ send }) => async (request) => {
      const answered = await send(request);
      if (request.headers["accept"] !== "text/event-stream") return answered;
      async function* bytes() {
        for await (const chunk of answered.body) {
          const text = Buffer.from(chunk).toString();
          yield Buffer.from(
            text.replace(/^data: (.*spoilt.*)$/mu, (_, data: string) => `data: ${spoil(JSON.parse(data) as object)}`),
          );
        }
      }
      return { ...answered, body: bytes() };
    });
    const { service, clock } = played;
    const message = service.add("user_message", { status: "processing", client_id: "mine" });
    const working = (async () => {
      for (let step = 0; step < 5; step++) {
        await clock.sleep(3000);
        if (step !== 2) service.add("agent_message");
        else
          service.add("agent_message", {
            ...(isNameless ? ({ id: undefined } as object) : {}),
            payload: { type: "agent_message", message: "spoilt" },
          });
      }
      await clock.sleep(3000);
      service.change(message.id, { status: "completed" });
      service.set({ agent_status: "idle" });
    })();
    const items = await played.watch({ message: "mine", timeout: hour });
    await working;
    const expected = ["evt_1", "evt_2", "evt_3", isNameless ? expect.stringMatching(/^no-id-/u) : "evt_4", "evt_5", "evt_6"];
    expect(firsts(shown(items))).toEqual(expected);
    expect(outcome(items)).toMatchObject({ outcome: "idle", state: "done" });
    expect(kinds(items, "trouble")).toEqual([]);
    expect(sources(items)).toEqual(["stream"]);
  });
});

test("ids that are numbers keep their digits on a stream, and are those of the array", async () => {
  const played = play(ways.stream, undefined, ({ send }) => async (request) => {
    const answered = await send(request);
    async function* bytes() {
      for await (const chunk of answered.body)
        yield Buffer.from(
          Buffer.from(chunk)
            .toString()
            .replace(/"id":"evt_(\d)"/gu, '"id":922337203685477580$1'),
        );
    }
    return { ...answered, body: bytes() };
  });
  const [items] = await Promise.all([played.watch({ message: "mine", timeout: hour }), work(played)]);
  const ids = [1, 2, 3, 4, 5, 6].map((last) => `922337203685477580${last}`);
  expect(firsts(shown(items))).toEqual(ids);
  expect(sources(items)).toEqual(["stream"]);
  expect(played.service.asked.filter((line) => line.startsWith("STREAM"))).toHaveLength(1);
});

test("a session on a stream that is another's, or nobody's, is none of ours", async () => {
  const played = play(ways.stream);
  const telling = (async () => {
    for (const session of [{}, { id: "ses_2", status: "closed" }, { id: 7, status: "failed" }]) {
      await played.clock.sleep(1000);
      played.service.tell("session", session);
    }
  })();
  const [items] = await Promise.all([played.watch({ message: "mine", timeout: hour }), work(played), telling]);
  const sessions = items.flatMap((item) => (item.kind === "session" ? [item.session] : []));
  expect(new Set(sessions.map(({ id, status }) => `${id} ${status}`))).toEqual(new Set(["ses_1 active"]));
});
