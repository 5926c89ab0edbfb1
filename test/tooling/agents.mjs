// `npm run test:agents`: installs the real agents of the pinned versions into a cache folder, once, and runs their suite. They are no
// dependencies of the package: together they are 1.2 GB.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The newest that run on Node 20. */
const packages = {
  "opencode-ai": "1.18.33",
  "@agentclientprotocol/claude-agent-acp": "0.49.0",
  "@qwen-code/qwen-code": "0.15.10",
  "@agentclientprotocol/codex-acp": "2.6.0",
  "@google/gemini-cli": "0.61.0",
};

const cache = join(root, "node_modules/.cache/ferry-agents");
const name = Object.entries(packages)
  .map(([pack, version]) => `${pack.split("/").at(-1)}-${version}`)
  .join("_");
const folder = join(cache, name);

if (!existsSync(folder)) install();
const vitest = join(root, "node_modules/vitest/vitest.mjs");
const argv = [vitest, "run", "-c", "test/agents/vitest.config.ts", ...process.argv.slice(2)];
const { status } = spawnSync(process.execPath, argv, {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, TEST_AGENTS: folder },
});
process.exitCode = status ?? 1;

/** Under another name until it is whole. */
function install() {
  const partial = join(cache, "partial");
  rmSync(cache, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  writeFileSync(join(partial, "package.json"), JSON.stringify({ private: true, dependencies: packages }));
  // opencode's script links the binary for this system; no other may run.
  const options = ["install", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"];
  const { status } = spawnSync("npm", options, { cwd: partial, stdio: "inherit" });
  if (status !== 0) throw new Error(`npm install failed with exit status ${status}`);
  renameSync(partial, folder);
}
