import { describe, expect, test } from "vitest";
import { outcome, play, shown, ways, work } from "../../support/following.ts";

describe.each(Object.entries(ways))("by %s", (_way, capabilities) => {
  test("the session ends, something still comes, and it ends", async () => {
    const played = play(capabilities);
    played.service.add("user_message");
    const ending = (async () => {
      await played.clock.sleep(3000);
      played.service.add("session_finished");
      played.service.set({ status: "finished", agent_status: "stopped" });
      await played.clock.sleep(500);
      played.service.add("system_message");
    })();
    const items = await played.watch({ until: "end" });
    await ending;
    expect(shown(items).at(-1)).toBe("evt_3 completed");
    expect(outcome(items)).toMatchObject({ outcome: "finished" });
  });

  test("a message that comes late, and was made before, is not the newest", async () => {
    const played = play(capabilities);
    const newest = played.service.add("user_message", { status: "processing" });
    const turn = (async () => {
      await played.clock.sleep(3000);
      played.service.add("user_message", { status: "canceled", created_at: "2020-01-01T00:00:00Z" });
      await played.clock.sleep(3000);
      played.service.change(newest.id, { status: "completed" });
      played.service.set({ status: "active", agent_status: "idle" });
    })();
    const items = await played.watch();
    await turn;
    expect(outcome(items)).toMatchObject({ outcome: "idle" });
  });

  test("the session ends and goes on with a queued message: so does the following", async () => {
    const played = play(capabilities);
    const first = played.service.add("user_message", { status: "processing" });
    const going = (async () => {
      await played.clock.sleep(3000);
      played.service.change(first.id, { status: "completed" });
      played.service.set({ status: "finished", agent_status: "stopped" });
      await played.clock.sleep(1000);
      const second = played.service.add("user_message", { status: "processing" });
      played.service.set({ status: "active", agent_status: "working" });
      await played.clock.sleep(20_000);
      played.service.change(second.id, { status: "completed" });
      played.service.set({ status: "merged", agent_status: "idle" });
    })();
    const items = await played.watch({ until: "end" });
    await going;
    expect(outcome(items)).toMatchObject({ outcome: "merged" });
    expect(shown(items).at(-1)).toBe("evt_2 completed update");
  });

  test("a message that stays at work in a session that is over is waited for a minute, where it was over already a moment", async () => {
    const played = play(capabilities);
    played.service.add("user_message", { status: "processing" });
    const ending = (async () => {
      await played.clock.sleep(3000);
      played.service.set({ status: "finished", agent_status: "idle" });
    })();
    const items = await played.watch({ until: "end" });
    await ending;
    const note = "the session is over, and something in it is still queued or processing";
    expect(outcome(items)).toMatchObject({ outcome: "finished", note });
    const first = played.clock.elapsed();
    expect(first).toBeGreaterThan(60_000);
    expect(first).toBeLessThan(80_000);
    expect(outcome(await played.watch({ until: "end" }))).toMatchObject({ outcome: "finished", note });
    expect(played.clock.elapsed() - first).toBeLessThan(10_000);
  });

  test("what a session became while the service was away is known as soon as it is back", async () => {
    const played = play(capabilities);
    const message = played.service.add("user_message", { status: "processing" });
    const restarting = (async () => {
      await played.clock.sleep(3000);
      played.service.session = { id: "ses_1", status: "active", agent_status: "failed" };
      played.service.change(message.id, { status: "completed" });
      played.service.hangUp();
    })();
    const items = await played.watch();
    await restarting;
    expect(outcome(items)).toMatchObject({ outcome: "failed" });
    expect(played.clock.elapsed()).toBeLessThan(10_000);
  });

  test("a session that is over already is told at once, with its timeline", async () => {
    const played = play(capabilities);
    played.service.add("user_message");
    played.service.add("session_closed");
    played.service.session = { id: "ses_1", status: "closed", agent_status: "stopped" };
    const items = await played.watch({ until: "end" });
    expect(shown(items)).toEqual(["evt_1 completed", "evt_2 completed"]);
    expect(outcome(items)).toMatchObject({ outcome: "closed" });
    expect(played.clock.elapsed()).toBe(0);
  });

  test("a session that never starts runs into the timeout, one whose queue is canceled doesn't", async () => {
    const played = play(capabilities);
    const message = played.service.add("user_message", { status: "queued" });
    played.service.session = { id: "ses_1", status: "active", agent_status: "queued" };
    expect(outcome(await played.watch({ timeout: 20_000 }))).toMatchObject({ outcome: "timeout" });
    played.service.change(message.id, { status: "canceled" });
    played.service.set({ agent_status: "idle" });
    expect(outcome(await played.watch())).toMatchObject({ outcome: "canceled" });
  });

  test("a question is what needs you", async () => {
    const played = play(capabilities);
    played.service.add("user_message", { status: "processing" });
    played.service.add("agent_ask_user", { status: "processing" });
    played.service.session = { ...played.service.session, agent_status: "waiting_for_user" };
    expect(outcome(await played.watch())).toMatchObject({ outcome: "waiting_for_user" });
  });

  test("an agent that rests while its message stays at work is waited for a minute from when it came to rest", async () => {
    const played = play(capabilities);
    played.service.add("user_message", { status: "processing" });
    const resting = (async () => {
      await played.clock.sleep(300_000);
      played.service.set({ agent_status: "idle" });
    })();
    const items = await played.watch();
    await resting;
    expect(outcome(items)).toMatchObject({ outcome: "idle", note: /^the agent rests, and something is still processing/u });
    expect(played.clock.elapsed()).toBeGreaterThanOrEqual(360_000);
    expect(played.clock.elapsed()).toBeLessThan(390_000);
  });

  test("a timeout is an outcome", async () => {
    const played = play(capabilities);
    played.service.add("user_message", { status: "processing" });
    expect(outcome(await played.watch({ timeout: 60_000 }))).toMatchObject({ outcome: "timeout" });
    expect(played.clock.elapsed()).toBe(60_000);
  });

  test("words that nobody knows: done after a minute of rest", async () => {
    const played = play(capabilities);
    played.service.session = { id: "ses_1", status: "open", agent_status: "napping" };
    const done = work(played).then(() => played.service.set({ agent_status: "napping" }));
    const items = await played.watch({ message: "mine" });
    await done;
    expect(outcome(items)).toMatchObject({ outcome: "idle", note: "nothing has changed for 60 s" });
    expect(played.clock.elapsed()).toBeGreaterThanOrEqual(69_000);
  });
});

