import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FerryError } from "../../src/base/errors.ts";
import { eventsOf, kinds, outcome, play, shown, ways, work } from "../support/following.ts";
import type { Fault } from "../support/timeline-service.ts";

const turn = ["evt_1 processing", ...[2, 3, 4, 5, 6].map((id) => `evt_${id} completed`), "evt_1 completed update"];

describe.each(Object.entries(ways))("by %s", (way, capabilities) => {
  test("a turn from its start to its end: every event once, and each change", async () => {
    const played = play(capabilities);
    const done = work(played);
    const items = await played.watch({ message: "mine" });
    await done;
    expect(shown(items)).toEqual(turn);
    expect(kinds(items, "source")).toEqual([{ kind: "source", name: way }]);
    expect(outcome(items)).toMatchObject({ outcome: "idle", state: "done" });
  });

  test("through lost lines, gateways and rests asked for", async () => {
    const faults: Record<number, Fault> = {
      2: { lost: true },
      3: { status: 503 },
      5: { status: 429, headers: { "retry-after": "7" } },
      6: { cut: 40 },
    };
    const played = play(capabilities, (_, count) => faults[count]);
    const done = work(played);
    const items = await played.watch({ message: "mine" });
    await done;
    expect(
      shown(items)
        .filter((line) => !line.endsWith("update"))
        .map((line) => line.split(" ")[0]),
    ).toEqual(["evt_1", "evt_2", "evt_3", "evt_4", "evt_5", "evt_6"]);
    expect(outcome(items)).toMatchObject({ outcome: "idle" });
    expect(played.clock.slept).toContain(7000);
    expect(kinds(items, "trouble").length).toBeGreaterThan(0);
  });

  test.each([
    [401, "auth"],
    [403, "auth"],
    [404, "not_found"],
  ])("a %i in the middle ends it", async (status, kind) => {
    const played = play(capabilities, (_, count) => (count > 3 ? { status } : count > 1 ? { cut: 0 } : undefined));
    played.service.add("user_message", { status: "processing" });
    await expect(played.watch()).rejects.toMatchObject({ kind, status });
  });

  test("ends with the signal's reason", async () => {
    const played = play(capabilities);
    played.service.add("user_message", { status: "processing" });
    const controller = new AbortController();
    const reason = new FerryError("interrupted", "interrupted");
    const watching = played.watch({ signal: controller.signal }, ({ kind }) => kind === "source" && controller.abort(reason));
    await expect(watching).rejects.toBe(reason);
  });

  test("only what was made since a time is shown", async () => {
    const played = play(capabilities);
    const done = work(played);
    const items = await played.watch({ message: "mine", since: played.clock.now() + 4000 });
    await done;
    expect(shown(items)).toEqual(["evt_4 completed", "evt_5 completed", "evt_6 completed"]);
  });

  test("asks for no more than 120 times a minute", async () => {
    const played = play(capabilities);
    played.service.add("user_message", { status: "processing" });
    await played.watch({ timeout: 600_000 });
    expect(played.service.asked.length).toBeLessThan(600 * 2);
  });
});

describe("a session that is a moment old", () => {
  test("may be unknown twice", async () => {
    const played = play(ways.stream, (_, count) => (count < 2 ? { status: 404 } : undefined));
    const done = work(played);
    expect(shown(await played.watch({ fresh: true, message: "mine" }))).toEqual(turn);
    await done;
  });

  test("but not for good, and one that isn't new not at all", async () => {
    await expect(play(ways.stream, () => ({ status: 404 })).watch({ fresh: true })).rejects.toMatchObject({ kind: "not_found" });
    const { service, watch } = play(ways.stream, () => ({ status: 404 }));
    await expect(watch()).rejects.toMatchObject({ kind: "not_found" });
    expect(service.asked).toHaveLength(1);
  });
});

