import { once } from "node:events";
import { constants } from "node:fs";
import { constants as systemConstants, hostname } from "node:os";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { access, close, mkdir, open, readFile, readlink } from "./fs.ts";
import type { Environment, Processes, RunOptions } from "./host.ts";
import { kill } from "./kill.ts";
import { withoutKey } from "./without-key.ts";

/** The processes of this machine. `env` is what `find` looks for PATH in and what a child gets where nothing else is said. */
export function makeProcesses(env: Environment, platform: NodeJS.Platform): Processes {
  const processes: Processes = {
    async run([program = "", ...args], options = {}) {
      const { execa } = await import("execa");
      const result = await execa(program, args, {
        ...childOptions(env, options),
        ...(options.input === undefined ? { stdin: "ignore" as const } : { input: options.input }),
        encoding: "buffer",
        stripFinalNewline: false,
        reject: false,
      });
      throwIfNotRun(result, options);
      return { code: result.exitCode ?? null, signal: result.signal ?? null, stdout: result.stdout, stderr: result.stderr };
    },
    async attach([program = "", ...args], options = {}) {
      const { execa } = await import("execa");
      const result = await execa(program, args, {
        ...childOptions(env, options),
        stdin: options.input ?? "inherit",
        stdout: "inherit",
        stderr: "inherit",
        reject: false,
      });
      throwIfNotRun(result, options);
      // As a shell counts those that a signal ended.
      return result.exitCode ?? (result.signal === undefined ? 1 : 128 + systemConstants.signals[result.signal]);
    },
    detach: startDetached,
    startTime: (pid) => startTime(pid, platform, processes),
    space: () => findSpace(platform),
    kill,
    find: (name) => find(name, env, platform),
  };
  return processes;
}

function childOptions(env: Environment, options: Omit<RunOptions, "input">) {
  return {
    // Ferry's own processes, which need it, are started by `detach`.
    env: withoutKey(definite(options.env ?? env)),
    extendEnv: false,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.timeout === undefined ? {} : { timeout: options.timeout }),
    ...(options.signal === undefined ? {} : { cancelSignal: options.signal }),
  };
}

function definite(env: Environment): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** An exit status is an answer; a program that isn't there and a call that was given up are not. */
function throwIfNotRun(
  result: { code?: string | undefined; isCanceled: boolean; cause?: unknown },
  options: Omit<RunOptions, "input">,
): void {
  if (result.isCanceled) options.signal?.throwIfAborted();
  if (result.code !== undefined && result.cause instanceof Error) throw result.cause;
}

async function startDetached(argv: readonly string[], options: { cwd: string; env: Environment; log: string }): Promise<number> {
  await mkdir(dirname(options.log), { recursive: true, mode: 0o700 });
  const { spawn } = await import("node:child_process");
  const log = await open(options.log, "a", 0o600);
  try {
    const [program = "", ...args] = argv;
    const child = spawn(program, args, {
      cwd: options.cwd,
      env: definite(options.env),
      detached: true,
      stdio: ["ignore", log, log],
      windowsHide: true,
    });
    await once(child, "spawn");
    child.unref();
    return child.pid ?? 0;
  } finally {
    await close(log);
  }
}

/** proc(5): the 22nd field is the start time in clock ticks since boot, the 3rd the state; the 2nd may hold spaces and brackets. */
async function startTime(pid: number, platform: NodeJS.Platform, processes: Processes): Promise<string | undefined> {
  if (platform === "linux") {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return stat === "" || fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
  }
  const argv =
    platform === "win32"
      ? ["powershell", "-NoProfile", "-Command", `(Get-Process -Id ${pid}).StartTime.ToFileTimeUtc()`]
      : ["ps", "-o", "lstart=", "-p", String(pid)];
  const { code, stdout } = await processes.run(argv);
  const text = Buffer.from(stdout).toString("utf8").trim();
  return code === 0 && text !== "" ? text : undefined;
}

/**
 * pid_namespaces(7), and random(4) for the boot: a home may be shared with a container, or with another machine. Images may come with
 * the same machine-id(5) everywhere: only with the host's name does it tell machines apart.
 */
async function findSpace(platform: NodeJS.Platform): Promise<string | undefined> {
  if (platform !== "linux") return undefined;
  const sources = [
    readlink("/proc/self/ns/pid"),
    readFile("/proc/sys/kernel/random/boot_id", "utf8"),
    readFile("/etc/machine-id", "utf8"),
  ];
  const [namespace = "", boot = "", id = ""] = (await Promise.all(sources.map((source) => source.catch(() => "")))).map((text) =>
    text.trim(),
  );
  const machine = /^[0-9a-f]{32}$/u.test(id) ? [`${id}/${hostname()}`] : [];
  return [namespace, boot, ...machine].join(" ");
}

async function find(name: string, env: Environment, platform: NodeJS.Platform): Promise<string | undefined> {
  const endings = platform === "win32" ? (env["PATHEXT"] ?? ".EXE;.CMD;.BAT").split(";") : [""];
  const folders = (env["PATH"] ?? env["Path"] ?? "").split(delimiter).filter(isAbsolute);
  for (const path of folders.flatMap((folder) => endings.map((ending) => join(folder, name + ending))))
    if (await canRun(path)) return path;
  return undefined;
}

async function canRun(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
