import { buildSync } from "esbuild";
import { fileURLToPath } from "node:url";

/** Builds the shell agent as the one file that a sandbox is given, into a folder of the test's own. */
export function buildShellAgent(folder: string): void {
  buildSync({
    entryPoints: [fileURLToPath(new URL("../../src/service/agent/agents/shell-agent.ts", import.meta.url))],
    outdir: folder,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "warning",
  });
}
