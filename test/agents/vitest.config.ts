import { defineConfig } from "vitest/config";
import shared from "../vitest.config.ts";

/** The real agents: large, from the npm registry, so they aren't part of `npm test`. */
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    include: ["test/agents/*.agents.ts"],
    testTimeout: 180_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
});
