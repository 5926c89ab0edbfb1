import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Builds dist once for a run: the agents' programs and the binary under test are bundles. */
export function setup(): void {
  execFileSync(process.execPath, [fileURLToPath(new URL("tooling/build.mjs", import.meta.url))], { stdio: "inherit" });
}
