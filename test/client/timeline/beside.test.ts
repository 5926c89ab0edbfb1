import { expect, test } from "vitest";
import { NoAnswerError } from "../../../src/base/errors.ts";
import type { Client } from "../../../src/client/calls.ts";
import type { FollowItem } from "../../../src/client/follow.ts";
import { makeBeside } from "../../../src/client/timeline/beside.ts";
import { makeTimeline } from "../../../src/client/timeline/timeline.ts";
import type { WholeTimeline } from "../../../src/client/timeline/whole/array.ts";
import type { SendRequest, SendResponse } from "../../../src/host/host.ts";
import { eventsOf, kinds, outcome, play, shown, ways, work } from "../../support/following.ts";
import type { Fault } from "../../support/timeline-service.ts";

type Answering = (
  answer: () => Promise<SendResponse>,
  clock: ReturnType<typeof play>["clock"],
  request: SendRequest,
) => Promise<SendResponse>;

/** A service whose stream is all that works as ever, once it is there. */
function playBeside(answering: Answering) {
  let isOpen = false;
  const played = play(ways.stream, undefined, ({ send }) => async (request) => {
    if (request.headers["accept"] === "text/event-stream") isOpen = true;
    else if (isOpen) return answering(() => send(request), played.clock, request);
    return send(request);
  });
  return played;
}

/** How long after its making each event was shown, in ms. */
async function delays(played: ReturnType<typeof play>): Promise<{ items: FollowItem[]; late: number[] }> {
  const late: number[] = [];
  const done = work(played);
  const items = await played.watch({ until: "never", timeout: 60_000 }, (item) => {
    for (const { event } of item.kind === "events" ? item.items : [])
      late.push(played.clock.now() - Date.parse(event.updated_at ?? event.created_at ?? ""));
  });
  await done;
  return { items, late };
}

const turn = ["evt_1 processing", ...[2, 3, 4, 5, 6].map((id) => `evt_${id} completed`), "evt_1 completed update"];

test("what a stream brings isn't kept waiting where the service answers nothing else any more", async () => {
  const played = playBeside(async (_answer, clock, { signal }) => {
    await clock.sleep(3_600_000, signal);
    throw new NoAnswerError("no answer", { sent: true });
  });
  const { items, late } = await delays(played);
  expect(shown(items)).toEqual(turn);
  expect(Math.max(...late)).toBeLessThanOrEqual(1_000);
  expect(played.service.asked.filter((asked) => asked.startsWith("STREAM"))).toHaveLength(1);
});

test("nor where nothing else can be reached, which is told", async () => {
  const played = playBeside(async () => {
    throw new NoAnswerError("no such host", { sent: false, code: "ENOTFOUND" });
  });
  const { items, late } = await delays(played);
  expect(shown(items)).toEqual(turn);
  expect(Math.max(...late)).toBe(0);
  expect(kinds(items, "trouble")[0]).toMatchObject({ error: { message: "no such host" }, wait: 5_000 });
  expect(played.service.asked.filter((asked) => asked.startsWith("STREAM"))).toHaveLength(1);
});

test("a service that wants a rest gets it, and the stream goes on", async () => {
  const asked: number[] = [];
  const played = playBeside(async (answer, clock) => {
    asked.push(clock.elapsed());
    return asked.length > 1
      ? answer()
      : { ...(await answer()), status: 429, headers: { "content-type": "application/json", "retry-after": "40" } };
  });
  const { items, late } = await delays(played);
  expect(shown(items)).toEqual(turn);
  expect(Math.max(...late)).toBe(0);
  const [first = 0, second = 0] = asked;
  expect(second - first).toBeGreaterThanOrEqual(40_000);
});

test("an answer that comes late takes nothing back", async () => {
  const played = playBeside(async (answer, clock) => {
    const old = await answer();
    await clock.sleep(3_000);
    return old;
  });
  const done = (async () => {
    const message = played.service.add("user_message", { status: "processing", client_id: "mine" });
    await played.clock.sleep(500);
    played.service.set({ agent_status: "working" });
    await played.clock.sleep(1_200);
    played.service.change(message.id, { status: "completed" });
    played.service.set({ agent_status: "idle" });
  })();
  const items = await played.watch({ message: "mine" });
  await done;
  expect(shown(items)).toEqual(["evt_1 processing", "evt_1 completed update"]);
  const states = kinds(items, "session").map((item) => item.kind === "session" && item.session.agent_status);
  expect(states.lastIndexOf("working")).toBeLessThan(states.indexOf("idle"));
  expect(outcome(items)).toMatchObject({ outcome: "idle" });
  expect(eventsOf(items)).toHaveLength(2);
});

test("what a look has brought is told at once, also where the session's state is late", async () => {
  const lost: Fault = { lost: true };
  const late: Fault = { delay: 3_000 };
  // The first read is broken off; then the stream is asked for, the events beside it, and the session.
  const played = play(ways.stream, (_, count) => (count === 2 ? lost : count === 6 ? late : undefined));
  const done = (async () => {
    await played.clock.sleep(1);
    played.service.add("session_closed");
    played.service.set({ status: "closed", agent_status: "stopped" });
  })();
  const items = await played.watch({ until: "end" });
  await done;
  expect(shown(items)).toEqual(["evt_1 completed"]);
});

test("a look that is ended lets go of the file that it reads", async () => {
  const { clock, service } = play(ways.array);
  let [closed, isOver] = [false, false];
  const over = new Promise<void>((resolve) => {
    const array: WholeTimeline = {
      async *read() {
        try {
          yield { events: [service.add("agent_message")], text: () => "" };
          isOver = true;
        } finally {
          closed = true;
          resolve();
        }
      },
      forget: () => undefined,
    };
    const signal = new AbortController().signal;
    const client = { readSession: () => new Promise(() => undefined) } as unknown as Client;
    const beside = makeBeside({
      client,
      sessionId: "ses_1",
      timeline: makeTimeline(),
      array,
      clock,
      random: (size) => Buffer.alloc(size),
      signal,
    });
    void (async () => {
      await beside.look().next();
      const ended = [];
      // What it has taken in is told; then it stands there.
      await beside.first(new Promise(() => undefined));
      for await (const update of beside.end()) ended.push(update);
      expect(ended).toHaveLength(1);
    })();
  });
  await over;
  expect([closed, isOver]).toEqual([true, false]);
});
