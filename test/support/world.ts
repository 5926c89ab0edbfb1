import { randomBytes } from "node:crypto";
import { mkdtempSync, realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { FerryError } from "../../src/base/errors.ts";
import { systemClock } from "../../src/host/clock.ts";
import { takeConsole } from "../../src/host/console.ts";
import { systemFiles } from "../../src/host/files.ts";
import type { FileStatus, Host, Network, Send } from "../../src/host/host.ts";
import { parseProxy } from "../../src/host/network/proxy.ts";
import { makeProcesses } from "../../src/host/processes.ts";
import { makeJq } from "../../src/host/jq.ts";
import { makeFakePrompt, type FakePrompt } from "./prompt.ts";
import { makeMemoryKeychain, type MemoryKeychain } from "./secrets.ts";
import { makeFakeTerminal, type FakeTerminal } from "./terminal.ts";

/** The outside world of one test: a second implementation of Host that refuses whatever the test doesn't expect. */
export interface World {
  readonly host: Host;
  /** A temporary folder; home, config, state and data lie in it. */
  readonly folder: string;
  readonly terminal: FakeTerminal;
  readonly prompt: FakePrompt;
  readonly keychain: MemoryKeychain;
  /** Who answers at an origin (`https://agents.example.com`) or behind a socket's path. */
  readonly services: Map<string, Send>;
  /** Addresses that were opened. */
  readonly opened: string[];
  /** As the user's Ctrl-C. */
  interrupt(): void;
  /** The same world for the next command: nothing printed yet, nothing interrupted. */
  next(change?: Partial<Pick<Host, "cwd" | "env">>, options?: WorldOptions): World;
  dispose(): Promise<void>;
}

export interface WorldOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Whether a person sits in front of it. */
  readonly tty?: boolean;
  readonly columns?: number;
  readonly stdin?: string | Uint8Array;
  /** Whether the terminal shows more than ASCII, as most do. */
  readonly unicode?: boolean;
  /** Whether stdout is closed. */
  readonly closed?: boolean;
  /** Who listens on loopback; refused where the test doesn't say. */
  readonly listen?: Network["listen"];
  /** What the browser does with an address that was opened. */
  readonly browse?: (url: string) => void;
  /** Whether it is a container. */
  readonly container?: boolean;
}

const checkout = fileURLToPath(new URL("../..", import.meta.url));

/** A login opens an address on loopback that leads to the service's; where it is over by then, nobody answers there. */
async function whereItLeads(url: string): Promise<string | undefined> {
  if (!new URL(url).pathname.startsWith("/start/")) return url;
  const answer = await fetch(url, { redirect: "manual" }).catch(() => undefined);
  return answer?.headers.get("location") ?? undefined;
}

export function makeWorld(options: WorldOptions = {}): World {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "ferry-world-")));
  const env: Record<string, string> = {
    PATH: process.env["PATH"] ?? "",
    HOME: join(folder, "home"),
    FERRY_CONFIG_DIR: join(folder, "config"),
    FERRY_STATE_DIR: join(folder, "state"),
    FERRY_DATA_DIR: join(folder, "data"),
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    ...options.env,
  };
  return assemble({ folder, env, options, services: new Map(), keychain: makeMemoryKeychain(), opened: [] });
}

interface Parts extends Pick<World, "folder" | "services" | "keychain" | "opened"> {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly options: WorldOptions;
  readonly cwd?: string | undefined;
}

function assemble(parts: Parts): World {
  const { folder, env, options, services, keychain, opened } = parts;
  const terminal = makeFakeTerminal(options);
  const prompt = makeFakePrompt();
  const controller = new AbortController();
  const processes = makeProcesses(env, process.platform);
  const refuse = (what: string) => Promise.reject(new Error(`unexpected: ${what}`));
  const sendTo = (place: string): Send => {
    const service = services.get(place);
    return service ?? ((request) => refuse(`a request to ${request.url} (${place})`));
  };
  const host: Host = {
    env,
    platform: process.platform,
    system: "Linux 6.1",
    hostname: "test",
    cwd: parts.cwd ?? folder,
    home: join(folder, "home"),
    pid: process.pid,
    uid: process.getuid?.() ?? -1,
    version: "0.1.0",
    self: [process.execPath, join(checkout, "bin", "ferry.js")],
    dist: join(checkout, "dist"),
    clock: { ...systemClock, now: steppedNow() },
    random: randomBytes,
    terminal,
    prompt,
    files: { ...systemFiles, status: (path) => (containerMarks.has(path) ? mark(options) : systemFiles.status(path)) },
    processes: { ...processes, detach: (argv) => refuse(`a detached ${argv.join(" ")}`) },
    network: {
      send: (request) => sendTo(new URL(request.url).origin)(request),
      overSocket: sendTo,
      listen: options.listen ?? (() => refuse("a listener")),
      tunnel: (host) => refuse(`a tunnel to ${host}`),
      reachProxy: async ({ variable, address }) => void parseProxy(address, variable),
    },
    secrets: { keychain: () => keychain },
    browser: {
      async open(url) {
        opened.push(url);
        const { browse } = options;
        if (browse !== undefined) void whereItLeads(url).then((there) => (there === undefined ? undefined : browse(there)));
      },
    },
    takeConsole,
    jq,
    interrupt: controller.signal,
  };
  return {
    host,
    folder,
    terminal,
    prompt,
    keychain,
    services,
    opened,
    interrupt: () => controller.abort(new FerryError("interrupted", "interrupted")),
    next: ({ cwd = host.cwd, env: more = {} } = {}, changed = {}) =>
      assemble({ ...parts, cwd, env: { ...env, ...more }, options: { ...options, ...changed } }),
    dispose: () => rm(folder, { recursive: true, force: true }),
  };
}

/** One thread for all worlds: each would need its own megabytes. */
export const jq = makeJq(join(checkout, "dist"));

/** What the machine that runs the tests is must not matter. */
const containerMarks = new Set(["/.dockerenv", "/run/.containerenv"]);

async function mark({ container = false }: WorldOptions): Promise<FileStatus | undefined> {
  return container ? { kind: "file", size: 0, mode: 0o755, uid: 0, modified: 0 } : undefined;
}

/** Times in output are the same in each run: it starts at 2026-01-01 and ticks a millisecond at each reading. */
function steppedNow(): () => number {
  let now = Date.UTC(2026, 0, 1);
  return () => now++;
}
