// The program in few files: esbuild's chunks, each a function that is called when another asks for it (src/start/loader.ts). A file
// that holds several is read once, and V8 compiles none of its functions before it is called. `core.js` holds what every start needs,
// and what help and completion do; `command.js` what every command does, which verbs the nouns have, and all of the shortest, `config`;
// `calls.js` what a call to a service needs; `shared.js` what several others need; what one alone needs lies together in a file of its
// own. Where each is says the part `index` of the core.
import { transform } from "esbuild";

/** In bytes: what is larger is a library for few commands, also where several share it. */
const large = 30_000;

/** The files that most starts need, each with what begins there and all that this imports when it is loaded, less what a file before has. */
const common = {
  "core.js": /^src\/(main|cli\/help\/print|cli\/complete\/complete)\.ts$/u,
  "command.js": /^src\/(cli\/program|host\/files|cli\/output\/printer|cli\/commands\/([^/]+\/index|config\/[^/]+))\.ts$/u,
  // The listing stands for all that call a service: it does little else.
  "calls.js": /^src\/(host\/network|cli\/commands\/session\/list)\.ts$/u,
};

/** `chunks` are esbuild's, with `imports` and `entryPoint` from its metafile; gives the files of dist. */
export async function pack(chunks) {
  const parts = new Map(await Promise.all([...chunks].map(async ([name, { text }]) => [name, await asFunction(text)])));
  const files = new Map([...Object.keys(common), "shared.js"].map((file) => [file, []]));
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
  const inCommon = Object.entries(common).map(([file, begins]) => [file, reachable(named(begins, chunks), chunks)]);
  return [...parts].map(([name, text]) => {
    const users = entries.filter((entry) => needs.get(entry).has(name));
    const [file] = inCommon.find(([, there]) => there.has(name)) ?? [];
    if (file !== undefined) return [name, file];
    if (text.length > large) return [name, name];
    return [name, users.length === 1 ? users[0] : "shared.js"];
  });
}

function named(begins, chunks) {
  const found = [...chunks].filter(([, { entryPoint }]) => entryPoint !== undefined && begins.test(entryPoint));
  if (found.length === 0) throw new Error(`nothing that is loaded by itself is called ${begins}`);
  return found.map(([name]) => name);
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
