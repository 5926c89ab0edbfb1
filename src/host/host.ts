import type { Duplex } from "node:stream";

/**
 * Everything that ferry touches outside of itself, as one interface. The real adapters lie beside this file and only
 * `main.ts` sees them; tests bring a second implementation (`test/support/world.ts`).
 */
export interface Host {
  /** The environment as it was at start; nothing below reads `process.env`. */
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  /** The system's name and release, as `login` shows it, e.g. `Linux 6.1`. */
  readonly system: string;
  readonly hostname: string;
  /** Undefined where it is gone. */
  readonly cwd: string | undefined;
  readonly home: string;
  readonly pid: number;
  /** The user's number, as files have it; -1 where the system has none. */
  readonly uid: number;
  /** ferry's own version. */
  readonly version: string;
  /** argv of a process that runs ferry again, e.g. `[node, …/bin/ferry.js]`. */
  readonly self: readonly string[];
  /** The folder of the built bundle: the agents' own programs lie beside it. */
  readonly dist: string;
  readonly clock: Clock;
  readonly random: (size: number) => Uint8Array;
  readonly terminal: Terminal;
  readonly prompt: Prompt;
  readonly files: Files;
  readonly processes: Processes;
  readonly network: Network;
  readonly secrets: SecretStores;
  readonly browser: Browser;
  /** Has what libraries print on the console told instead; gives what undoes it. */
  readonly takeConsole: (tell: (text: string) => void) => () => void;
  readonly jq: AskJq;
  /** Aborted by the first SIGINT, SIGTERM or SIGHUP; `reason` is a FerryError of kind interrupted or terminated. */
  readonly interrupt: AbortSignal;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Asks jq, which may compute for as long as it likes: signals are heard meanwhile. Rejects with the signal's reason when it aborts. */
export type AskJq = (question: JqQuestion, signal: AbortSignal) => Promise<JqAnswer>;

export interface JqQuestion {
  /** JSON values, one after the other. */
  readonly input: string;
  readonly expression: string;
  readonly flags: readonly string[];
}

export interface JqAnswer {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  /** What it would have needed more of than there is. */
  readonly lacks?: "memory" | "output";
}

export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Milliseconds that only grow, for measuring. */
  elapsed(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface Output {
  readonly isTTY: boolean;
  /** Columns of the terminal; 80 where there is none. */
  readonly columns: number;
  /** Lines of the terminal; undefined where there is none, or where it doesn't say. */
  readonly rows?: number | undefined;
  /** Whether colour is wanted here: flag, NO_COLOR and its kin, TERM and isTTY were weighed. */
  readonly color: boolean;
  /**
   * Resolves when the text was taken. A closed pipe (EPIPE) rejects with a ReaderGoneError (base/errors.ts); one that takes nothing
   * rejects with the interrupt's reason, soon after that came.
   */
  write(text: string | Uint8Array): Promise<void>;
}

export interface Terminal {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Whether what is written to stdout is gone: it was closed, or is /dev/null. */
  discards(): boolean;
  /** False in a terminal that can't show more than ASCII. */
  readonly unicode: boolean;
  /**
   * Whether since it was asked last the program was stopped and goes on (Ctrl-Z, `fg`): the cursor then stands below what the shell wrote,
   * and not below what the program did. Asked first, it begins to look.
   */
  readonly wasAway: () => Promise<boolean>;
  /** False in the background (`&`, `bg`), where the shell writes on the same screen; true also where the system doesn't say. */
  readonly isInFront: () => boolean;
  /** Says on stderr that something takes a while: on a terminal only, and only after 300 ms. */
  spin(text: string): Spinner;
}

export interface Spinner {
  update(text: string): void;
  /** Takes it from the screen; more than once is fine. */
  stop(): void;
}

export interface Input {
  readonly isTTY: boolean;
  /** All of it, at most `limit` bytes; more is a FerryError usage. */
  read(limit?: number): Promise<Uint8Array>;
}

/** Questions for a person, on stderr. Each rejects with a FerryError interrupted on Ctrl-C. */
export interface Prompt {
  confirm(question: string, preset: boolean): Promise<boolean>;
  /** `short` is what stands behind the question when it is chosen, `text` what a search looks at in place of the name. */
  select<T>(question: string, choices: readonly { name: string; short?: string; text?: string; value: T }[]): Promise<T>;
  /** `until` (epoch ms) counts down beside the question. */
  text(question: string, options?: { preset?: string; signal?: AbortSignal; until?: number }): Promise<string>;
  hidden(question: string): Promise<string>;
  /** Opens the user's editor on a text and gives back what was saved. */
  edit(text: string, suffix: string): Promise<string>;
}

export interface FileStatus {
  readonly kind: "file" | "folder" | "link" | "other";
  readonly size: number;
  readonly mode: number;
  readonly uid: number;
  /** Epoch milliseconds. */
  readonly modified: number;
}

/**
 * Files of ferry's own (config, state, keys). Paths are absolute. A missing file is `undefined`, never an error; what can't be
 * read is a FerryError that names it, what can't be written an UnwritableError (base/errors.ts).
 */
export interface Files {
  /** Whatever it is: a pipe is waited for. `limit`: in bytes; more is an error. */
  read(path: string, limit?: number): Promise<Uint8Array | undefined>;
  /** A regular file's only. */
  readText(path: string): Promise<string | undefined>;
  /** A temporary file beside it, fsynced, then renamed over it; folders on the way are made 0700. */
  write(path: string, data: string | Uint8Array, mode?: number): Promise<void>;
  /** Makes the file only where there is none; says whether it did. */
  create(path: string, data: string | Uint8Array, mode?: number): Promise<boolean>;
  append(path: string, data: string, mode?: number): Promise<void>;
  makeFolder(path: string, mode?: number): Promise<void>;
  /**
   * Shuts a file or folder of the user's own to everybody else, never through a link; any other stays as it is. Says whether it is shut
   * now: some file systems keep no modes.
   */
  shut(path: string): Promise<boolean>;
  list(path: string): Promise<string[]>;
  status(path: string): Promise<FileStatus | undefined>;
  realPath(path: string): Promise<string | undefined>;
  /** Where a path leads: behind links, also one to what isn't there yet; else itself. */
  target(path: string): Promise<string>;
  /** A file, a link or a whole folder, never through a link; nothing there is fine. */
  remove(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Gives a file, or a link itself, a second name, at which nothing is yet; where the file system has no hard links, a copy. */
  double(from: string, to: string): Promise<void>;
  /** Makes a symbolic link, in the place of what is there, where the system lets there be one: Windows does for few. */
  link(path: string, target: string): Promise<void>;
  makeTemporaryFolder(prefix: string): Promise<string>;
  /** Makes a file for what doesn't fit into memory, which nobody else can open (0600) and nobody finds afterwards. */
  readonly makeSpool: () => Promise<Spool>;
}

/** Bytes that are put aside. What can't be written is a FerryError that names it. */
export interface Spool {
  append(bytes: Uint8Array): Promise<void>;
  /** What lies at each of the places, `end` not included. */
  read(places: readonly { readonly start: number; readonly end: number }[]): Promise<Buffer[]>;
  /** The bytes are gone then. */
  close(): Promise<void>;
}

export interface ProcessResult {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
}

export interface RunOptions {
  readonly cwd?: string;
  /** The whole environment of the child. */
  readonly env?: Environment;
  readonly input?: string | Uint8Array;
  readonly timeout?: number;
  readonly signal?: AbortSignal;
}

export interface Processes {
  /** Runs to the end; a program that isn't there rejects with code ENOENT. */
  run(argv: readonly string[], options?: RunOptions): Promise<ProcessResult>;
  /** A child with the terminal's own stdin, stdout and stderr (editor, pager); gives its exit code, 128 more than its signal's number. */
  attach(
    argv: readonly string[],
    options?: Omit<RunOptions, "input"> & { readonly input?: AsyncIterable<string | Uint8Array> },
  ): Promise<number>;
  /** A child that outlives us, in a session of its own, with its output appended to a file. Gives its pid. */
  detach(argv: readonly string[], options: { cwd: string; env: Environment; log: string }): Promise<number>;
  /** When the process started, in a form that is unique for its pid since boot; undefined where it runs no more. */
  startTime(pid: number): Promise<string | undefined>;
  /**
   * Names what pids and start times are unique in; undefined where the system has only one. On Linux `NAMESPACE BOOT`, and behind them
   * the machine where it has an id: of another boot of the same machine nothing runs any more.
   */
  space(): Promise<string | undefined>;
  kill(pid: number, signal: NodeJS.Signals): boolean;
  /** The absolute path of a program on PATH. */
  find(name: string): Promise<string | undefined>;
}

export interface SendRequest {
  readonly method: string;
  /** An absolute http or https address. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  readonly signal?: AbortSignal | undefined;
  /** How long the first byte of the answer, and then each further one, may take, in ms; 0 for no bound. */
  readonly idleTimeout?: number | undefined;
}

export interface SendResponse {
  readonly status: number;
  /** Lower-case names; several values of a name are joined by ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes, decompressed. Must be read to the end or cancelled. */
  readonly body: AsyncIterable<Uint8Array>;
  cancel(): Promise<void>;
}

/**
 * One HTTP exchange without retries and without following redirects. Rejects with a NoAnswerError (base/errors.ts) whose
 * `code` is the system's word (ECONNREFUSED, ENOTFOUND, …), as its body does when it is cut off; with the signal's
 * reason when that aborts.
 */
export type Send = (request: SendRequest) => Promise<SendResponse>;

export interface Network {
  /** Through the proxy and with the CA of the environment. */
  readonly send: Send;
  /** Over a unix socket or a named pipe: the address's host is only for show. */
  overSocket(path: string): Send;
  /** Listens on 127.0.0.1, a port of the system's choice. */
  listen(handler: LoopbackHandler): Promise<LoopbackListener>;
  /** How to connect to `host:port` by the proxy that the environment has for it; undefined where it has none. @throws FerryError usage */
  tunnel(host: string): Promise<(() => Promise<Duplex>) | undefined>;
  /** Connects to a proxy and hangs up. Rejects with a FerryError usage for what is none, with a NoAnswerError where it isn't reached. */
  reachProxy(proxy: ProxyCall): Promise<void>;
}

export interface ProxyCall {
  /** Where the address is from, for errors: none of them holds it, since there may be a password in it. */
  readonly variable: string;
  readonly address: string;
  readonly timeout: number;
  readonly signal: AbortSignal;
}

export interface LoopbackRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly host: string;
  /**
   * Whose process asks: a browser of ours, or another user's program; often that can't be known. `gone`: it could have been, had it
   * not hung up at once.
   */
  readonly peer: "self" | "other" | "gone" | "unknown";
}

export interface LoopbackAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type LoopbackHandler = (request: LoopbackRequest) => Promise<LoopbackAnswer>;

export interface LoopbackListener {
  readonly port: number;
  /** Closes the listener and its connections. */
  close(): Promise<void>;
}

/** keytar's five calls. Rejections are FerryErrors of kind auth with code `unavailable`, `locked` or `timeout`. */
export interface SecretStore {
  getPassword(service: string, account: string): Promise<string | null>;
  setPassword(service: string, account: string, password: string): Promise<void>;
  deletePassword(service: string, account: string): Promise<boolean>;
  findPassword(service: string): Promise<string | null>;
  findCredentials(service: string): Promise<{ account: string; password: string }[]>;
}

export interface SecretStores {
  /** The operating system's keychain; `patience` is how long a call may take, in ms. */
  keychain(patience?: number): SecretStore;
}

export interface Browser {
  /** Opens the address; rejects where it can't. Whether to open one is the caller's decision. */
  open(url: string): Promise<void>;
}
