import { expect, test } from "vitest";
import { timeOf } from "../../../src/client/timeline/items.ts";

test("a time counts to the microsecond, in whatever zone; what is none is none", () => {
  const at = Date.UTC(2026, 10, 28, 12, 0, 0, 123);
  expect(timeOf("2026-11-28T12:00:00.123Z")).toBe(at);
  expect(timeOf("2026-11-28T12:00:00.123451Z")).toBeCloseTo(at + 0.451, 3);
  expect(timeOf("2026-11-28T12:00:00.123451Z")).toBeLessThan(timeOf("2026-11-28T12:00:00.123452Z"));
  expect(timeOf("2026-11-28T13:00:00.123451000+01:00")).toBeCloseTo(at + 0.451, 3);
  expect([timeOf("soon"), timeOf(7), timeOf(undefined)]).toEqual([NaN, NaN, NaN]);
});
