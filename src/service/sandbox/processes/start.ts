import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";
import { PassThrough, type Readable, type Writable } from "node:stream";
import { FerryError } from "../../../base/errors.ts";
import { inheritable } from "./descriptors.ts";

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
  readonly stderrTail: () => Buffer;
  /** The process itself ended; others may still hold its pipes. */
  readonly exit: Promise<Exit>;
  /** It ended, and nobody holds its pipes any more; stdout may still be to be read. */
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
  const child = await launch(command);
  // Node throws away what nobody has begun to read when the process ends.
  const stdout = child.stdout.pipe(new PassThrough());
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
  // A write to a process that died is an EPIPE here; that it died is told by `exit`.
  child.stdin.on("error", () => undefined);
  return { pid: child.pid ?? 0, stdin: child.stdin, stdout, stderrTail: keepTail(child.stderr), exit, closed };
}

/** Resolves before the event loop turns again, so that nothing the child says or does is missed. */
function launch({ argv, env, cwd }: Command): Promise<ChildProcessWithoutNullStreams> {
  const [program = "", ...rest] = argv;
  const nothing = openSync(devNull, "r");
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      reject(
        new FerryError("failure", `${program} can't be run: ${error instanceof Error ? error.message : ""}`, { cause: error }),
      );
    };
    try {
      const child = spawn(program, rest, { cwd, env, detached: true, stdio: stdio(nothing) });
      child.once("error", fail);
      // The types know the three pipes only where nothing comes after them.
      if (child.pid !== undefined) resolve(child as ChildProcessWithoutNullStreams);
    } catch (error) {
      fail(error);
    } finally {
      closeSync(nothing);
    }
  });
}

/** Three pipes, and /dev/null in the place of every other descriptor that would be inherited. */
function stdio(nothing: number): ("pipe" | "ignore" | number)[] {
  const list: ("pipe" | "ignore" | number)[] = ["pipe", "pipe", "pipe"];
  for (const descriptor of inheritable()) {
    while (list.length < descriptor) list.push("ignore");
    list[descriptor] = nothing;
  }
  return list;
}

function keepTail(stream: Readable): () => Buffer {
  let tail = Buffer.alloc(0);
  stream.on("data", (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk]).subarray(-tailBytes);
  });
  return () => tail;
}
