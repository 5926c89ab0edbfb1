import { expect, test } from "vitest";
import { sinceTime } from "../../../src/cli/commands/work/since.ts";

const now = Date.UTC(2026, 2, 1);

test.each([
  ["10m", now - 600_000],
  ["1h30m", now - 5_400_000],
  ["0s", now],
  ["2026-01-31", Date.UTC(2026, 0, 31)],
  ["2024-02-29", Date.UTC(2024, 1, 29)],
  ["2026-01-31T12:00:00Z", Date.UTC(2026, 0, 31, 12)],
  ["2026-01-31t12:00:00.5z", Date.UTC(2026, 0, 31, 12, 0, 0, 500)],
  ["2026-01-31 12:00+02:00", Date.UTC(2026, 0, 31, 10)],
  ["2026-01-31T12:00", new Date(2026, 0, 31, 12).getTime()],
])("--since %j is a time", (text, time) => {
  expect(sinceTime(text, now)).toBe(time);
});

test.each([
  ...["5", "10", "0", "1 2", "hello 5", "2026", "2026-13-01", "2026-02-30", "2025-02-29", "1900-02-29", "2026-04-31", "2026-1-5"],
  ...["2026-01-31T25:00Z", "2026-01-31T12:60Z", "2026-01-31T12", "2026-01-31Z", "Jan 31 2026", "", " ", "yesterday"],
])("--since %j is none", (text) => {
  const hint = "write it as 2026-01-31T12:00:00Z, or as 10m for ten minutes ago";
  expect(() => sinceTime(text, now)).toThrow(expect.objectContaining({ kind: "usage", hint }) as Error);
});
