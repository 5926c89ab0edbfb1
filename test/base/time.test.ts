import { expect, test } from "vitest";
import { parseDuration } from "../../src/base/time.ts";

test("a duration is at most as long as its end is a date with a year of four digits", () => {
  const end = new Date(Date.UTC(2999, 0, 1) + parseDuration("1000000d"));
  expect(end.toISOString()).toMatch(/^\d{4}-/u);
  for (const text of ["1000000d1ms", "100000000d", `${"9".repeat(400)}h`])
    expect(() => parseDuration(text, "--since")).toThrow(/^--since: ".*" is too long$/u);
});
