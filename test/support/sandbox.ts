import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { SandboxLimits, SandboxSpec } from "../../src/service/sandbox/driver.ts";
import type { SandboxHost } from "../../src/service/sandbox/host.ts";

/** The real machine, as far as the drivers see it. */
export const machine: SandboxHost = {
  clock: {
    now: () => Date.now(),
    elapsed: () => performance.now(),
    sleep: (ms, signal) => sleep(ms, undefined, signal === undefined ? {} : { signal }),
  },
  // Debian's podman needs its other runtime where control groups are mixed, and a driver for storage that runs in a container too.
  env: { FERRY_SANDBOX_ENGINE: "podman --runtime runc --storage-driver vfs", ...process.env },
  platform: process.platform,
  processes: {
    kill: (pid, signal) => {
      try {
        return process.kill(pid, signal);
      } catch {
        return false;
      }
    },
    run: refuse,
    attach: refuse,
    detach: refuse,
    startTime: refuse,
    space: refuse,
    find: refuse,
  },
};

function refuse(): never {
  throw new Error("a sandbox driver asked for what it shouldn't need");
}

export const roomy: SandboxLimits = { memoryMB: 1024, processes: 200, cpus: 2, diskMB: 256, wall: 120_000 };

let made = 0;

/** A spec under `root` with an id of its own. */
export function specIn(root: string, changes: Partial<SandboxSpec> = {}): SandboxSpec {
  made += 1;
  return { id: `sbx_${process.pid}x${made}`, root, mounts: [], sockets: [], env: {}, limits: roomy, ...changes };
}

/** Runs with the folder of all sandboxes in a private data folder, which is gone afterwards. */
export async function withRoot<T>(use: (root: string) => Promise<T>): Promise<T> {
  const data = await mkdtemp(join(tmpdir(), "ferry-sandbox-test-"));
  try {
    return await use(join(data, "sandboxes"));
  } finally {
    await rm(data, { recursive: true, force: true });
  }
}
