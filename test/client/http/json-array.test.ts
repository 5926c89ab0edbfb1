import fc from "fast-check";
import { expect, test } from "vitest";
import { parseItems, sliceArray } from "../../../src/client/http/json-array.ts";

async function* from(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

interface Read {
  readonly items: unknown[];
  /** The text of each item's own `created_at`. */
  readonly times: (string | undefined)[];
  readonly portions: number;
  readonly whole: string | undefined;
}

async function read(chunks: readonly Uint8Array[]): Promise<Read> {
  const [items, times]: [unknown[], (string | undefined)[]] = [[], []];
  const slices = sliceArray(from(chunks));
  for (let portions = 0; ; portions++) {
    const step = await slices.next();
    if (step.done === true)
      return { items, times, portions, whole: step.value === undefined ? undefined : Buffer.from(step.value).toString() };
    const { bytes, places } = step.value;
    for (let at = 0; at < places.length; at += 4) {
      const [start, end, from, to] = places.slice(at, at + 4) as [number, number, number, number];
      items.push(...parseItems([bytes.subarray(start, end)], step.value.isDeep));
      times.push(to === 0 ? undefined : bytes.toString("utf8", from, to));
    }
  }
}

const cutAt = (bytes: Uint8Array, places: readonly number[]) => {
  const cuts = [0, ...places.filter((at) => at <= bytes.length).sort((one, other) => one - other), bytes.length];
  return cuts.slice(1).map((at, index) => bytes.subarray(cuts[index], at));
};

test("any array, however it is spaced and cut", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.jsonValue()), fc.constantFrom(0, 2), fc.array(fc.nat(300)), async (items, space, cuts) => {
      const bytes = Buffer.from(`\n ${JSON.stringify(items, undefined, space)} `);
      expect((await read(cutAt(bytes, cuts))).items).toEqual(JSON.parse(bytes.toString()));
    }),
  );
});

test("at every byte of one with all that could mislead", async () => {
  const items = [
    { id: "a", text: '],[{"\\\\"\\u005d é👋', created_at: "one" },
    [],
    {},
    "",
    [[1, [2]], { created_at: "too deep" }],
    "\\",
    null,
    -1.5e3,
    { text: `${"x".repeat(60)}\\"${"y".repeat(60)}\\\\`, payload: { created_at: "not its own" }, created_at: "two" },
    { created_at: null, other: "created_at" },
    { "created\\_at": 1, list: ["created_at", "x"] },
  ];
  const bytes = Buffer.from(`\ufeff${JSON.stringify(items)}`);
  const whole = { items, times: items.map((_, at) => (at === 0 ? "one" : at === 8 ? "two" : undefined)), whole: undefined };
  for (let at = 0; at <= bytes.length; at++) expect(await read(cutAt(bytes, [at]))).toMatchObject(whole);
  expect(await read(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toMatchObject(whole);
});

test("a long one in portions", async () => {
  const items = Array.from({ length: 30_000 }, (_, index) => ({ id: `evt_${index}`, text: "x,]".repeat(40) }));
  const bytes = Buffer.from(JSON.stringify(items));
  const { portions, ...rest } = await read(cutAt(bytes, [1000, 2_000_000]));
  expect(rest.items).toEqual(items);
  expect(portions).toBeGreaterThan(1);
});

test("an item of 20 MB in small chunks costs no square", async () => {
  const bytes = Buffer.from(JSON.stringify(["a", { text: `${"x\\".repeat(5 * 1024 * 1024)}"` }, "b"]));
  const places = Array.from({ length: 20_000 }, (_, index) => index * 800);
  const { items } = await read(cutAt(bytes, places));
  expect(items).toHaveLength(3);
});

test("what is no array is given out whole", async () => {
  const body = Buffer.from('{"items":[]}');
  for (let at = 0; at <= body.length; at++)
    expect(await read(cutAt(body, [at]))).toMatchObject({ items: [], whole: body.toString() });
  expect((await read([])).whole).toBe("");
  expect((await read([Buffer.from(" [ ] ")])).whole).toBeUndefined();
});

test.each(["[", '[{"a":1}', "[1,", '["', "[1,2,,3]", "[a]", "[1 2]", "[}", "[1,]", "[1, ]", '[1:"created_at"', "[:"])(
  "%s is refused",
  async (text) => {
    await expect(read([Buffer.from(text)])).rejects.toMatchObject({ kind: "unavailable", code: "unexpected_answer" });
  },
);

test("blanks before a list are passed over, and have an end", async () => {
  const blanks = (count: number) => Array.from({ length: count }, () => Buffer.alloc(1024, " "));
  expect((await read([...blanks(200), Buffer.from("[1]")])).items).toEqual([1]);
  let taken = 0;
  const endless = async function* () {
    for (; taken < 16 * 1024; taken++) yield Buffer.alloc(1024, " ");
    yield Buffer.from("[]");
  };
  await expect(sliceArray(endless()).next()).rejects.toMatchObject({ kind: "unavailable", message: /blanks without end/u });
  expect(taken).toBeLessThan(300);
});
