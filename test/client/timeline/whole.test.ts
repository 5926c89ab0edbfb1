import { readdir } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import * as zlib from "node:zlib";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { makeWholeTimeline, type HowToRead, type WholeTimeline } from "../../../src/client/timeline/whole/array.ts";
import { readPart } from "../../../src/client/timeline/whole/part.ts";
import type { TimelineEvent } from "../../../src/client/timeline/items.ts";
import { systemClock } from "../../../src/host/clock.ts";
import { systemFiles } from "../../../src/host/files.ts";
import { makeNetwork } from "../../../src/host/network.ts";
import { makeTestClient } from "../../support/client.ts";
import { makeScriptedSend } from "../../support/scripted-send.ts";

let server: Server | undefined;
afterEach(() => void server?.close());

interface Serving {
  body: string | Buffer;
  encoding?: string;
  tag?: string;
}

/** A service that answers with one timeline, over a real line. */
async function serve(serving: Serving): Promise<{ timeline: WholeTimeline; spools: () => number; statuses: number[] }> {
  const statuses: number[] = [];
  server = createServer((incoming, outgoing) => {
    const known = serving.tag !== undefined && incoming.headers["if-none-match"] === serving.tag;
    statuses.push(known ? 304 : 200);
    const headers = {
      ...(serving.encoding !== undefined && { "content-encoding": serving.encoding }),
      ...(serving.tag !== undefined && { etag: serving.tag }),
    };
    outgoing.writeHead(known ? 304 : 200, headers).end(known ? undefined : serving.body);
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let spools = 0;
  const makeSpool = () => {
    spools++;
    return systemFiles.makeSpool();
  };
  const client = makeTestClient(makeNetwork({}).send, { baseUrl });
  return {
    timeline: makeWholeTimeline({ client, clock: systemClock, sessionId: "ses_1", makeSpool }),
    spools: () => spools,
    statuses,
  };
}

async function read(timeline: WholeTimeline, how?: HowToRead): Promise<TimelineEvent[]> {
  const all: TimelineEvent[] = [];
  for await (const { events } of timeline.read(how)) {
    all.push(...events);
  }
  return all;
}

const made = (second: number) => new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString();
const long = (count: number, text: string, place: (index: number) => number) =>
  Array.from({ length: count }, (_, index) => ({ id: `evt_${index}`, created_at: made(place(index)), payload: { text } }));

describe("an array in whatever order", () => {
  test("comes by time, ties as they came, what has no time behind its neighbour", async () => {
    const event = fc.record({
      id: fc.uuid(),
      created_at: fc.option(fc.oneof(fc.constantFrom("", "yesterday", "2026-01-01T00:00:00"), fc.nat(5).map(made))),
      payload: fc.jsonValue(),
    });
    const serving: Serving = { body: "" };
    const { timeline } = await serve(serving);
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 20 }), fc.constantFrom(0, 1), async (events, space) => {
        serving.body = JSON.stringify(events, undefined, space);
        let last = -Infinity;
        const keyed = events.map((each) => {
          const time = Date.parse(each.created_at ?? "");
          if (!Number.isNaN(time)) last = time;
          return { each, last };
        });
        const expected = keyed.toSorted((one, other) => (one.last === other.last ? 0 : one.last - other.last));
        const fresh = makeWholeTimeline({
          client: clientOf(),
          clock: systemClock,
          sessionId: "ses_1",
          makeSpool: systemFiles.makeSpool,
        });
        expect(await read(fresh)).toEqual(JSON.parse(JSON.stringify(expected.map(({ each }) => each))));
      }),
      { numRuns: 60 },
    );
    expect(timeline).toBeDefined();
  });

  test.each([
    ["in order", (index: number) => index],
    ["from the newest on", (index: number) => -index],
    ["shuffled", (index: number) => (index * 7919) % 30_011],
  ])("beyond what memory should hold: %s, through a file that nobody finds", async (_, place) => {
    const events = long(30_000, "x".repeat(700), place);
    const { timeline, spools } = await serve({ body: JSON.stringify(events) });
    const all = await read(timeline);
    expect(all.map(({ id }) => id)).toEqual(
      events.toSorted((one, other) => one.created_at.localeCompare(other.created_at)).map(({ id }) => id),
    );
    expect(all.find(({ id }) => id === "evt_20000")).toEqual(events[20_000]);
    expect(spools()).toBe(1);
    expect((await readdir(tmpdir())).filter((name) => name.startsWith("ferry-spool-"))).toEqual([]);
  });

  const quick = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } };
  const codings: [string, (text: string) => Buffer][] = [
    ["gzip", (text) => zlib.gzipSync(text)],
    ["br", (text) => zlib.brotliCompressSync(text, quick)],
  ];
  // Node has it from 22.15 on.
  if ("zstdCompressSync" in zlib) codings.push(["zstd", zlib.zstdCompressSync as (text: string) => Buffer]);
  test.each(codings)("as %s", async (encoding, code) => {
    const events = long(2000, "ü 你好 👋".repeat(20), (index) => -index);
    const { timeline } = await serve({ body: code(JSON.stringify(events)), encoding });
    expect((await read(timeline)).map(({ id }) => id)).toEqual(events.map(({ id }) => id).reverse());
  });

  test("cut off, or no JSON at its end, brings nothing of it and says so", async () => {
    const serving: Serving = { body: '[{"id":"a"},{"id":"b"}' };
    const { timeline } = await serve(serving);
    await expect(read(timeline)).rejects.toMatchObject({ kind: "unavailable" });
    serving.body = '{"items":[{"id":"a"}]}';
    expect(await read(timeline)).toEqual([{ id: "a" }]);
  });
});

