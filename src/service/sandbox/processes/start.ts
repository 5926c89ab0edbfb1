import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, readdirSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { FerryError } from "../../../base/errors.ts";

/** A command as the host runs it. */
export interface Command {
  readonly argv: readonly string[];
  /** The whole environment of the process on the host; never a secret in argv, which every user of the machine can read. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export interface Started {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** The last bytes of stderr so far. */
  stderrTail(): Buffer;
  /** The process itself ended; others may still hold its pipes. */
  readonly exit: Promise<Exit>;
  /** It ended, and what was in its pipes was read. */
  readonly closed: Promise<void>;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** Bytes of stderr that are kept for telling why a process died. */
const tailBytes = 64 * 1024;

/**
 * Starts a command in a session of its own, so that it has no controlling terminal to type into, with pipes on 0 to 2 and no other
 * descriptor of ours.
 * @throws FerryError failure where the program can't be run at all
 */
export async function start(command: Command): Promise<Started> {
  const [program = "", ...rest] = command.argv;
  const nothing = openSync("/dev/null", "r");
  // The types know the three pipes only where nothing comes after them.
  const child = spawn(program, rest, {
    cwd: command.cwd,
    env: command.env,
    detached: true,
    stdio: stdio(nothing),
  }) as ChildProcessWithoutNullStreams;
  closeSync(nothing);
  const exit = new Promise<Exit>((resolve) => {
    child.once("exit", (code, signal) => {
      resolve({ code, signal });
    });
  });
  const closed = new Promise<void>((resolve) => {
    child.once("close", () => {
      resolve();
    });
  });
  const stderrTail = keepTail(child.stderr);
  // A write to a process that died is an EPIPE here; that it died is told by `exit`.
  child.stdin.on("error", () => undefined);
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (error) => {
      reject(new FerryError("failure", `${program} can't be run: ${error.message}`, { cause: error }));
    });
  });
  return { pid: child.pid ?? 0, stdin: child.stdin, stdout: child.stdout, stderrTail, exit, closed };
}

/**
 * Node's own descriptors are closed on exec, but some that our parent left open aren't (it marks the first few in a row at its start):
 * a child gets /dev/null in their place.
 */
function stdio(nothing: number): ("pipe" | "ignore" | number)[] {
  const list: ("pipe" | "ignore" | number)[] = ["pipe", "pipe", "pipe"];
  for (const descriptor of inheritable()) {
    while (list.length < descriptor) list.push("ignore");
    list[descriptor] = nothing;
  }
  return list;
}

const closeOnExec = 0o2000000;

/** Our descriptors from 3 on that aren't closed on exec, ascending, from /proc/self/fdinfo (proc_pid_fdinfo(5)); none without /proc. */
function inheritable(): number[] {
  if (!existsSync("/proc/self/fdinfo")) return [];
  const descriptors = readdirSync("/proc/self/fdinfo").map(Number);
  return descriptors.filter((descriptor) => descriptor > 2 && isInheritable(descriptor)).sort((one, other) => one - other);
}

function isInheritable(descriptor: number): boolean {
  try {
    const flags = /^flags:\s+([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8"))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0;
  } catch {
    // The descriptor of the very listing, which is closed by now.
    return false;
  }
}

function keepTail(stream: Readable): () => Buffer {
  let tail = Buffer.alloc(0);
  stream.on("data", (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk]).subarray(-tailBytes);
  });
  return () => tail;
}
