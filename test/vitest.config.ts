import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { SecondTries } from "./tooling/second-try.ts";

/** Where a report for `.ci/run` goes, which adds several up. */
const results = process.env["TEST_RESULTS"];

// git and the service wait for the disk at each of many thousand writes; in memory the same suite takes half the time.
if (process.env["TMPDIR"] === undefined && isRoomy("/dev/shm")) process.env["TMPDIR"] = "/dev/shm";

export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/globalSetup.ts"],
    // Tests wait for child processes more than they compute.
    maxWorkers: "100%",
    testTimeout: 30_000,
    hookTimeout: 60_000,
    retry: results === undefined ? 0 : 1,
    reporters: results === undefined ? ["default"] : ["default", ["json", { outputFile: results }], new SecondTries()],
  },
});

/** Whether a folder in memory has room for all that the tests write, and lets programs run. */
function isRoomy(memory: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(memory);
    if (bavail * bsize < 4 * 1024 ** 3) return false;
    const folder = mkdtempSync(`${memory}/ferry-room-`);
    try {
      writeFileSync(`${folder}/program`, "#!/bin/sh\n", { mode: 0o755 });
      execFileSync(`${folder}/program`);
      return true;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  } catch {
    return false;
  }
}
