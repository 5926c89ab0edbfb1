import { expect, test } from "vitest";
import { isDebugging } from "../../src/base/debugging.ts";

test.each([
  [undefined, false],
  ["", false],
  ["0", false],
  ["No", false],
  ["off", false],
  ["FALSE", false],
  ["1", true],
  ["api", true],
])("FERRY_DEBUG=%s traces: %s", (word, traces) => {
  expect(isDebugging({ FERRY_DEBUG: word })).toBe(traces);
});
