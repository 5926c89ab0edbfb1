import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { sliceArray } from "../../../src/client/http/json-array.ts";
import { makeWholeTimeline } from "../../../src/client/timeline/whole/array.ts";
import { textOf, type SourcedEvent } from "../../../src/client/timeline/items.ts";
import { readTimeline } from "../../../src/client/timeline/whole/read.ts";
import { systemFiles } from "../../../src/host/files.ts";
import { makeTestClient } from "../../support/client.ts";
import { kinds, outcome, play, shown, ways, work } from "../../support/following.ts";
import { makeIdleClock } from "../../support/idle-clock.ts";

/** Options to read one timeline, whose bytes come as given. */
function reading(text: string) {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(text);
  }
  const clock = makeIdleClock();
  const headers = { "content-type": "application/json" };
  const client = makeTestClient(async () => ({ status: 200, headers, body: bytes(), cancel: async () => undefined }), { clock });
  const random = (size: number) => new Uint8Array(size).fill(128);
  return { client, sessionId: "ses_1", makeSpool: systemFiles.makeSpool, clock, random };
}

test("an event that comes twice is told once, at its first place", async () => {
  const text = JSON.stringify([{ id: "1", payload: "a" }, { id: "2" }, { id: "1", payload: "b" }]);
  const events: unknown[] = [];
  for await (const batch of readTimeline(reading(text))) events.push(...batch.map(({ event }) => event));
  expect(events).toEqual([{ id: "1", payload: "a" }, { id: "2" }]);
});

test("of an event that comes twice the newer version is told, with its JSON", async () => {
  const [old, now] = ["00", "01"].map((second) => `{"id":"1","updated_at":"2026-01-01T00:00:${second}Z"}`);
  const read: unknown[] = [];
  for await (const batch of readTimeline(reading(`[${old},{"id":"2"},${now}]`))) read.push(...batch.map(textOf));
  expect(read).toEqual([now, '{"id":"2"}']);
});

test.each(["\\q1", "2026\\u12", "x\\\\\n"])("a time that is no JSON (%j) is told as what it is", async (time) => {
  const read = async () => {
    for await (const events of readTimeline(reading(`[{"id":"a","created_at":"${time}"}]`))) expect(events).toHaveLength(0);
  };
  await expect(read()).rejects.toMatchObject({
    kind: "unavailable",
    message: "the service answered with a list that is no JSON",
  });
});

test("events without an id, or with a number for one, are told once, with their JSON as it came", async () => {
  const text = '[{"type":"a"},{"id":null,"type":"b"},{"id":1},{"type":"a"},{"id":"x"}]';
  const read: unknown[] = [];
  for await (const batch of readTimeline(reading(text))) read.push(...batch.map(textOf));
  expect(read).toEqual(['{"type":"a"}', '{"id":null,"type":"b"}', '{"id":1}', '{"id":"x"}']);
});

test("more events than memory has room for are refused, however small", async () => {
  const read = async () => {
    for await (const events of readTimeline(reading(`[${"{},".repeat(3_000_000)}{}]`))) expect(events).toHaveLength(0);
  };
  await expect(read()).rejects.toMatchObject({ code: "too_long", message: /more than 3000000 events/u });
});

test("of an event that is nested deeper than 500 levels what is deeper is left out, and its text has it all", async () => {
  const text = (levels: number) => `{"id":"1","payload":${'{"a":'.repeat(levels)}"]}"${"}".repeat(levels)},"after":[{}]}`;
  const depthOf = (value: unknown): number => {
    let depth = 0;
    for (let at = value; typeof at === "object" && at !== null; at = (at as { a?: unknown }).a) depth++;
    return depth;
  };
  // The array and the event are two of the levels.
  for (const levels of [498, 499, 20_000]) {
    const read: SourcedEvent[] = [];
    for await (const events of readTimeline(reading(`[${text(levels)},{"id":"2"}]`))) read.push(...events);
    expect(read.map(textOf)).toEqual([text(levels), '{"id":"2"}']);
    expect(depthOf(read[0]?.event.payload)).toBe(498);
    expect(read[0]?.event).toMatchObject({ id: "1", after: [{}] });
  }
});