test.each(["stream", "after"] as const)("a service that counts anew and doesn't say so loses nothing, by %s", async (way) => {
  const played = play(ways[way], () => ({ gapless: true }));
  const message = played.service.add("user_message", { status: "processing" });
  for (let count = 0; count < 3; count++) played.service.add("agent_message");
  for (let count = 0; count < 9; count++)
    played.service.change("evt_2", { payload: { type: "agent_message", message: `${count}` } });
  const restored = (async () => {
    await played.clock.sleep(2000);
    played.service.recount();
    played.service.hangUp();
    played.service.add("agent_message");
    await played.clock.sleep(60_000);
    const before = played.service.asked.length;
    await played.clock.sleep(60_000);
    expect(played.service.asked.slice(before).filter((line) => line.endsWith("/events"))).toEqual([]);
    played.service.change(message.id, { status: "completed" });
    played.service.set({ agent_status: "idle" });
  })();
  const items = await played.watch({ timeout: 300_000 });
  await restored;
  expect(shown(items).slice(4)).toEqual(["evt_5 completed", "evt_1 completed update"]);
  expect(outcome(items)).toMatchObject({ outcome: "idle" });
});

test.each(["stream", "after"] as const)("a service that counts anew past what we had loses nothing, by %s", async (way) => {
  const played = play(ways[way], () => ({ gapless: true }));
  const message = played.service.add("user_message", { status: "processing" });
  for (let count = 0; count < 5; count++)
    played.service.change(message.id, { payload: { type: "user_message", message: `${count}` } });
  const restored = (async () => {
    await played.clock.sleep(2000);
    // Nobody looks in between: the first of these have revisions that were passed, the last ones greater ones.
    played.service.recount();
    played.service.hangUp();
    for (let count = 0; count < 9; count++) played.service.add("agent_message");
    await played.clock.sleep(60_000);
    const before = played.service.asked.length;
    await played.clock.sleep(60_000);
    expect(played.service.asked.slice(before).filter((line) => line.endsWith("/events"))).toEqual([]);
    played.service.change(message.id, { status: "completed" });
    played.service.set({ agent_status: "idle" });
  })();
  const items = await played.watch({ timeout: 300_000 });
  await restored;
  const nine = Array.from({ length: 9 }, (_, at) => `evt_${at + 2} completed`);
  expect(shown(items).slice(1)).toEqual([...nine, "evt_1 completed update"]);
});

