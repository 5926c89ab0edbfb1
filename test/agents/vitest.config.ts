import { defineConfig } from "vitest/config";
import shared from "../vitest.config.ts";

// Projects bring files of their own, whatever is included beside them.
const { projects: _, ...test } = shared.test ?? {};

/** The real agents: large, from the npm registry, so they aren't part of `npm test`. */
export default defineConfig({
  ...shared,
  test: {
    ...test,
    include: ["test/agents/*.agents.ts"],
    testTimeout: 180_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
});