test("a follow leaves nothing behind on the signal that may end it", async () => {
  const played = play(ways.after);
  const { signal } = new AbortController();
  await Promise.all([played.watch({ signal }), work(played)]);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("an array without end is given up", async () => {
  const text = JSON.stringify(Array.from({ length: 100 }, (_, id) => ({ id: String(id) })));
  const read = async (longest: number) => {
    const whole = makeWholeTimeline({ ...reading(text), longest });
    for await (const { events } of whole.read()) expect(events).toHaveLength(100);
  };
  await read(text.length);
  await expect(read(text.length / 2)).rejects.toMatchObject({ kind: "failure", code: "too_long" });
});

describe("what comes after the end of a list", () => {
  const slice = async (...chunks: readonly string[]) => {
    async function* bytes(): AsyncGenerator<Uint8Array> {
      for (const chunk of chunks) yield Buffer.from(chunk);
    }
    for await (const { places } of sliceArray(bytes())) expect(places).toHaveLength(4);
  };

  test.each([[['[{"id":"1"}]x']], [['[{"id":"1"}]', "[]"]], [['[{"id":"1"}] \n', " <html>"]]])(
    "%j is an error",
    async (chunks) => {
      await expect(slice(...chunks)).rejects.toMatchObject({ kind: "unavailable", code: "unexpected_answer" });
    },
  );

  test("blanks are none", async () => {
    await expect(slice('[{"id":"1"}] \n', "\t\r\n")).resolves.toBeUndefined();
  });
});

describe.each(Object.entries(ways))("by %s", (_way, capabilities) => {
  test("a time that is no text says nothing against an event", async () => {
    const played = play(capabilities);
    for (const made of [{ toString: 1, valueOf: 1 }, 5, [], true])
      played.service.add("agent_message", { created_at: made as unknown as string });
    played.service.session = { id: "ses_1", status: "active", agent_status: "idle" };
    expect(shown(await played.watch({ since: 0 }))).toHaveLength(4);
  });

  test("a message is known by its id where the service keeps no client_id", async () => {
    const played = play(capabilities);
    const message = played.service.add("user_message");
    played.service.session = { id: "ses_1", status: "active", agent_status: "idle" };
    const items = await played.watch({ message: ["mine", message.id], timeout: 60_000 });
    expect(outcome(items)).toMatchObject({ outcome: "idle" });
  });
});

test("a stream that tells of one gap after another has the array read at a pace", async () => {
  const played = play(ways.stream);
  played.service.add("user_message", { status: "processing" });
  const telling = (async () => {
    for (let count = 0; count < 200; count++) {
      await played.clock.sleep(50);
      played.service.tell("gap", { from: 1 });
    }
  })();
  const items = await played.watch({ timeout: 20_000 });
  await telling;
  expect(kinds(items, "gap").length).toBeGreaterThan(0);
  expect(played.service.asked.length).toBeLessThan(20);
});

test("an event that says when it was served is told once, and puts no end off", async () => {
  const played = play(ways.array, () => {
    played.service.events.forEach((event) => Object.assign(event, { served_at: played.clock.elapsed() }));
    return undefined;
  });
  played.service.add("user_message", { status: "processing" });
  played.service.set({ agent_status: "idle" });
  const items = await played.watch({ timeout: 600_000 });
  expect(shown(items)).toEqual(["evt_1 processing"]);
  expect(outcome(items)).toMatchObject({ outcome: "idle" });
});

test.each(Object.entries(ways))(
  "an event that is nested deeper than can be walked hides no other by %s",
  async (_way, capabilities) => {
    const played = play(capabilities);
    let deep: unknown = 1;
    for (let level = 0; level < 600; level++) deep = [deep];
    const working = work(played);
    const adding = played.clock.sleep(2000).then(() => played.service.add("agent_message", { payload: { deep } }));
    const items = await played.watch({ message: "mine" });
    await Promise.all([working, adding]);
    expect(new Set(shown(items).map((line) => line.split(" ")[0])).size).toBe(7);
    expect(kinds(items, "trouble")).toEqual([]);
  },
);
