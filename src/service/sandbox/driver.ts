import type { Environment } from "../../host/host.ts";
import type { Rescue } from "./folder/rescue.ts";

/** One way to lock an agent in. A driver a file under `drivers/`; `contract.test.ts` proves the same guarantees on each. */
export interface SandboxDriver {
  readonly name: SandboxDriverName;
  /** Runs the whole recipe once and says whether it works here, and what it can't enforce. Never throws. */
  probe(): Promise<Probe>;
  /** @throws FerryError failure with the remedy where no sandbox can be made; never falls back to the host */
  create(spec: SandboxSpec): Promise<Sandbox>;
  /**
   * Ends what an earlier process of this data folder left behind, and moves its folders into the trash, for `emptyTrash`; `alive` are the
   * sandbox ids to keep. `rescue` is called for each of the others before; where it throws, the folder stays for ever. What can't be ended
   * now stays until the next sweep.
   */
  sweep(root: string, alive: ReadonlySet<string>, rescue?: Rescue): Promise<Sweeping>;
}

export type SandboxDriverName = "bwrap" | "unshare" | "oci" | "process";

export type Limit = "memory" | "processes" | "cpu" | "wall" | "idle" | "disk";

export interface Probe {
  readonly works: boolean;
  /** Why it doesn't, and the remedy; where it works, the version. */
  readonly reason: string;
  /** Limits that can't be enforced here. */
  readonly unenforced: readonly Limit[];
  /** What else isn't as it should be here, though nothing of it leads out by itself; with the remedy. */
  readonly weak: readonly string[];
  /** The image whose programs are inside, where they aren't this machine's. */
  readonly image?: string;
}

export interface SandboxSpec {
  /** The sandbox's id; its folder under `root` has this name. */
  readonly id: string;
  /** The folder of all sandboxes, 0700, owned by the service. */
  readonly root: string;
  /**
   * What of the host is visible inside besides /usr, read-only, e.g. the Node that runs an agent. Absolute, real paths. The driver
   * `process` can't move anything: it runs the source where argv names the target.
   */
  readonly mounts: readonly Mount[];
  /**
   * Folders with one unix socket each (a model gateway), visible inside; nothing can be written there. Where the agent is another user
   * than the service, the folder is given to it; a socket made in it later must let all users connect (0666), which the folder's 0700
   * bounds.
   */
  readonly sockets: readonly Mount[];
  /** The environment of every process inside, besides PATH, HOME, USER, LANG and TMPDIR. A list, never inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly limits: SandboxLimits;
}

export interface Mount {
  readonly source: string;
  readonly target: string;
}

export interface SandboxLimits {
  readonly memoryMB: number;
  readonly processes: number;
  readonly cpus: number;
  readonly diskMB: number;
  /** Wall time of the sandbox in ms. */
  readonly wall: number;
}

/**
 * A locked room with two writable places that last as long as it: the workspace (a git working copy) and a home. Several
 * processes may run in it at once. They share those two places, and nothing else: each that the service starts has namespaces
 * of its own (processes, /tmp, loopback), which go with it. So nothing need stay alive between them or be entered with
 * privileges, and the end of the process is the proof that all it started is gone.
 */
export interface Sandbox {
  readonly id: string;
  /** The driver's name, told to the user where it is `process`. */
  readonly driver: SandboxDriverName;
  /** Where the workspace is seen from inside, e.g. `/repo`. */
  readonly workspace: string;
  /** Where the home is seen from inside. */
  readonly home: string;
  /** The workspace on the host. Only written before the first process runs; never opened afterwards. */
  readonly hostWorkspace: string;
  readonly env: Environment;
  /** The limit that was reached: processes were ended for it, or more of them refused. Told to the user. */
  exceeded(): Limit | undefined;
  /** Starts a long-lived process with pipes (an agent). */
  spawn(argv: readonly string[], options?: SpawnOptions): Promise<SandboxProcess>;
  /** Runs a process to its end; its stdout is cut at `limit` bytes (an error then, never a silent cut). */
  exec(argv: readonly string[], options?: ExecOptions): Promise<ExecResult>;
  /** Kills every process inside; the files stay. Resolves when all are gone. */
  killAll(): Promise<void>;
  /**
   * Kills every process, waits until the last is reaped, and moves the folder into the trash, for `emptyTrash`. `rescue` is called before
   * that, once; where it throws, the folder stays for ever.
   */
  destroy(rescue?: Rescue): Promise<void>;
}

export interface SpawnOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface ExecOptions extends SpawnOptions {
  readonly input?: Uint8Array | string;
  /** Bytes of stdout at most; default 64 MiB. */
  readonly limit?: number;
  /** Milliseconds at most; default 10 minutes. */
  readonly timeout?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface ExecResult {
  readonly code: number | null;
  readonly stdout: Uint8Array;
  /** Cut to its last 64 KiB. */
  readonly stderr: Uint8Array;
}

export interface SandboxProcess {
  readonly stdin: NodeJS.WritableStream;
  readonly stdout: NodeJS.ReadableStream;
  /** The last 64 KiB of stderr, for telling why it died. */
  stderrTail(): string;
  readonly exit: Promise<{ code: number | null; signal: string | null }>;
  kill(): void;
}

/** What came of a sweep. */
export interface Sweeping {
  readonly swept: readonly Swept[];
  /** What could not be removed, each with the reason. */
  readonly left: readonly string[];
}

export interface Swept {
  readonly id: string;
  readonly what: "process" | "folder" | "container";
}
