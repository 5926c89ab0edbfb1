// `npm run test:agents`: installs the real agents that `test/agents/package-lock.json` pins, once, and runs their suite. They are no
// dependencies of the package: together they are 1.2 GB.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const pinned = join(root, "test/agents");
const files = ["package.json", "package-lock.json"];

/** The user's, not the checkout's: a fresh clone and an `npm ci` in this one find them there too. */
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "ferry-test-agents");
/** An installation that no run has used for so long, in ms, is of a lock that nobody has any more. */
const kept = 14 * 24 * 3_600_000;

const folder = join(cache, nameOf(files));
if (!existsSync(folder)) install();
utimesSync(folder, new Date(), new Date());
removeOld();

const vitest = join(root, "node_modules/vitest/vitest.mjs");
const argv = [vitest, "run", "-c", "test/agents/vitest.config.ts", ...process.argv.slice(2)];
const { status } = spawnSync(process.execPath, argv, {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, TEST_AGENTS: folder },
});
process.exitCode = status ?? 1;

/** What is installed depends on these alone. */
function nameOf(names) {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch} ${process.versions.modules}`);
  for (const name of names) hash.update(readFileSync(join(pinned, name)));
  return hash.digest("hex").slice(0, 16);
}

/**
 * Under a name of its own until it is whole: two runs may do it at once, and the second to end throws its own away. By `install`, which
 * keeps to the lock just as well: `ci` wants the binaries of all other systems in it too, and a registry need not have those.
 */
function install() {
  const partial = `${folder}.${process.pid}`;
  try {
    mkdirSync(partial, { recursive: true });
    for (const name of files) copyFileSync(join(pinned, name), join(partial, name));
    const options = ["install", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"];
    const { status } = spawnSync("npm", options, { cwd: partial, stdio: "inherit" });
    if (status !== 0) throw new Error(`npm install failed with exit status ${status}`);
    if (!existsSync(folder)) renameSync(partial, folder);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

function removeOld() {
  for (const name of readdirSync(cache)) {
    const path = join(cache, name);
    if (Date.now() - statSync(path).mtimeMs > kept) rmSync(path, { recursive: true, force: true });
  }
}
