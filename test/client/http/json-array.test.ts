import fc from "fast-check";
import { expect, test } from "vitest";
import { parseArray } from "../../../src/client/http/json-array.ts";

async function* from(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

const none = (): never => {
  throw new Error("it is an array");
};

async function parse(chunks: readonly Uint8Array[], otherwise: (body: Uint8Array) => unknown[] = none): Promise<unknown[]> {
  const items: unknown[] = [];
  for await (const portion of parseArray(from(chunks), otherwise)) items.push(...portion.items);
  return items;
}

const cutAt = (bytes: Uint8Array, places: readonly number[]) => {
  const cuts = [0, ...places.filter((at) => at <= bytes.length).sort((one, other) => one - other), bytes.length];
  return cuts.slice(1).map((at, index) => bytes.subarray(cuts[index], at));
};

test("any array, however it is spaced and cut", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.jsonValue()), fc.constantFrom(0, 2), fc.array(fc.nat(300)), async (items, space, cuts) => {
      const bytes = Buffer.from(`\n ${JSON.stringify(items, undefined, space)} `);
      expect(await parse(cutAt(bytes, cuts))).toEqual(JSON.parse(bytes.toString()));
    }),
  );
});

test("at every byte of one with all that could mislead", async () => {
  const items = [{ id: "a", text: '],[{"\\\\"\\u005d é👋' }, [], {}, "", [[1, [2]]], "\\", null, -1.5e3];
  const bytes = Buffer.from(JSON.stringify(items));
  for (let at = 0; at <= bytes.length; at++) expect(await parse(cutAt(bytes, [at]))).toEqual(items);
  expect(await parse(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(items);
});

test("a long one in portions", async () => {
  const items = Array.from({ length: 30_000 }, (_, index) => ({ id: `evt_${index}`, text: "x,]".repeat(40) }));
  const bytes = Buffer.from(JSON.stringify(items));
  const sizes: number[] = [];
  const read: unknown[] = [];
  for await (const portion of parseArray(from(cutAt(bytes, [1000, 2_000_000])), none)) {
    sizes.push(portion.size);
    read.push(...portion.items);
  }
  expect(read).toEqual(items);
  expect(sizes.length).toBeGreaterThan(3);
});

test("what is no array is left to others", async () => {
  const body = Buffer.from('{"items":[]}');
  for (let at = 0; at <= body.length; at++)
    expect(await parse(cutAt(body, [at]), (whole) => [Buffer.from(whole).toString()])).toEqual(['{"items":[]}']);
  expect(await parse([], (whole) => [whole.length])).toEqual([0]);
});

test.each(["[", '[{"a":1}', "[1,", '["', "[1,2,,3]", "[a]", "[1 2]", "[}"])("%s is refused", async (text) => {
  await expect(parse([Buffer.from(text)])).rejects.toMatchObject({ kind: "unavailable", code: "unexpected_answer" });
});
