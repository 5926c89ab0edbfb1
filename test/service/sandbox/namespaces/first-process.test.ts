import { expect, test } from "vitest";
import { countsThreadsAlone } from "../../../../src/service/sandbox/namespaces/first-process.ts";

test.each([
  ["4.19.0", false],
  ["5.10.0-30-amd64", false],
  ["5.13.19", false],
  ["5.14.0-427.el9", true],
  ["5.15.0", true],
  ["6.1.0-18-amd64", true],
])("an ordinary user's threads are counted for the sandbox alone on Linux %s: %s", (version, alone) => {
  expect(countsThreadsAlone(false, version)).toBe(alone);
});

test("a user of the sandbox's own has no other threads", () => {
  expect(countsThreadsAlone(true, "4.19.0")).toBe(true);
});
