// Bundles src into dist: the program in chunks that are loaded when they are needed, and beside it the programs that run on
// their own. Only what changed is written, entries last, so that a build under a running ferry pulls nothing from under it
// but what went out of use.
import { build } from "esbuild";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const dist = join(root, "dist");

/** Dependencies that are CommonJS call `require` for Node's own modules, which an ES module doesn't have. */
const banner =
  'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);';

const common = {
  absWorkingDir: root,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  // Names stay: a stack trace of --verbose is read by people.
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  banner: { js: banner },
  outdir: dist,
  entryNames: "[name]",
  chunkNames: "[name]-[hash]",
  write: false,
  logLevel: "warning",
};

const outputs = [
  ...(await bundle(["src/main.ts", "src/host/keychain/keychain-child.ts"], {
    splitting: true,
    // Native modules can't be bundled; they are the package's only dependencies.
    external: ["libsql", "@napi-rs/keyring"],
  })),
  // Mounted into a sandbox by themselves, so each must be one file.
  ...(await bundle(["src/service/agent/agents/shell-agent.ts", "src/service/agent/launcher/agent-launcher.ts"], {
    splitting: false,
  })),
];
writeOutputs(outputs);

async function bundle(entryPoints, options) {
  const { outputFiles } = await build({ ...common, ...options, entryPoints });
  return outputFiles;
}

function writeOutputs(files) {
  mkdirSync(dist, { recursive: true });
  const isChunk = ({ path }) => /-[A-Z0-9]{8}\.js$/.test(path);
  for (const { path, contents } of [...files.filter(isChunk), ...files.filter((file) => !isChunk(file))])
    if (!existsSync(path) || !readFileSync(path).equals(contents)) writeFileSync(path, contents);
  const current = new Set(files.map(({ path }) => basename(path)));
  for (const name of readdirSync(dist)) if (!current.has(name)) rmSync(join(dist, name), { recursive: true });
}
