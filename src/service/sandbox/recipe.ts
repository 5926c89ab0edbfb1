import type { Limit, SandboxDriverName } from "./driver.ts";
import type { Keeper } from "./processes/rooms.ts";
import type { Command } from "./processes/start.ts";

/** How a driver locks in what runs in one sandbox: all that the drivers differ in. */
export interface Recipe {
  readonly driver: SandboxDriverName;
  /** Where workspace and home are seen from inside. */
  readonly workspace: string;
  readonly home: string;
  /** PATH, HOME, USER, LANG and TMPDIR as they are inside. */
  readonly env: Readonly<Record<string, string>>;
  /** Who ends all that a process started when it ends: the kernel; nobody, so that they are looked for; or an engine behind it. */
  readonly keeper: "kernel" | "nobody" | Keeper;
  /** The limits that the commands themselves keep, for each process that the service starts. */
  readonly keeps: readonly Limit[];
  /** The limit that was kept that way last, as far as that is told. */
  exceeded?(): Limit | undefined;
  /** Once, before the first process runs: makes the agent's files the agent's own. */
  prepare(): Promise<void>;
  /** The command that runs `inside` locked in, on the host, as the sandbox's process of that number. */
  lockIn(inside: Inside, number: number): Command;
}

/** A process as it is to be seen from inside. */
export interface Inside {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string>>;
}
