// What help and completion know of the commands, worked out once, when the program is built.
import { build } from "esbuild";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** What `describeProgram` of the sources gives. */
export async function describeCommands(root) {
  // Where it finds the packages that it leaves outside.
  const folder = join(root, "node_modules/.cache/ferry");
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, `describe-${process.pid}.mjs`);
  const options = { bundle: true, packages: "external", format: "esm", platform: "node", target: "node20", logLevel: "warning" };
  await build({ ...options, absWorkingDir: root, entryPoints: ["src/cli/help/describe.ts"], outfile });
  const { describeProgram } = await import(pathToFileURL(outfile).href);
  return describeProgram();
}

/** The file of dist that it lies in. */
export const treeFile = "tree.json";

/** Puts the reading of that file in the place of src/cli/help/tree.ts: within the code, V8's cache of that would hold it, too. */
export function treePlugin() {
  const contents = `
    import { readFileSync } from "node:fs";
    export async function commandTree() {
      return JSON.parse(readFileSync(new URL(${JSON.stringify(treeFile)}, import.meta.url), "utf8"));
    }`;
  return {
    name: "tree",
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]cli[\\/]help[\\/]tree\.ts$/ }, () => ({ contents, loader: "js" }));
    },
  };
}
