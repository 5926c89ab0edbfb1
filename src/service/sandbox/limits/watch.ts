import type { Limit, SandboxLimits } from "../driver.ts";
import type { SandboxHost } from "../host.ts";
import type { ProcessEntry } from "../processes/table.ts";
import type { DiskUse } from "./lying.ts";
import { memoryOf, threadsOf } from "./usage.ts";

/** What is watched, and who is told. */
export interface Watched {
  readonly limits: SandboxLimits;
  /** The limits that nothing else keeps. */
  readonly watch: readonly Limit[];
  /** Whether anything runs in it: while it rests nothing is measured. */
  busy(): boolean;
  /** The sandbox's processes now, as far as they can be seen. */
  members(): readonly ProcessEntry[];
  /** What the sandbox takes of the disk now. */
  disk(): Promise<DiskUse>;
  /** Lets the agent's user into each of its folders again, as far as that can be done. */
  unlock(): Promise<void>;
  /** A limit is broken: resolves when its processes are ended. */
  exceeded(limit: Limit): Promise<void>;
}

/** How often processes are looked at, in ms. */
const beat = 1000;
/** The disk is walked at most this part of the time. */
const diskShare = 0.05;

/**
 * Looks after the limits of a sandbox until `signal` aborts: wall time by a timer, the rest by measuring. A limit that can be broken
 * between two looks is bounded by a resource limit beside (see `namespaces.ts`).
 */
export async function watchLimits(watched: Watched, host: SandboxHost, signal: AbortSignal): Promise<void> {
  const { clock } = host;
  const begin = clock.elapsed();
  let diskDue = begin + beat;
  let wasHidden = false;
  for (;;) {
    const left = begin + watched.limits.wall - clock.elapsed();
    if (left <= 0) return watched.exceeded("wall");
    const over = await clock.sleep(Math.min(beat, left), signal).then(
      () => false,
      () => true,
    );
    if (over) return;
    if (!watched.busy()) continue;
    const limit = brokenBy(watched.members(), watched);
    if (limit !== undefined) await watched.exceeded(limit);
    if (clock.elapsed() < diskDue) continue;
    const before = clock.elapsed();
    const { bytes, hidden } = await countDisk(watched, wasHidden);
    if (bytes > watched.limits.diskMB * 1024 * 1024) return watched.exceeded("disk");
    wasHidden = hidden;
    diskDue = clock.elapsed() + Math.max(beat, (clock.elapsed() - before) / diskShare);
  }
}

/**
 * Where nothing else can count what an agent hides, its folders are opened. Programs shut some for a moment (in tests), so that those of two
 * looks in a row are. What is shut again at once is shut on purpose, and may hold anything.
 */
async function countDisk(watched: Watched, wasHidden: boolean): Promise<DiskUse> {
  const use = await watched.disk();
  if (!use.hidden || !wasHidden) return use;
  await watched.unlock();
  const { bytes, hidden } = await watched.disk();
  return { bytes: hidden ? Infinity : bytes, hidden };
}

function brokenBy(members: readonly ProcessEntry[], { limits, watch }: Watched): Limit | undefined {
  const memory = limits.memoryMB * 1024 * 1024;
  if (watch.includes("memory") && memoryOf(members, memory) > memory) return "memory";
  if (watch.includes("processes") && threadsOf(members) > limits.processes) return "processes";
  return undefined;
}