describe("read again", () => {
  test("what is the same at its place is left out, whatever moved is not", async () => {
    const [a, b, c] = long(3, "x", (index) => index);
    const serving: Serving = { body: JSON.stringify([a, b]) };
    const { timeline } = await serve(serving);
    expect(await read(timeline)).toEqual([a, b]);
    expect(await read(timeline)).toEqual([]);
    serving.body = JSON.stringify([a, { ...b, status: "completed" }, c]);
    expect((await read(timeline)).map(({ id }) => id)).toEqual(["evt_1", "evt_2"]);
    serving.body = JSON.stringify([c, a, b]);
    expect((await read(timeline)).map(({ id }) => id)).toEqual(["evt_0", "evt_1", "evt_2"]);
  });

  test("with the tag that it had, where that is wanted", async () => {
    const { timeline, statuses } = await serve({ body: '[{"id":"a"}]', tag: '"7"' });
    expect(await read(timeline, { sameTag: true })).toHaveLength(1);
    expect(await read(timeline, { sameTag: true })).toEqual([]);
    await read(timeline);
    expect(statuses).toEqual([200, 304, 200]);
  });

  test("one that was left in the middle is not known", async () => {
    const { timeline } = await serve({ body: JSON.stringify(long(3000, "x".repeat(300), (index) => index)) });
    for await (const { events } of timeline.read()) {
      expect(events.length).toBeLessThan(3000);
      break;
    }
    expect(await read(timeline)).toHaveLength(3000);
  });
});

function clientOf() {
  return makeTestClient(makeNetwork({}).send, { baseUrl: `http://127.0.0.1:${(server?.address() as AddressInfo).port}` });
}

describe("ids that are numbers beyond what ours can hold", () => {
  const ids = ["9223372036854775801", "9223372036854775802", "-9223372036854775803", "7"];
  const list = `[${ids.map((id) => `{"payload":{"id":1},"id": ${id},"type":"a"}`).join(" , ")}]`;

  test.each([list, `{"total":4,"items":${list}}`])("keep their digits: %s", async (body) => {
    const { timeline } = await serve({ body });
    expect((await read(timeline)).map(({ id }) => id)).toEqual(ids);
    const client = makeTestClient(makeScriptedSend({ body }).send);
    const watched = { client, sessionId: "ses_1", clock: systemClock, signal: new AbortController().signal };
    const { events, text } = await readPart(watched, { after: 0 });
    expect(events.map(({ id }) => id)).toEqual(ids);
    expect(text(1)).toContain("9223372036854775802");
  });

  test("are what they are to us where that is no whole number", async () => {
    const { timeline } = await serve({ body: '[{"id":1e400},{"id":1.5e300},{"id":1.25}]' });
    expect((await read(timeline)).map(({ id }) => id)).toEqual(["Infinity", "1.5e+300", "1.25"]);
  });
});
