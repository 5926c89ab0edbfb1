import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { homedir, hostname, release, type } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { FerryError } from "./base/errors.ts";
import { run } from "./cli/run.ts";
import { systemBrowser } from "./host/browser.ts";
import { systemClock } from "./host/clock.ts";
import { systemFiles } from "./host/files.ts";
import type { Host, Network } from "./host/host.ts";
import { makeKeychains } from "./host/keychain/keychain.ts";
import { makeProcesses } from "./host/processes.ts";
import { makePrompt } from "./host/prompt.ts";
import { makeTerminal } from "./host/terminal.ts";

/** Runs ferry on this machine. `argv` is without node and script; gives the exit code and never ends the process itself. */
export async function main(argv: readonly string[]): Promise<number> {
  return run(argv, makeHost());
}

/** The package's folder: this file lies in `src` of a checkout or, bundled, in `dist`. */
const root = dirname(dirname(fileURLToPath(import.meta.url)));

function makeHost(): Host {
  const { env, platform } = process;
  const dist = join(root, "dist");
  const interrupt = interruptSignal();
  const processes = makeProcesses(env, platform);
  return {
    env,
    platform,
    system: `${type()} ${release()}`,
    hostname: hostname(),
    cwd: process.cwd(),
    home: homedir(),
    pid: process.pid,
    uid: process.getuid?.() ?? -1,
    get version() {
      return readVersion();
    },
    self: [process.execPath, join(root, "bin", "ferry.js")],
    dist,
    clock: systemClock,
    random: randomBytes,
    terminal: makeTerminal(env, platform),
    prompt: makePrompt(env, processes, interrupt),
    files: systemFiles,
    processes,
    network: lazyNetwork(),
    secrets: makeKeychains({ env, platform, uid: process.getuid?.() ?? -1, dist }),
    browser: systemBrowser,
    interrupt,
  };
}

function readVersion(): string {
  return (JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string }).version;
}

/** The first signal asks everything to end well; the handlers are gone then, so that a second one ends the process at once. */
function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  process.once("SIGINT", () => controller.abort(new FerryError("interrupted", "interrupted")));
  for (const signal of ["SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => controller.abort(new FerryError("terminated", `ended by ${signal}`)));
  return controller.signal;
}

/** The network stack is the largest thing that ferry loads, and many commands need none. */
function lazyNetwork(): Network {
  const load = async (): Promise<Network> => (await import("./host/network.ts")).makeNetwork(process.env);
  return {
    send: async (request) => (await load()).send(request),
    overSocket: (path) => async (request) => (await load()).overSocket(path)(request),
    listen: async (handler) => (await load()).listen(handler),
  };
}
