import { expect, test } from "vitest";
import { inWords, parseDuration } from "../../src/base/time.ts";

test("a duration is at most as long as its end is a date with a year of four digits", () => {
  const end = new Date(Date.UTC(2999, 0, 1) + parseDuration("1000000d"));
  expect(end.toISOString()).toMatch(/^\d{4}-/u);
  for (const text of ["1000000d1ms", "100000000d", `${"9".repeat(400)}h`])
    expect(() => parseDuration(text, "--since")).toThrow(/^--since: ".*" is too long$/u);
});

test.each([
  [1000, "1 second"],
  [20_000, "20 seconds"],
  [60_000, "60 seconds"],
  [119_000, "119 seconds"],
  [120_000, "2 minutes"],
  [600_000, "10 minutes"],
])("%i ms in words are %s", (duration, words) => {
  expect(inWords(duration)).toBe(words);
});
