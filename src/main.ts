import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { exitCodes, FerryError } from "./base/errors.ts";
import { fail, run } from "./cli/run.ts";
import { makeBrowser } from "./host/browser.ts";
import { systemClock } from "./host/clock.ts";
import { takeConsole } from "./host/console.ts";
import type { AskJq, Files, Host, Network, Processes, Prompt, Send } from "./host/host.ts";
import { findHome } from "./host/home.ts";
import { kill } from "./host/kill.ts";
import { makeKeychains } from "./host/keychain/keychain.ts";
import { randomBytes } from "./host/random.ts";
import { makeTerminal } from "./host/terminal.ts";

/** Runs ferry on this machine. `argv` is without node and script; gives the exit code and never ends the process itself. */
export async function main(argv: readonly string[]): Promise<number> {
  const host = makeHost();
  // What nobody waited for has no place in the program that could go on: one line here too, not Node's dump.
  process.on("uncaughtException", (error) => void fail(error, argv, host).then(exit, () => exit(exitCodes.failure)));
  return run(argv, host);
}

function exit(code: number): never {
  process.exit(code);
}

/** The package's folder: this file lies in `src` of a checkout or, bundled, in `dist`. */
const root = dirname(import.meta.dirname);

function makeHost(): Host {
  const { env, platform } = process;
  const dist = join(root, "dist");
  const interrupt = interruptSignal();
  const processes = lazyProcesses();
  const terminal = makeTerminal(env, platform, interrupt);
  let version: string | undefined;
  return {
    env,
    platform,
    get system() {
      return `${os().type()} ${os().release()}`;
    },
    get hostname() {
      return os().hostname();
    },
    cwd: currentFolder(),
    get home() {
      return findHome(os());
    },
    pid: process.pid,
    uid: process.getuid?.() ?? -1,
    get version() {
      return (version ??= readVersion());
    },
    self: [process.execPath, join(root, "bin", "ferry.js")],
    dist,
    clock: systemClock,
    random: randomBytes,
    terminal,
    prompt: lazyPrompt(processes, { interrupt, unicode: terminal.unicode }),
    files: lazyFiles(),
    processes,
    network: lazyNetwork(),
    secrets: makeKeychains({ env, platform, uid: process.getuid?.() ?? -1, dist }),
    browser: makeBrowser(env, platform, interrupt),
    takeConsole,
    jq: lazyJq(dist),
    interrupt,
  };
}

function currentFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

function readVersion(): string {
  return (JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string }).version;
}

/** The first signal asks everything to end well; the handlers are gone then, so that a second one ends the process at once. */
function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  const on = (signal: NodeJS.Signals, reason: FerryError): void => {
    const handle = (): void => {
      controller.abort(reason);
      // Not at once: what draws the spinner ends the process itself where it finds no handler but its own.
      setImmediate(() => process.off(signal, handle));
    };
    process.on(signal, handle);
  };
  on("SIGINT", new FerryError("interrupted", "interrupted"));
  for (const signal of ["SIGTERM", "SIGHUP"] as const) on(signal, new FerryError("terminated", `ended by ${signal}`));
  return controller.signal;
}

function os(): typeof import("node:os") {
  return process.getBuiltinModule("node:os");
}

// What a command doesn't use isn't loaded: Node's own modules take longer than most commands do.

function lazyNetwork(): Network {
  let network: Promise<Network> | undefined;
  // One for all calls: a connection that is kept is of the network that made it.
  const load = (): Promise<Network> =>
    (network ??= import("./host/network.ts").then(({ makeNetwork }) => makeNetwork(process.env)));
  return {
    send: async (request) => (await load()).send(request),
    overSocket(path) {
      let send: Promise<Send> | undefined;
      return async (request) => (await (send ??= load().then((loaded) => loaded.overSocket(path))))(request);
    },
    listen: async (handler) => (await load()).listen(handler),
    tunnel: async (host) => (await load()).tunnel(host),
    reachProxy: async (proxy) => (await load()).reachProxy(proxy),
  };
}

function lazyJq(dist: string): AskJq {
  let jq: Promise<AskJq> | undefined;
  return async (question, signal) => (await (jq ??= import("./host/jq.ts").then(({ makeJq }) => makeJq(dist))))(question, signal);
}

function lazyFiles(): Files {
  const load = async (): Promise<Files> => (await import("./host/files.ts")).systemFiles;
  return later(load, [
    ...(["read", "readText", "write", "create", "append", "makeFolder", "shut", "list"] as const),
    ...(["status", "realPath", "target", "remove", "rename", "double", "link", "makeTemporaryFolder", "makeSpool"] as const),
  ]);
}

function lazyProcesses(): Processes {
  const { env, platform } = process;
  const load = async (): Promise<Processes> => (await import("./host/processes.ts")).makeProcesses(env, platform);
  return { ...later(load, ["run", "attach", "detach", "startTime", "space", "find"]), kill };
}

function lazyPrompt(processes: Processes, surroundings: { interrupt: AbortSignal; unicode: boolean }): Prompt {
  const load = async (): Promise<Prompt> => (await import("./host/prompt.ts")).makePrompt(process.env, processes, surroundings);
  return {
    ...later(load, ["confirm", "text", "hidden", "edit"]),
    select: async (question, choices) => (await load()).select(question, choices),
  };
}

/** The methods of what is loaded with the first call of one. */
function later<T extends Record<Name, (...given: never[]) => Promise<unknown>>, Name extends string>(
  load: () => Promise<T>,
  names: readonly Name[],
): Pick<T, Name> {
  const method =
    (name: Name) =>
    async (...given: never[]): Promise<unknown> =>
      (await load())[name](...given);
  return Object.fromEntries(names.map((name) => [name, method(name)])) as Pick<T, Name>;
}
