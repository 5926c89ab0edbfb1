import { describe, expect, test } from "vitest";
import { exitCodes, type FerryError } from "../../../src/base/errors.ts";
import type { Fault } from "../../support/timeline-service.ts";
import { eventsOf, kinds, outcome, play, shown, ways, work } from "../../support/following.ts";

/** What was seen in the field of followers: how each of those cases goes here. */
const turn = ["evt_1 processing", ...[2, 3, 4, 5, 6].map((id) => `evt_${id} completed`), "evt_1 completed update"];

test("a stream that closes cleanly in the middle of a turn, again and again, loses and repeats nothing", async () => {
  const played = play(ways.stream, ({ headers }, count) =>
    headers["accept"] === "text/event-stream" && count < 40 ? { cut: 30 + 97 * (count % 9), clean: true } : undefined,
  );
  const done = work(played);
  const items = await played.watch({ message: "mine" });
  await done;
  expect(shown(items)).toEqual(turn);
});

test("back after an hour, where the service no longer streams what came before: filled from the array", async () => {
  const hour = 3_600_000;
  let isAway = false;
  const played = play(ways.stream, ({ headers }) => {
    const streams = headers["accept"] === "text/event-stream";
    if (isAway && played.clock.elapsed() < hour) return { lost: true };
    if (!streams) return undefined;
    if (isAway) return { forgot: Math.max(...played.service.events.map(({ revision }) => revision ?? 0)) };
    isAway = true;
    return { cut: 400, clean: true };
  });
  const done = work(played);
  const items = await played.watch({ message: "mine" });
  await done;
  expect(new Set(shown(items).map((line) => line.split(" ")[0]))).toEqual(
    new Set(["evt_1", "evt_2", "evt_3", "evt_4", "evt_5", "evt_6"]),
  );
  expect(shown(items).filter((line) => !line.endsWith("update"))).toHaveLength(6);
  expect(outcome(items)).toMatchObject({ outcome: "idle" });
});

test("a stream that tells of a gap is filled from the array at once, not when the watchdog looks", async () => {
  let streams = 0;
  const played = play(ways.stream, ({ headers }) =>
    headers["accept"] === "text/event-stream" && streams++ > 0 ? { forgot: 4 } : undefined,
  );
  const message = played.service.add("user_message", { status: "processing" });
  const working = (async () => {
    await played.clock.sleep(1000);
    played.service.hangUp();
    for (let count = 0; count < 4; count++) played.service.add("agent_message");
    await played.clock.sleep(5000);
    played.service.change(message.id, { status: "completed" });
    played.service.set({ agent_status: "idle" });
  })();
  const items = await played.watch();
  await working;
  expect(kinds(items, "gap")).toHaveLength(1);
  expect(shown(items)).toEqual([
    "evt_1 processing",
    ...[2, 3, 4, 5].map((id) => `evt_${id} completed`),
    "evt_1 completed update",
  ]);
  expect(played.clock.elapsed()).toBeLessThan(15_000);
});

test("the whole array again and again, shuffled, with one changed: one update, no repeat", async () => {
  const played = play(ways.array, (_, count) => (count % 2 === 0 ? { reversed: true } : undefined));
  for (let count = 0; count < 5; count++) played.service.add("agent_message", { created_at: `2026-01-01T00:00:0${count}Z` });
  const changing = (async () => {
    await played.clock.sleep(20_000);
    played.service.change("evt_3", { payload: { type: "agent_message", message: "more" } });
  })();
  const items = await played.watch({ until: "never", timeout: 60_000 });
  await changing;
  expect(shown(items)).toEqual([...[1, 2, 3, 4, 5].map((id) => `evt_${id} completed`), "evt_3 completed update"]);
});