describe("a stream", () => {
  test("that only says it is there is found out by asking, and made anew", async () => {
    let streams = 0;
    const played = play(ways.stream, ({ headers }) =>
      headers["accept"] === "text/event-stream" && streams++ === 0 ? { dead: true } : undefined,
    );
    const done = work(played);
    const items = await played.watch({ message: "mine" });
    await done;
    expect(new Set(shown(items).map((line) => line.split(" ")[0])).size).toBe(6);
    expect(outcome(items)).toMatchObject({ outcome: "idle" });
    expect(played.clock.elapsed()).toBeLessThan(60_000);
  });

  test("whose service counts anew tells of the gap, and repeats nothing", async () => {
    const played = play(ways.stream);
    for (let count = 0; count < 3; count++) played.service.add("agent_message");
    const restored = (async () => {
      await played.clock.sleep(2000);
      played.service.events.splice(1);
      played.service.recount();
      played.service.add("agent_message", { id: "evt_new" });
      played.service.hangUp();
      await played.clock.sleep(2000);
      played.service.set({ agent_status: "idle" });
    })();
    const items = await played.watch();
    await restored;
    expect(shown(items)).toEqual(["evt_1 completed", "evt_2 completed", "evt_3 completed", "evt_new completed"]);
    expect(kinds(items, "gap")).toHaveLength(1);
  });

  test("whose service counts anew tells a change of what had a greater revision before", async () => {
    const played = play(ways.stream);
    for (let count = 0; count < 3; count++) played.service.add("agent_message");
    for (let count = 0; count < 3; count++)
      played.service.change("evt_1", { payload: { type: "agent_message", message: `${count}` } });
    const restored = (async () => {
      await played.clock.sleep(2000);
      played.service.events.splice(1);
      played.service.recount();
      played.service.hangUp();
      await played.clock.sleep(2000);
      played.service.change("evt_1", { payload: { type: "agent_message", message: "more" } });
      await played.clock.sleep(2000);
      played.service.set({ agent_status: "idle" });
    })();
    const items = await played.watch();
    await restored;
    expect(shown(items).at(-1)).toBe("evt_1 completed update");
    expect(played.clock.elapsed()).toBeLessThan(10_000);
  });

  test("that isn't one is left for the next way", async () => {
    const { service, watch, clock } = play(ways.stream, ({ headers }) =>
      headers["accept"] === "text/event-stream" ? { status: 406 } : undefined,
    );
    const done = work({ service, clock });
    const items = await watch({ message: "mine" });
    await done;
    expect(kinds(items, "source").map((item) => item.kind === "source" && item.name)).toEqual(["stream", "after"]);
    expect(shown(items)).toEqual(turn);
  });

  test("brings patches, deltas and what a newer service may say", async () => {
    const played = play(ways.stream);
    const message = played.service.add("user_message", { status: "processing" });
    const telling = (async () => {
      await played.clock.sleep(1000);
      played.service.tell("delta", { text: "he" });
      await played.clock.sleep(1);
      played.service.tell("patch", { sequence: 1, commit: "c" });
      await played.clock.sleep(1);
      played.service.tell("dance", {});
      played.service.tell("ping", "2026-11-29 12:00:00");
      await played.clock.sleep(1);
      played.service.change(message.id, { status: "completed" });
      played.service.set({ agent_status: "idle" });
    })();
    const items = await played.watch();
    await telling;
    expect(kinds(items, "delta")).toEqual([{ kind: "delta", delta: { text: "he" } }]);
    expect(kinds(items, "patch")).toEqual([{ kind: "patch", patch: { sequence: 1, commit: "c" } }]);
    expect(kinds(items, "trouble")).toEqual([]);
  });
});

/** However bad the line, what is told is what happened. */
test("the same events, in the same order, each at its last version, over any line", async () => {
  const fault: fc.Arbitrary<Fault | undefined> = fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    fc.record({ cut: fc.nat(600), clean: fc.boolean() }),
    fc.constantFrom<Fault>(
      { lost: true },
      { status: 503 },
      { status: 502 },
      { status: 429 },
      { twice: true },
      { dead: true },
      { reversed: true },
      { delay: 3000 },
      { delay: 40_000 },
      { forgot: 12, gapless: true },
    ),
  );
  const step = fc.oneof(fc.constant("add" as const), fc.nat(20), fc.constant("pause" as const));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.values(ways)),
      fc.array(fault, { maxLength: 25 }),
      fc.array(step, { maxLength: 25 }),
      async (capabilities, faults, steps) => {
        const played = play(capabilities, (_, count) => faults[count]);
        const { service, clock } = played;
        const working = (async () => {
          for (const each of steps) {
            if (each === "pause") await clock.sleep(2500);
            else if (each === "add") service.add("agent_message");
            else if (service.events[each] !== undefined)
              service.change(service.events[each].id, {
                payload: { type: "agent_message", message: String(clock.now()), at: service.events.length },
              });
            await clock.sleep(1);
          }
          service.add("session_closed");
          service.set({ status: "closed", agent_status: "stopped" });
        })();
        const items = await played.watch({ until: "end" });
        await working;
        const events = eventsOf(items);
        const ids = events.filter(({ update }) => !update).map(({ event }) => event.id);
        const inTime = events.filter(({ update, late }) => !update && !late).map(({ event }) => event.id);
        expect(inTime).toEqual(service.events.map(({ id }) => id).filter((id) => inTime.includes(id)));
        expect([...ids].sort()).toEqual(service.events.map(({ id }) => id).sort());
        const last = new Map(events.map(({ event }) => [event.id, event.payload]));
        for (const event of service.events) expect(last.get(event.id)).toEqual(event.payload);
      },
    ),
    { numRuns: 600 },
  );
});
