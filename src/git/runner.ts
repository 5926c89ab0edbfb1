import type { ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import { FerryError } from "../base/errors.ts";
import { oneLine } from "../base/text.ts";
import type { Host } from "../host/host.ts";
import { neutralConfig, neutralEnvironment } from "./environment.ts";
import type { Git, GitExit, GitOptions, GitProcess, GitResult, GitStreamOptions } from "./git.ts";

/** What of the outside world running git needs. */
export type GitHost = Pick<Host, "env" | "platform" | "processes">;

const maxOutput = 256 * 1024 * 1024;
const maxStderr = 64 * 1024;

export function makeGit(host: GitHost): Git {
  const git: Git = {
    stream: (args, options) => start(host, args, options),
    run: async (args, options) => collect(await start(host, args, options), args, options),
    async ok(args, options) {
      const result = await git.run(args, options);
      if (result.code !== 0) throw gitError(args, result);
      return result.stdout;
    },
  };
  return git;
}

/** A git that something killed: that it didn't say "yes" is no "no". */
export class GitKilledError extends FerryError {
  constructor(args: readonly string[], signal: string) {
    super("failure", `git ${subcommand(args)} was killed (${signal})`, {
      code: "git_killed",
      hint: "try again; a system that runs out of memory ends programs like that",
    });
  }
}

/** @throws GitKilledError where that is how git ended */
export function refuseKilled(args: readonly string[], { code, killedBy }: Omit<GitExit, "stderr">): void {
  const signal = killedBy ?? signalOf(code);
  if (signal !== undefined) throw new GitKilledError(args, signal);
}

/** For `catch`, where git's failure means that there is nothing: not that of one that was killed. @throws GitKilledError */
export function noneUnlessKilled(error: unknown): undefined {
  if (error instanceof GitKilledError) throw error;
}

/** A failed git as an error that names the subcommand and git's own last line. */
export function gitError(args: readonly string[], result: Pick<GitResult, "code" | "stderr">): FerryError {
  const signal = signalOf(result.code);
  if (signal !== undefined) return new GitKilledError(args, signal);
  const said = lastLine(result.stderr.toString("utf8"));
  return new FerryError("failure", `git ${subcommand(args)}: ${said || `exit status ${result.code}`}`, { code: "git" });
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

async function start(host: GitHost, args: readonly string[], options: GitStreamOptions): Promise<GitProcess> {
  options.signal?.throwIfAborted();
  const gated = options.announce !== undefined && host.platform !== "win32";
  const argv = bounded(["git", ...configArguments(options), ...args], host, options);
  // A shell that waits for a line and then becomes git: so the pid is on record before git does anything. If we die first,
  // it reads the end of its input and ends. `read` takes no byte behind the line (POSIX), the rest is git's input.
  const [program = "git", ...rest] = gated ? ["/bin/sh", "-c", 'read -r go && exec "$0" "$@"', ...argv] : argv;
  // Loaded with the first git, since many commands run none; and at once, so that whoever starts one does the rest while it works.
  const { spawn } = process.getBuiltinModule("node:child_process");
  const child = spawn(program, rest, {
    cwd: options.cwd,
    env: childEnvironment(host, options),
    stdio: ["pipe", "pipe", "pipe"],
    detached: ownSession(options) && host.platform !== "win32",
    windowsHide: true,
  });
  const exit = exitOf(child, options.signal, () => end(host, child, options));
  await started(child, options.cwd);
  child.once("exit", (_, killedBy) => {
    if (killedBy !== null) endOrphans(host, child, options);
  });
  // A git that ends before it has read all of its input tells why by its exit; the broken pipe adds nothing to that.
  child.stdin.on("error", () => undefined);
  const pid = child.pid ?? 0;
  if (options.announce !== undefined) {
    await options.announce({ pid, startTime: await host.processes.startTime(pid) });
    if (gated) child.stdin.write("go\n");
  }
  return { pid, stdin: child.stdin, stdout: child.stdout, exit, kill: (signal = "SIGKILL") => void child.kill(signal) };
}

/** A shell that limits itself and then becomes git; it goes on where it can't (ulimit -v isn't POSIX's). */
function bounded(argv: readonly string[], { platform }: GitHost, { memory }: GitStreamOptions): readonly string[] {
  if (memory === undefined || platform === "win32") return argv;
  return ["/bin/sh", "-c", 'ulimit -v "$0" 2>/dev/null; exec "$@"', String(Math.floor(memory / 1024)), ...argv];
}

function configArguments({ config }: GitStreamOptions): string[] {
  return Object.entries({ ...neutralConfig, ...config }).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

function childEnvironment(host: GitHost, options: GitStreamOptions): Record<string, string> {
  const env: Record<string, string | undefined> = {
    ...neutralEnvironment(host.env, options.isolated ?? false),
    GIT_DIR: options.gitDir,
    GIT_WORK_TREE: options.workTree,
    ...options.env,
  };
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

async function started(child: Child, cwd: string): Promise<void> {
  try {
    await once(child, "spawn");
  } catch (cause) {
    // The same ENOENT stands for a missing program and for a missing working directory.
    throw new FerryError("failure", `git can't be run in ${oneLine(cwd)}`, {
      hint: "check that the folder exists and that git is installed and on PATH",
      cause,
    });
  }
}

function ownSession({ announce, unattended }: GitStreamOptions): boolean {
  return announce !== undefined || unattended === true;
}

function exitOf(child: Child, signal: AbortSignal | undefined, abort: () => void): GitProcess["exit"] {
  const stderr = new Tail(maxStderr);
  child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
  signal?.addEventListener("abort", abort, { once: true });
  return new Promise((resolve) => {
    child.once("error", () => resolve({ code: 127, stderr: stderr.bytes(), killedBy: undefined }));
    child.once("close", (code: number | null, killedBy: NodeJS.Signals | null) => {
      signal?.removeEventListener("abort", abort);
      const status = code ?? 128 + (killedBy === null ? 0 : constants.signals[killedBy]);
      resolve({ code: status, stderr: stderr.bytes(), killedBy: killedBy ?? undefined });
    });
  });
}

/** What a git that was killed had started would go on without it, and hold its pipes open. */
function endOrphans({ processes, platform }: GitHost, { pid }: Child, options: GitStreamOptions): void {
  if (ownSession(options) && platform !== "win32" && pid !== undefined) processes.kill(-pid, "SIGKILL");
}

/** With the ssh or helper that git waits for, where it has a session of its own: that may hang where git would end. */
function end({ processes, platform }: GitHost, child: Child, { unattended }: GitStreamOptions): void {
  if (unattended === true && platform !== "win32" && child.pid !== undefined) processes.kill(-child.pid, "SIGTERM");
  else child.kill("SIGTERM");
}

async function collect(git: GitProcess, args: readonly string[], options: GitOptions): Promise<GitResult> {
  const chunks: Buffer[] = [];
  const limit = options.maxOutput ?? maxOutput;
  let size = 0;
  git.stdout.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > limit) git.kill();
    else chunks.push(chunk);
  });
  await feed(git, options.input);
  const { code, stderr, killedBy } = await git.exit;
  options.signal?.throwIfAborted();
  if (size > limit) throw new FerryError("failure", `git ${subcommand(args)}: more than ${limit} bytes of output`);
  if (options.mayBeKilled !== true) refuseKilled(args, { code, killedBy });
  return { code, stdout: Buffer.concat(chunks, size), stderr };
}

async function feed(git: GitProcess, input: GitOptions["input"]): Promise<void> {
  if (input === undefined || typeof input === "string" || input instanceof Uint8Array) {
    git.stdin.end(input);
    return;
  }
  const [{ Readable }, { pipeline }] = await Promise.all([import("node:stream"), import("node:stream/promises")]);
  try {
    await pipeline(Readable.from(input), git.stdin);
  } catch (error) {
    if (isPipeError(error)) return;
    git.kill();
    throw error;
  }
}

function isPipeError(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "EPIPE" || code === "ECONNRESET" || code === "ERR_STREAM_PREMATURE_CLOSE" || code === "EOF";
}

/** The last bytes of a stream, so that a talkative child can't fill the memory. */
class Tail {
  private chunks: Buffer[] = [];
  private size = 0;
  private readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }

  push(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.size += chunk.length;
    if (this.size <= 2 * this.limit) return;
    this.chunks = [this.bytes()];
    this.size = this.limit;
  }

  bytes(): Buffer {
    return Buffer.concat(this.chunks).subarray(-this.limit);
  }
}

/** Also of one that a wrapper on PATH ran. 129, which would be SIGHUP's, is git's own for a wrong usage: usage() in usage.c. */
function signalOf(code: number): string | undefined {
  return code > 129 ? Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0] : undefined;
}

function subcommand(args: readonly string[]): string {
  return args.find((argument) => !argument.startsWith("-")) ?? "";
}

/** Without advice. */
function lastLine(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("hint:"));
  return showLine(lines.at(-1) ?? "");
}

/** A line of git's, without a password that a URL may carry, harmless for a terminal. */
export function showLine(line: string): string {
  return oneLine(line.replace(/(:\/\/)[^/\s@]*@/gu, "$1"));
}