describe.each(Object.entries(ways))("by %s", (_way, capabilities) => {
  test("one that is older than what is there comes late, once, and says so", async () => {
    const played = play(capabilities);
    played.service.add("agent_message");
    const coming = (async () => {
      await played.clock.sleep(5000);
      played.service.add("agent_message", { created_at: "2020-01-01T00:00:00Z" });
    })();
    const items = await played.watch({ until: "never", timeout: 30_000 });
    await coming;
    expect(eventsOf(items)).toMatchObject([
      { event: { id: "evt_1" }, late: false },
      { event: { id: "evt_2" }, late: true },
    ]);
  });

  test("times that are equal, without a zone, no times at all, or to come: all are shown, in a settled order", async () => {
    const played = play(capabilities);
    const same = "2026-01-01T00:00:00Z";
    for (const created_at of [same, same, "2026-01-01 00:00:01", "yesterday", "", null, "2099-01-01T00:00:00Z"])
      played.service.add("agent_message", { created_at });
    const seen = async () => shown(await played.watch({ until: "never", timeout: 20_000 }));
    const first = await seen();
    expect([...first].sort()).toEqual([1, 2, 3, 4, 5, 6, 7].map((id) => `evt_${id} completed`));
    expect(first.indexOf("evt_1 completed")).toBeLessThan(first.indexOf("evt_2 completed"));
    expect(first.at(-1)).toBe("evt_7 completed");
    expect(await seen()).toEqual(first);
  });

  test.each<[string, Fault, (slept: readonly number[]) => boolean]>([
    ["seconds", { status: 429, headers: { "retry-after": "7" } }, (slept) => slept.includes(7000)],
    [
      "a date",
      { status: 429, headers: { "retry-after": new Date(Date.UTC(2026, 0, 1) + 60_000).toUTCString() } },
      (slept) => slept.some((ms) => ms > 40_000 && ms <= 60_000),
    ],
    ["nothing", { status: 429 }, (slept) => slept.length > 0],
  ])("a 429 with %s is waited for", async (_what, fault, waited) => {
    let isRefused = false;
    const played = play(capabilities, ({ headers }, count) => {
      // Of a stream it is its own beginning: what is read beside it waits, and the stream doesn't.
      const isTurn = capabilities === ways.stream ? headers["accept"] === "text/event-stream" : count === 5;
      if (isRefused || !isTurn) return undefined;
      isRefused = true;
      return fault;
    });
    const done = work(played);
    const items = await played.watch({ message: "mine" });
    await done;
    expect(waited(played.clock.slept)).toBe(true);
    expect(outcome(items)).toMatchObject({ outcome: "idle" });
  });

  test("a service that is another process now, with the same events and another clock, repeats nothing", async () => {
    const played = play(capabilities);
    const message = played.service.add("user_message", { status: "processing" });
    played.service.add("agent_message");
    const restarting = (async () => {
      await played.clock.sleep(4000);
      played.service.recount();
      played.service.hangUp();
      played.service.add("agent_message", { created_at: "2025-12-31T23:00:00Z" });
      await played.clock.sleep(10_000);
      played.service.change(message.id, { status: "completed", updated_at: "2025-12-31T23:00:10Z" });
      played.service.set({ agent_status: "idle" });
    })();
    const items = await played.watch();
    await restarting;
    expect(shown(items)).toEqual(["evt_1 processing", "evt_2 completed", "evt_3 completed", "evt_1 completed update"]);
  });

  test("two who follow one session see the same", async () => {
    const played = play(capabilities);
    const done = work(played);
    const [one, other] = await Promise.all([played.watch({ message: "mine" }), played.watch({ message: "mine" })]);
    await done;
    expect(shown(one)).toEqual(turn);
    expect(shown(other)).toEqual(turn);
  });
});

test("a wrong id is told as such at once: exit 5; a key that is revoked meanwhile: exit 4", async () => {
  const exitOf = (error: unknown) => exitCodes[(error as FerryError).kind];
  const wrong = play(ways.array, () => ({ status: 404 }));
  expect(exitOf(await wrong.watch().catch((error: unknown) => error))).toBe(5);
  const revoked = play(ways.array, (_, count) => (count > 6 ? { status: 401 } : undefined));
  revoked.service.add("user_message", { status: "processing" });
  expect(exitOf(await revoked.watch().catch((error: unknown) => error))).toBe(4);
});
