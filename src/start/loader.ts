import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";
import type { CodeCache } from "./code-cache.ts";

/** A module as the build writes it: a function that fills `exports`. */
type Part = (exports: object, require: (name: string) => unknown, module: Module, meta: Meta) => void;

/** As `import.meta` of an ES module. */
interface Meta {
  readonly dirname: string;
  readonly url: string;
}

interface Module {
  exports: object;
}

/** The file that every start needs. */
const core = "core.js";

type Parts = Readonly<Record<string, Part | undefined>>;

/** The built program as it lies there. */
export interface Built {
  readonly folder: string;
  /** Node's own, for its modules and packages. */
  readonly require: (name: string) => unknown;
}

export interface Loader {
  /** A module of the program (`./main.js`), or one of Node's or of a package. */
  load(name: string): unknown;
  /** Gives the cache what was compiled in this run, where it had nothing. */
  keep(): void;
}

/** Loads the built program: a few files that hold many modules each (test/tooling/build/pack.mjs). */
export function makeLoader({ folder, require }: Built, cache: CodeCache): Loader {
  const modules = new Map<string, Module>();
  const opened = new Map<string, Parts>();
  const compiled = new Map<string, Script>();
  const meta = {
    dirname: folder,
    get url() {
      const { pathToFileURL } = require("node:url") as typeof import("node:url");
      return pathToFileURL(join(folder, "main.js")).href;
    },
  };

  function open(file: string): Parts {
    const path = join(folder, file);
    const cachedData = cache.read(file);
    const script = new Script(readFileSync(path, "utf8"), { filename: path, ...(cachedData !== undefined && { cachedData }) });
    if (cachedData === undefined || script.cachedDataRejected === true) compiled.set(file, script);
    const parts = script.runInThisContext() as Parts;
    opened.set(file, parts);
    return parts;
  }

  function part(file: string, name: string): Part | undefined {
    return (opened.get(file) ?? open(file))[name];
  }

  /** In which file of the folder each module is. */
  const index = { exports: {} as Readonly<Record<string, string>> };
  part(core, "index")?.(index.exports, load, index, meta);

  function load(name: string): unknown {
    const own = name.slice("./".length);
    const file = name.startsWith("./") ? index.exports[own] : undefined;
    if (file === undefined) return require(name);
    const known = modules.get(own);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    modules.set(own, module);
    part(file, own)?.(module.exports, load, module, meta);
    return module.exports;
  }

  return {
    load,
    keep() {
      for (const [file, script] of compiled) cache.write(file, script.createCachedData());
    },
  };
}
