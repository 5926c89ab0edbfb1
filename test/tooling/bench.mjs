// `npm run bench [NAME…] [-- --OPTION…]`: runs test/bench/*.bench.ts, each bundled where Node finds our node_modules. What
// follows the names is for them: `npm run bench pull -- --all`.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const suffix = ".bench.ts";
const given = process.argv.slice(2);
const from = given.findIndex((argument) => argument.startsWith("-"));
const wanted = from < 0 ? given : given.slice(0, from);
const options = from < 0 ? [] : given.slice(from);

execute(process.execPath, ["test/tooling/build.mjs"]);
for (const file of readdirSync(join(root, "test/bench")).filter((name) => name.endsWith(suffix))) {
  const name = file.slice(0, -suffix.length);
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const outfile = join(root, "node_modules/.cache/ferry", `${name}.bench.mjs`);
  await build({
    entryPoints: [join(root, "test/bench", file)],
    outfile,
    bundle: true,
    packages: "external",
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "warning",
  });
  console.log(`\n${name}`);
  execute(process.execPath, [outfile, ...options]);
}

function execute(command, args) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(1);
}
