import { describe, expect, test } from "vitest";
import { Ids } from "../../../src/client/timeline/compact/ids.ts";
import { Numbers } from "../../../src/client/timeline/compact/numbers.ts";

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
