// `npm run check`: every stop in turn, quick ones first, ending at the first that fails and naming it.
import { spawnSync } from "node:child_process";

const stops = ["format", "imports", "types", "unused", "lint", "package"];

for (const stop of stops) {
  const started = performance.now();
  const { status } = spawnSync("npm", ["run", "--silent", `check:${stop}`], { stdio: "inherit" });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`check: ${stop} ${status === 0 ? "passed" : "FAILED"} (${seconds} s)`);
  if (status !== 0) {
    console.error(`check: stopped at ${stop}; again alone: npm run check:${stop}`);
    process.exit(1);
  }
}
