import { afterEach, expect, test, vi } from "vitest";
import { timeOf } from "../../../src/client/timeline/items.ts";

afterEach(() => vi.unstubAllEnvs());

test("a time without an offset is in UTC, wherever it is read", () => {
  vi.stubEnv("TZ", "America/New_York");
  expect(new Date("2026-01-01T00:00:00").getTimezoneOffset()).toBe(300);
  const at = Date.UTC(2026, 10, 28, 12, 0, 0);
  expect(["2026-11-28T12:00:00", "2026-11-28 12:00:00", "2026-11-28T12:00", "2026-11-28t12:00:00"].map(timeOf)).toEqual(
    Array(4).fill(at),
  );
  expect(timeOf("2026-11-28T12:00:00.123451")).toBeCloseTo(at + 123.451, 3);
  expect(timeOf("2026-11-28T12:00:00+02:00")).toBe(at - 7_200_000);
  expect(timeOf("2026-11-28T12:00:00Z")).toBe(at);
});

test("a time counts to the microsecond, in whatever zone; what is none is none", () => {
  const at = Date.UTC(2026, 10, 28, 12, 0, 0, 123);
  expect(timeOf("2026-11-28T12:00:00.123Z")).toBe(at);
  expect(timeOf("2026-11-28T12:00:00.123451Z")).toBeCloseTo(at + 0.451, 3);
  expect(timeOf("2026-11-28T12:00:00.123451Z")).toBeLessThan(timeOf("2026-11-28T12:00:00.123452Z"));
  expect(timeOf("2026-11-28T13:00:00.123451000+01:00")).toBeCloseTo(at + 0.451, 3);
  expect([timeOf("soon"), timeOf(7), timeOf(undefined)]).toEqual([NaN, NaN, NaN]);
});
