import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface Result {
  /** The exit code, or null where a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The built program with a home, config, state and data of its own, in an environment that inherits only PATH. */
export interface Binary {
  /** A temporary folder; `home` and the others lie in it. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  run(args: readonly string[], options?: RunOptions): Promise<Result>;
  /** Starts it without waiting for its end. */
  start(args: readonly string[], options?: RunOptions): ChildProcess;
  /** The pids of processes that have our folder in their environment or command line. */
  processes(): number[];
  /** Stops the service, ends what is left and removes the folder. */
  dispose(): Promise<void>;
}

/** `ferry` is the package's bin/ferry.js; without it the checkout's own. */
export function makeBinary(ferry = fileURLToPath(new URL("../../bin/ferry.js", import.meta.url))): Binary {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "ferry-test-")));
  const env = makeEnvironment(folder);

  function start(args: readonly string[], options: RunOptions = {}): ChildProcess {
    const child = spawn(process.execPath, [ferry, ...args], {
      cwd: options.cwd ?? folder,
      env: { ...env, ...options.env },
      stdio: [options.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    });
    child.stdin?.end(options.input);
    return child;
  }

  const run = (args: readonly string[], options?: RunOptions): Promise<Result> => collect(start(args, options));

  return {
    folder,
    env,
    run,
    start,
    processes: () => findProcesses(folder),
    async dispose() {
      if (findProcesses(folder).length > 0) await run(["service", "stop", "--yes"]);
      for (const pid of findProcesses(folder)) kill(pid);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

/** What a child printed and how it ended. */
export async function collect(child: ChildProcess): Promise<Result> {
  const stdout = readAll(child.stdout);
  const stderr = readAll(child.stderr);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  return { code, stdout: await stdout, stderr: await stderr };
}

async function readAll(stream: NodeJS.ReadableStream | null): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream ?? []) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}

function makeEnvironment(folder: string): Record<string, string> {
  const places = {
    HOME: "home",
    XDG_RUNTIME_DIR: "run",
    FERRY_CONFIG_DIR: "config",
    FERRY_STATE_DIR: "state",
    FERRY_DATA_DIR: "data",
  };
  const env: Record<string, string> = {
    PATH: process.env["PATH"] ?? "",
    LANG: "C.UTF-8",
    GIT_CONFIG_NOSYSTEM: "1",
    FERRY_CREDENTIAL_STORE: "file",
  };
  for (const [name, place] of Object.entries(places)) {
    const path = join(folder, place);
    mkdirSync(path, { mode: 0o700 });
    env[name] = path;
  }
  return env;
}

function findProcesses(folder: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => readProc(pid, "environ").includes(folder) || readProc(pid, "cmdline").includes(folder));
}

/** A process may end while it is looked at, and another user's can't be. */
function readProc(pid: number, name: "environ" | "cmdline"): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch (error) {
    if (isSystemError(error, "ENOENT", "ESRCH", "EACCES", "EPERM")) return "";
    throw error;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!isSystemError(error, "ESRCH")) throw error;
  }
}

function isSystemError(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}
