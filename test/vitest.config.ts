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
/** Git's work and the sandboxes', which is the same on every Node; that both work there the whole runs of `test/acceptance` tell. */
const notNode = [
  "test/patch/**",
  "test/cli/{hook,work}/**",
  "test/contract/{hostile.test.ts,sandbox/**}",
  "test/service/session/**",
  "test/service/sandbox/{limits,namespaces,oci}/**",
  "test/tooling/**",
];
const leftOut = process.env["TEST_ONLY"] === "node" ? notNode : [];
const root = fileURLToPath(new URL("..", import.meta.url));
/** Shared machines were seen to take four times as long as on another day. */
const patience = { testTimeout: 90_000, hookTimeout: 120_000, retry: results === undefined ? 0 : 1 };

export default defineConfig({
  root,
  test: {
    globalSetup: ["test/globalSetup.ts"],
    // Tests wait for child processes more than they compute.
    maxWorkers: "100%",
    // What went well is a dot where the report says it all: of a long log only the end is looked at.
    reporters: results === undefined ? ["default"] : ["dot", ["json", { outputFile: results }], new SecondTries()],
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