test("a service that drops its newest event isn't asked for all of them again and again, by after", async () => {
  const played = play(ways.after);
  const message = played.service.add("user_message", { status: "processing" });
  played.service.add("agent_message");
  const dropped = (async () => {
    await played.clock.sleep(2000);
    played.service.events.pop();
    played.service.change(message.id, { payload: { type: "user_message", message: "more" } });
    await played.clock.sleep(60_000);
    const before = played.service.asked.length;
    await played.clock.sleep(60_000);
    expect(played.service.asked.slice(before).filter((line) => line.endsWith("/events"))).toEqual([]);
    played.service.change(message.id, { status: "completed" });
    played.service.set({ agent_status: "idle" });
  })();
  const items = await played.watch({ timeout: 300_000 });
  await dropped;
  expect(outcome(items)).toMatchObject({ outcome: "idle" });
});

describe("what a stream brings in one go while the end is decided", () => {
  const burst = async (size: number, delay: number, timeout?: number) => {
    let isOver = false;
    const played = play(ways.stream, ({ url }) => {
      if (!isOver || !url.endsWith("/ses_1")) return undefined;
      isOver = false;
      for (let count = 0; count < size; count++) played.service.add("agent_message");
      return { delay };
    });
    const message = played.service.add("user_message", { status: "processing" });
    const ending = (async () => {
      await played.clock.sleep(3000);
      isOver = true;
      played.service.change(message.id, { status: "completed" });
      played.service.set({ agent_status: "idle" });
    })();
    const items = await played.watch({ timeout });
    await ending;
    return items;
  };

  test("is shown in its order", async () => {
    const items = await burst(3, 100);
    expect(shown(items).slice(1)).toEqual(["evt_1 completed update", "evt_2 completed", "evt_3 completed", "evt_4 completed"]);
    expect(outcome(items)).toMatchObject({ outcome: "idle" });
  });

  test("is shown where the time runs out, too", async () => {
    const items = await burst(1, 60_000, 10_000);
    expect(shown(items).at(-1)).toBe("evt_2 completed");
    expect(outcome(items)).toMatchObject({ outcome: "timeout" });
  });
});

test.each<[string, (served: { id: string; status?: string }[], count: number) => object[]]>([
  ["drops a message that was at work", (served) => served.slice(1)],
  ["gives its events other ids each time", (served, count) => served.map((event) => ({ ...event, id: `${event.id}-${count}` }))],
])("a service that %s hides no end of its session", async (_what, change) => {
  let count = 0;
  const played = play(ways.array, undefined, ({ send }) => async (request) => {
    if (!request.url.endsWith("/events") || count++ < 2) return send(request);
    const served = JSON.stringify(change(played.service.events as { id: string }[], count));
    async function* bytes() {
      yield Buffer.from(served);
    }
    return { status: 200, headers: {}, body: bytes(), cancel: async () => undefined };
  });
  played.service.add("user_message", { status: "processing" });
  played.service.add("agent_message");
  const ending = (async () => {
    await played.clock.sleep(9000);
    played.service.set({ status: "finished", agent_status: "idle" });
  })();
  const items = await played.watch({ until: "end" });
  await ending;
  expect(outcome(items)).toMatchObject({ outcome: "finished" });
  expect(played.clock.elapsed()).toBeLessThan(120_000);
});
