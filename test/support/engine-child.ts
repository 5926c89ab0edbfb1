import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import type { ParsedBodyOf } from "../../src/wire/contract.ts";
import type { EngineOptions } from "./engine.ts";

export interface EngineChild {
  readonly child: ChildProcess;
  /** The session's id. */
  readonly session: string;
  /** The ids of the messages that it acknowledged. */
  readonly messages: readonly string[];
  /** Waits until a command has printed this line, and that is on disk. */
  printed(line: string): Promise<void>;
}

const program = new URL("engine-process.ts", import.meta.url);

export interface EngineWork {
  /** As plain data; `data` is named. */
  readonly options: EngineOptions & { readonly data: string };
  /** The repository's folder. */
  readonly path: string;
  readonly session: Partial<ParsedBodyOf<"createSession">>;
  readonly messages: readonly string[];
  /** The number of the user that runs it, where it isn't this one; the data folder is theirs. */
  readonly uid?: number;
}

/** Runs `engine-process.ts` in a process of its own and waits until it has acknowledged all messages. */
export async function startEngineChild(work: EngineWork): Promise<EngineChild> {
  const cache = fileURLToPath(new URL("../../node_modules/.cache/", import.meta.url));
  mkdirSync(cache, { recursive: true });
  // Below node_modules, where the packages that stay outside of the bundle are found.
  const folder = mkdtempSync(join(cache, "engine-"));
  const outfile = join(folder, "engine.mjs");
  buildSync({
    entryPoints: [fileURLToPath(program)],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    logLevel: "warning",
    define: { "import.meta.url": JSON.stringify(program.href) },
  });
  chmodSync(folder, 0o755);
  const child = spawn(process.execPath, [outfile, JSON.stringify(work)], {
    stdio: ["ignore", "pipe", "inherit"],
    ...(work.uid !== undefined && { uid: work.uid, gid: work.uid }),
  });
  child.once("exit", () => rmSync(folder, { recursive: true }));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const line = await lines.next();
    if (line.done === true) throw new Error("the engine's process ended too early");
    return line.value;
  };
  const session = await next();
  const acknowledged: string[] = [];
  while (acknowledged.length < work.messages.length) acknowledged.push(await next());
  const printed = async (line: string) => {
    while ((await next()) !== line);
  };
  return { child, session, messages: acknowledged, printed };
}
