import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Ids } from "../../../src/client/timeline/compact/ids.ts";
import { Numbers } from "../../../src/client/timeline/compact/numbers.ts";
import { printOf } from "../../../src/client/timeline/whole/print.ts";

describe("a long list of numbers", () => {
  test("keeps each at its place, and has none beyond its end", () => {
    const numbers = new Numbers();
    for (let place = 0; place < 10_000; place++) numbers.push(place / 2);
    numbers.set(5_000, 2 ** 52);
    expect([numbers.length, numbers.at(0), numbers.at(4_097), numbers.at(5_000), numbers.at(9_999)]).toEqual([
      10_000,
      0,
      2_048.5,
      2 ** 52,
      4_999.5,
    ]);
    expect(numbers.at(10_000)).toBeNaN();
  });
});

describe("ids", () => {
  test.each<[string, (at: number) => string]>([
    ["that are counted", (at) => `evt_${at}`],
    ["that differ in the beginning", (at) => `${at.toString(36)}-0000000000000000`],
    ["that are a few characters", (at) => String.fromCharCode(0x20 + (at % 300), 0x20 + Math.floor(at / 300))],
  ])("%s are found by their number, and no other is taken for one", (_what, id) => {
    const ids = new Ids();
    for (let at = 0; at < 60_000; at++) if (ids.find(id(at)) !== -1 || ids.add(id(at)) !== at) expect.fail(id(at));
    for (let at = 0; at < 60_000; at++) if (ids.find(id(at)) !== at) expect.fail(id(at));
    expect([ids.size, ids.find("none"), ids.find("")]).toEqual([60_000, -1, -1]);
  });
});

describe("the print of a value", () => {
  const pairs: [unknown, unknown][] = [
    [["a", "b"], ["a,b"]],
    [
      ["ab", ""],
      ["", "ab"],
    ],
    [[["a"], "b"], [["a", "b"]]],
    [[], {}],
    [1, "1"],
    [null, "null"],
    [{ a: "b" }, ["a", "b"]],
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    [`${"x".repeat(99)}y`, `${"x".repeat(98)}y`],
    ["a\u0100", "a\u0001"],
  ];
  test.each(pairs)("%j is another than %j's", (one, other) => {
    expect(printOf(one)).not.toBe(printOf(other));
  });

  test("is the same where its JSON is, and else another", () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(value, value, (one, other) => {
        const copy = JSON.parse(JSON.stringify(one)) as unknown;
        expect(printOf(copy)).toBe(printOf(one));
        expect(printOf(one) === printOf(other)).toBe(JSON.stringify(one) === JSON.stringify(other));
      }),
      { numRuns: 500 },
    );
  });
});
