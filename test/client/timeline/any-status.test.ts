import { describe, expect, test } from "vitest";
import type { SendRequest } from "../../../src/host/host.ts";
import { kinds, outcome, play, shown, ways, work } from "../../support/following.ts";
import type { Fault } from "../../support/timeline-service.ts";

const passing = [
  400, 402, 405, 406, 408, 409, 410, 411, 412, 415, 418, 421, 422, 423, 425, 429, 451, 500, 501, 502, 503, 504, 507,
];
/** As of a network's sign-in page. */
const redirect: Fault = { status: 302, headers: { location: "https://sign-in.example/" } };
const faults: readonly (readonly [string, Fault])[] = [
  ...passing.map((status) => [String(status), { status }] as const),
  ["302 to elsewhere", redirect],
  ["302 to nowhere", { status: 302, headers: { location: "http://" } }],
  ["307 in a circle", { status: 307, headers: { location: "?" } }],
];

const turn = ["evt_1 processing", ...[2, 3, 4, 5, 6].map((n) => `evt_${n} completed`), "evt_1 completed update"];
const isStream = ({ headers }: SendRequest) => headers["accept"] === "text/event-stream";
const sources = (items: Parameters<typeof kinds>[0]) =>
  kinds(items, "source").map((item) => (item.kind === "source" ? item.name : ""));

describe.each(Object.entries(ways))("by %s", (_way, capabilities) => {
  describe.each(faults)("an answer %s", (_what, fault) => {
    test("to all that is asked while it is followed ends nothing, and is told", async () => {
      const played = play(capabilities, () => {
        const now = played.clock.elapsed();
        return now >= 1000 && now < 61_000 ? fault : undefined;
      });
      const cutting = played.clock.sleep(2000).then(() => played.service.hangUp());
      const done = work(played);
      const items = await played.watch({ message: "mine" });
      await Promise.all([done, cutting]);
      expect(shown(items).map((line) => line.split(" ")[0])).toEqual(
        expect.arrayContaining(["evt_1", "evt_2", "evt_3", "evt_4", "evt_5", "evt_6"]),
      );
      expect(new Set(shown(items)).size).toBe(shown(items).length);
      expect(outcome(items)).toMatchObject({ outcome: "idle" });
      expect(outcome(items)).not.toHaveProperty("unread");
      const told = kinds(items, "trouble").map((item) => (item.kind === "trouble" ? item.error.status : 0));
      expect(told).toContain(fault.status);
    });
  });

  test.each([302, 400, 402, 409, 410, 425])(
    "%i to one request, whichever it is once something has come, ends nothing",
    async (status) => {
      for (let at = 2; at < 10; at++) {
        const played = play(capabilities, (_, count) => (count === at ? { ...redirect, status } : undefined));
        const done = work(played);
        const items = await played.watch({ message: "mine" });
        await done;
        expect(outcome(items)).toMatchObject({ outcome: "idle" });
        expect(new Set(shown(items).map((line) => line.split(" ")[0])).size).toBe(6);
      }
    },
  );

  test.each([400, 402, 409, 425, 451, 501])("%i for ten minutes is waited through", async (status) => {
    const played = play(capabilities, () => {
      const now = played.clock.elapsed();
      return now >= 1000 && now < 600_000 ? { status } : undefined;
    });
    const cutting = played.clock.sleep(2000).then(() => played.service.hangUp());
    const done = work(played);
    const items = await played.watch({ message: "mine" });
    await Promise.all([done, cutting]);
    expect(outcome(items)).toMatchObject({ outcome: "idle" });
    // Never in a rush.
    expect(played.service.asked.length).toBeLessThan(600);
  });

  test("a session that is gone for good ends it in the end, as one that isn't there", async () => {
    const played = play(capabilities, (_, count) => (count > 3 ? { status: 410 } : count === 3 ? { cut: 0 } : undefined));
    played.service.add("user_message", { status: "processing" });
    await expect(played.watch()).rejects.toMatchObject({ kind: "not_found", status: 410 });
    expect(played.clock.elapsed()).toBeGreaterThan(60_000);
    expect(played.clock.elapsed()).toBeLessThan(300_000);
  });
});

test.each([400, 404, 405, 406, 410, 415, 422, 501])(
  "a service that answers a stream with %i is asked by `after`",
  async (status) => {
    const played = play(ways.stream, (request) => (isStream(request) ? { status } : undefined));
    const done = work(played);
    const items = await played.watch({ message: "mine" });
    await done;
    expect(sources(items)).toEqual(["stream", "after"]);
    expect(shown(items)).toEqual(turn);
  },
);

test.each([400, 404, 405, 410, 422, 501])("one that answers `after` with %i, too, by the whole array", async (status) => {
  const played = play(ways.stream, (request) => (isStream(request) || request.url.includes("after=") ? { status } : undefined));
  const done = work(played);
  const items = await played.watch({ message: "mine" });
  await done;
  expect(sources(items)).toEqual(["stream", "after", "array"]);
  expect(shown(items)).toEqual(turn);
});

test.each([401, 403, 404])("%i to all that is asked ends it at once, whatever way it is followed", async (status) => {
  for (const capabilities of Object.values(ways)) {
    const played = play(capabilities, (_, count) => (count > 3 ? { status } : undefined));
    const cutting = played.clock.sleep(2000).then(() => played.service.hangUp());
    played.service.add("user_message", { status: "processing" });
    await expect(played.watch()).rejects.toMatchObject({ status });
    await cutting;
    expect(played.clock.elapsed()).toBeLessThan(30_000);
  }
});

test("a stream that is refused for a while is taken again later", async () => {
  const played = play(ways.stream, (request) =>
    isStream(request) && played.clock.elapsed() < 100_000 ? { status: 400 } : undefined,
  );
  played.service.add("user_message", { status: "processing" });
  expect(sources(await played.watch({ timeout: 1_000_000 }))).toEqual(["stream", "after", "stream"]);
});

test("the first answer of all, where it is final, is the command's own error at once", async () => {
  for (const status of [400, 402, 409, 410, 451]) {
    const played = play(ways.array, () => ({ status }));
    await expect(played.watch()).rejects.toMatchObject({ status });
    expect(played.clock.elapsed()).toBe(0);
  }
});
