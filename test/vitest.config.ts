import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { SecondTries } from "./tooling/second-try.ts";

/** Where a report for `.ci/run` goes, which adds several up. */
const results = process.env["TEST_RESULTS"];

// git and the service wait for the disk at each of many thousand writes; in memory the same suite takes half the time.
if (process.env["TMPDIR"] === undefined && isRoomy("/dev/shm")) process.env["TMPDIR"] = "/dev/shm";

/** What computes alone: no test of these folders changes its process, so one worker does many of their files, which loads the code once. */
const computed = ["test/base/**/*.test.ts", "test/wire/**/*.test.ts", "test/client/**/*.test.ts", "test/cli/output/**/*.test.ts"];
/** Git's work and the sandboxes', which is the same on every Node. */
const notNode = [
  "test/patch/**",
  "test/contract/{hostile.test.ts,sandbox/**}",
  "test/service/sandbox/{limits,namespaces,oci}/**",
];
const leftOut = process.env["TEST_ONLY"] === "node" ? notNode : [];
const root = fileURLToPath(new URL("..", import.meta.url));
const patience = { testTimeout: 30_000, hookTimeout: 60_000, retry: results === undefined ? 0 : 1 };

export default defineConfig({
  root,
  test: {
    globalSetup: ["test/globalSetup.ts"],
    // Tests wait for child processes more than they compute.
    maxWorkers: "100%",
    reporters: results === undefined ? ["default"] : ["default", ["json", { outputFile: results }], new SecondTries()],
    projects: [
      { root, test: { name: "computed", include: computed, isolate: false, ...patience } },
      { root, test: { name: "whole", include: ["test/**/*.test.ts"], exclude: [...computed, ...leftOut], ...patience } },
    ],
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
