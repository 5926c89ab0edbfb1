import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ferry-count-"));
});

afterAll(() => rmSync(folder, { recursive: true }));

test("runs are added up; a test that failed is named, and a file that can't be loaded counts as one", () => {
  const fine = { numPassedTests: 40, numFailedTests: 0, testResults: [{ status: "passed", assertionResults: [{}] }] };
  const failedTest = { status: "failed", fullName: "a pull lands", failureMessages: ["Error: 1 is not 2\n    at a.test.ts:3"] };
  const broken = {
    numPassedTests: 3,
    numFailedTests: 1,
    testResults: [
      { name: "/a.test.ts", status: "failed", assertionResults: [{}, {}, {}, failedTest] },
      { name: "/b.test.ts", status: "failed", assertionResults: [], message: "Error: no such module" },
    ],
  };
  expect(count(report("fine", fine), report("broken", broken))).toBe(
    [
      "FAILED (broken) /a.test.ts > a pull lands",
      "    Error: 1 is not 2",
      "FAILED (broken) /b.test.ts",
      "    Error: no such module",
      "43 passed, 2 failed",
      "",
    ].join("\n"),
  );
});

test("a run that left no report adds nothing", () => {
  expect(count(join(folder, "none.json"))).toBe("0 passed, 0 failed\n");
});

function report(name: string, content: unknown): string {
  const path = join(folder, `${name}.json`);
  writeFileSync(path, JSON.stringify(content));
  return path;
}

function count(...paths: readonly string[]): string {
  const script = fileURLToPath(new URL("count.mjs", import.meta.url));
  return execFileSync(process.execPath, [script, ...paths], { encoding: "utf8" });
}
