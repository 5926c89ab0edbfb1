// The program in few files: esbuild's chunks, each a function that is called when another asks for it (src/start/loader.ts). A file
// that holds several is read once, and V8 compiles none of its functions before it is called. `core.js` holds what every start needs,
// and what help and completion do; `command.js` what every command does, and all of the shortest, `config`; `shared.js` what several need; what one alone needs lies
// together in a file of its own. Where each is says the part `index` of the core.
import { transform } from "esbuild";

/** In bytes: what is larger, and not of the kernel, is a library for few commands, also where several share it. */
const large = 30_000;

/** Each with all that it imports when it is loaded. Every start needs the core, and every command what is named so; most the kernel. */
const core = ["src/main.ts", "src/cli/help/print.ts", "src/cli/complete/complete.ts"];
const command = ["src/cli/program.ts", "src/host/files.ts", "src/cli/output/printer.ts", "src/cli/commands/config/index.ts"];
const kernel = ["src/host/network.ts", "src/cli/commands/session/index.ts"];

/** `chunks` are esbuild's, with `imports` and `entryPoint` from its metafile; gives the files of dist. */
export async function pack(chunks) {
  const parts = new Map(await Promise.all([...chunks].map(async ([name, { text }]) => [name, await asFunction(text)])));
  const files = new Map([
    ["core.js", []],
    ["command.js", []],
    ["shared.js", []],
  ]);
  const index = {};
  for (const [name, file] of places(chunks, parts)) {
    index[name] = file;
    files.set(file, [...(files.get(file) ?? []), name]);
  }
  parts.set("index", `(exports,require,module)=>{module.exports=${JSON.stringify(index)}}`);
  files.get("core.js").unshift("index");
  return new Map([...files].map(([file, names]) => [file, together(names, parts)]));
}

/** The file of each chunk. */
function places(chunks, parts) {
  const entries = [...chunks].filter(([, { entryPoint }]) => entryPoint !== undefined).map(([name]) => name);
  const needs = new Map(entries.map((name) => [name, reachable([name], chunks)]));
  const inCore = reachable(named(core, chunks), chunks);
  const inCommand = reachable(named(command, chunks), chunks);
  const inKernel = reachable(named(kernel, chunks), chunks);
  return [...parts].map(([name, text]) => {
    const users = entries.filter((entry) => needs.get(entry).has(name));
    if (inCore.has(name)) return [name, "core.js"];
    if (inCommand.has(name)) return [name, "command.js"];
    if (text.length > large && !inKernel.has(name)) return [name, name];
    return [name, users.length === 1 ? users[0] : "shared.js"];
  });
}

function named(entryPoints, chunks) {
  return entryPoints.map((path) => {
    const found = [...chunks].find(([, { entryPoint }]) => entryPoint === path);
    if (found === undefined) throw new Error(`${path} is not loaded by itself`);
    return found[0];
  });
}

/** The chunks, and those that they import when they are loaded. */
function reachable(names, chunks) {
  const found = new Set(names);
  for (const name of found)
    for (const { path, kind } of chunks.get(name).imports) if (kind === "import-statement" && chunks.has(path)) found.add(path);
  return found;
}

/** A script whose value is the parts by their names. */
function together(names, parts) {
  return `({\n${names.map((name) => `${JSON.stringify(name)}:${parts.get(name)}`).join(",\n")}\n})\n`;
}

/** An ES module as a CommonJS one in a function; a dynamic import becomes a call that is made when it is due. */
async function asFunction(text) {
  const { code } = await transform(text, {
    format: "cjs",
    platform: "node",
    target: "node20",
    supported: { "dynamic-import": false },
    define: { "import.meta.url": "meta.url", "import.meta.dirname": "meta.dirname" },
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "none",
  });
  return `(exports,require,module,meta)=>{${code.trim()}}`;
}
