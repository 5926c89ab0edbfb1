import type { Readable, Writable } from "node:stream";
import type { Environment } from "../host/host.ts";

/**
 * Running git, and nothing else: argv in, bytes out, in an environment where neither the caller's `GIT_*` variables nor hooks,
 * gc, fsmonitor, signing or a prompt can act. `makeGit` in runner.ts is the one implementation.
 */
export interface Git {
  /**
   * Runs to the end. A non-zero exit is an answer, not an error; to have been killed is none.
   * @throws GitKilledError where it was killed, FerryError where it can't run or says too much
   */
  run(args: readonly string[], options: GitOptions): Promise<GitResult>;
  /** The same, and a non-zero exit is a FerryError failure with git's own last line. Gives stdout. */
  ok(args: readonly string[], options: GitOptions): Promise<Buffer>;
  /** Starts git with its pipes in the caller's hands: for protocols (`cat-file --batch`) and for data too large to hold. */
  stream(args: readonly string[], options: GitStreamOptions): Promise<GitProcess>;
}

export interface GitStreamOptions {
  readonly cwd: string;
  /** Names the repository outright (GIT_DIR) instead of looking for one from `cwd` upwards. */
  readonly gitDir?: string | undefined;
  readonly workTree?: string | undefined;
  /** Without the user's and the system's configuration: for repositories that are ferry's own. */
  readonly isolated?: boolean | undefined;
  /** Further `-c name=value`. */
  readonly config?: Readonly<Record<string, string>> | undefined;
  /** Laid over the neutral environment; undefined takes a variable away. */
  readonly env?: Environment | undefined;
  /** Ends the child; the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Told about the child before git does anything in it, and waited for: whoever keeps a journal writes it down here. Such a
   * child is also out of the reach of the terminal's Ctrl-C, and outlives us.
   */
  readonly announce?: ((child: GitChild) => Promise<void>) | undefined;
  /**
   * In a session of its own, without a terminal that it, ssh or a helper could ask on; `signal` then ends all of them. Where there
   * are such sessions.
   */
  readonly unattended?: boolean | undefined;
  /** Bytes of memory at most (RLIMIT_AS), for what may be hostile; it fails where it needs more. Where the system has such a limit. */
  readonly memory?: number | undefined;
}

export interface GitOptions extends GitStreamOptions {
  readonly input?: string | Uint8Array | AsyncIterable<Uint8Array> | undefined;
  /** Bytes of stdout at most, default 256 MiB; more is an error, never a silent cut. */
  readonly maxOutput?: number | undefined;
  /** A git that was killed is a result like others, for who cleans up after it. */
  readonly mayBeKilled?: boolean | undefined;
}

export interface GitResult {
  /** As a shell tells it: 128 and the signal's number for a child that was killed, which `run` gives only with `mayBeKilled`. */
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

/** Tells one process from all others since boot, also from a later one with the same pid. */
export interface GitChild {
  readonly pid: number;
  /** See Processes.startTime; undefined where it ended at once. */
  readonly startTime: string | undefined;
}

export interface GitExit extends Pick<GitResult, "code" | "stderr"> {
  readonly killedBy: NodeJS.Signals | undefined;
}

export interface GitProcess {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves when git ended, with the end of its stderr; never rejects for a non-zero exit, nor where it was killed. */
  readonly exit: Promise<GitExit>;
  kill(signal?: NodeJS.Signals): void;
}
