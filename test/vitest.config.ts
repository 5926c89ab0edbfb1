import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** Where a report for `.ci/run` goes, which adds several up. */
const results = process.env["TEST_RESULTS"];

export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/globalSetup.ts"],
    // Tests wait for child processes more than they compute.
    maxWorkers: "100%",
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: results === undefined ? ["default"] : ["default", ["json", { outputFile: results }]],
  },
});
