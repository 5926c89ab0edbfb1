import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseSse, type SseMessage } from "../../../src/client/timeline/sse.ts";

async function* from(chunks: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

async function parse(...chunks: readonly (string | Uint8Array)[]): Promise<SseMessage[]> {
  return collect(parseSse(from(chunks)));
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** As a service sends it: a retry, comments, umlauts and wide characters, data on several lines, an id that stays behind. */
const recorded = [
  "retry: 1000",
  "",
  ": still here",
  "",
  "id: 1",
  "event: session_event",
  'data: {"id":"evt_1","message":"Grüße, 你好 👋🏽"}',
  "",
  "event:delta",
  "data:one",
  "data",
  "data:  two: three",
  "",
  "id: 2\0",
  "data: no id",
  "",
  "event: gap",
  "",
  "data: last",
  "",
  "data: cut off",
];
const messages: SseMessage[] = [
  { event: "session_event", data: '{"id":"evt_1","message":"Grüße, 你好 👋🏽"}', id: "1" },
  { event: "delta", data: "one\n\n two: three", id: undefined },
  { event: "message", data: "no id", id: undefined },
  { event: "message", data: "last", id: undefined },
];

describe.each([
  ["LF", "\n"],
  ["CRLF", "\r\n"],
  ["CR", "\r"],
])("with lines that end in %s", (_name, end) => {
  const bytes = Buffer.from(`\ufeff${recorded.join(end)}`);

  test("whole, and cut at every byte", async () => {
    expect(await parse(bytes)).toEqual(messages);
    for (let at = 0; at <= bytes.length; at++) expect(await parse(bytes.subarray(0, at), bytes.subarray(at))).toEqual(messages);
  });

  test("byte by byte, and with empty chunks between", async () => {
    expect(await parse(...Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(messages);
    expect(await parse(...Array.from(bytes, (byte) => [Uint8Array.of(byte), new Uint8Array()]).flat())).toEqual(messages);
  });
});

test("however a stream is cut, it says the same", async () => {
  const line = fc.oneof(
    fc.constantFrom("", "data: x", "data", ":", "id: 7", "event: e", "event:", "data:é👋", "nonsense", "retry: 1"),
    fc.string({ unit: "grapheme" }).map((text) => text.replace(/[\r\n]/g, "")),
  );
  const stream = fc
    .array(fc.tuple(line, fc.constantFrom("\n", "\r\n", "\r")), { maxLength: 30 })
    .map((lines) => Buffer.from(lines.flat().join("")));
  await fc.assert(
    fc.asyncProperty(stream, fc.array(fc.nat(400), { maxLength: 10 }), async (bytes, cuts) => {
      const places = [0, ...cuts.filter((at) => at <= bytes.length).sort((one, other) => one - other), bytes.length];
      const chunks = places.slice(1).map((at, index) => bytes.subarray(places[index], at));
      expect(await parse(...chunks)).toEqual(await parse(bytes));
    }),
  );
});

test("an event of 20 MB in small chunks costs no square", async () => {
  const data = "x".repeat(20 * 1024 * 1024);
  const chunks = [
    "data: ",
    ...Array.from({ length: 20_000 }, (_, index) => data.slice(index * 1049, (index + 1) * 1049)),
    "\n\n",
  ];
  const [message] = await parse(...chunks);
  expect(message?.data).toHaveLength(Math.min(data.length, 20_000 * 1049));
});

test("a message without end is refused, in one line or in many", async () => {
  const endless = async function* (text: string): AsyncGenerator<Uint8Array> {
    for (;;) yield Buffer.from(text);
  };
  await expect(collect(parseSse(endless("data: x"), 1000))).rejects.toMatchObject({ kind: "unavailable" });
  await expect(collect(parseSse(endless("data: x\n"), 1000))).rejects.toMatchObject({ kind: "unavailable" });
});

test("lines without a value count, too", async () => {
  const blank = async function* (): AsyncGenerator<Uint8Array> {
    for (let count = 0; count < 10_000; count++) yield Buffer.from("data\n");
  };
  await expect(collect(parseSse(blank(), 1000))).rejects.toMatchObject({ kind: "unavailable" });
});
