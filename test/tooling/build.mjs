// Builds dist: `start.js`, which bin/ferry.js loads; the program in few files (build/pack.mjs); and beside it the programs that run
// on their own. All of it is CommonJS: Node's loader for ES modules alone takes longer
// than `ferry --version`. Only what changed is written, and what others name last, so that a build under a running ferry pulls
// nothing from under it but what went out of use.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { jqPlugin } from "./build/jq.mjs";
import { describeCommands, treeFile, treePlugin } from "./build/tree.mjs";
import { pack } from "./build/pack.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const dist = join(root, "dist");

/** Each is one file: the first is started by Node itself, the others also where nothing lies beside them (in a sandbox). */
const programs = [
  "src/start.ts",
  "src/host/keychain/keychain-child.ts",
  "src/host/jq-thread.ts",
  "src/service/agent/agents/shell-agent.ts",
  "src/service/agent/launcher/agent-launcher.ts",
  "src/service/agent/tools/bridge.ts",
];

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node20",
  // Names stay: a stack trace of --verbose is read by people.
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  // Native modules can't be bundled; they are the package's only dependencies.
  external: ["libsql", "@napi-rs/keyring"],
  outdir: dist,
  entryNames: "[name]",
  chunkNames: "[name]-[hash]",
  write: false,
  metafile: true,
  logLevel: "warning",
};

/** Commander can run a program as a command; ferry has none such, and Node's module for it takes longer to load than commander. */
const noPrograms = {
  name: "no-programs",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
      /[\\/]node_modules[\\/]commander[\\/]/.test(importer) ? { path: "none", namespace: "no-programs" } : undefined,
    );
    onLoad({ filter: /^/, namespace: "no-programs" }, () => ({ contents: "module.exports = {};" }));
  },
};

const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const tree = await describeCommands(root);
const chunks = await bundle({
  entryPoints: ["src/main.ts"],
  format: "esm",
  splitting: true,
  plugins: [treePlugin(), noPrograms],
});
const files = await pack(chunks);
const built = {
  version,
  hash: createHash("sha256")
    .update(JSON.stringify([...files]))
    .digest("hex")
    .slice(0, 16),
  commands: Object.fromEntries([
    ["help", []],
    ["complete", []],
    ...wordsOf(tree).map(([word, { commands }]) => [word, wordsOf({ commands }).map(([verb]) => verb)]),
  ]),
};
const own = await bundle({ entryPoints: programs, format: "cjs", define: { built: JSON.stringify(built) }, plugins: [jqPlugin] });
writeOutputs(
  new Map([
    ...files,
    ...[...own].map(([name, { text }]) => [name, text]),
    [treeFile, JSON.stringify(tree)],
    ["package.json", '{ "type": "commonjs" }\n'],
  ]),
);

/** What comes out by the names, with what esbuild knows of it. */
async function bundle(options) {
  const { outputFiles, metafile } = await build({ ...common, ...options });
  const known = new Map(Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]));
  return new Map(
    outputFiles.map(({ path, text }) => {
      const { imports, entryPoint } = known.get(basename(path));
      return [basename(path), { text, entryPoint, imports: imports.map((one) => ({ ...one, path: basename(one.path) })) }];
    }),
  );
}

/** The words that commands go by, each with its command. */
function wordsOf({ commands }) {
  return commands.flatMap((command) => [command.name, ...command.aliases].map((word) => [word, command]));
}

function writeOutputs(files) {
  mkdirSync(dist, { recursive: true });
  for (const [name, text] of files) {
    const path = join(dist, name);
    if (!existsSync(path) || readFileSync(path, "utf8") !== text) writeFileSync(path, text);
  }
  for (const name of readdirSync(dist)) if (!files.has(name)) rmSync(join(dist, name), { recursive: true });
}
