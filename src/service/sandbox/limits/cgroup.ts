import { readFileSync } from "node:fs";
import { mkdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Clock } from "../../../host/host.ts";
import type { Limit, SandboxLimits } from "../driver.ts";

/** Control groups that hold a sandbox's processes: the kernel keeps the limits, without a look in between. */
export interface Cgroup {
  /** The limits that it keeps; none where no group can be made (an ordinary user without delegation). */
  readonly enforced: readonly Limit[];
  /** The files that a process writes itself into before anything else. */
  readonly entrances: readonly string[];
  /** The limit that the kernel had to keep last: it ended a process for memory, or refused one. */
  exceeded(): Limit | undefined;
}

/** No group at all. */
export const noCgroup: Cgroup = { enforced: [], entrances: [], exceeded: () => undefined };

/**
 * Makes the groups of a sandbox: version 1 (a hierarchy for each controller, cgroups(7)), else version 2 beside our own group, where
 * its parent hands the controllers down. What can't be made is left out, never an error.
 */
export async function makeCgroup(id: string, limits: SandboxLimits, root = "/sys/fs/cgroup"): Promise<Cgroup> {
  const made: Place[] = [];
  for (const place of await placesFor(id, root)) if (await makeGroup(place, limits)) made.push(place);
  return {
    enforced: made.flatMap((place) => place.limits),
    entrances: made.map((place) => join(place.folder, "cgroup.procs")),
    exceeded: () => counters.find(({ file, line }) => made.some(({ folder }) => line.test(textOf(join(folder, file)))))?.limit,
  };
}

/** Where the kernel counts what it did for a limit, in version 1 or 2. */
const counters: readonly { readonly limit: Limit; readonly file: string; readonly line: RegExp }[] = [
  { limit: "memory", file: "memory.oom_control", line: /^oom_kill [1-9]/m },
  { limit: "memory", file: "memory.events", line: /^oom_kill [1-9]/m },
  { limit: "processes", file: "pids.events", line: /^max [1-9]/m },
];

/** Only one of the versions has the file, and none after the end. */
function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** Removes the groups of a sandbox whose processes are gone; none there is fine. A dead process may hold one until it is reaped. */
export async function removeCgroup(id: string, clock: Clock): Promise<void> {
  for (const { folder } of await placesFor(id, "/sys/fs/cgroup")) {
    for (let tries = 40; await isBusy(folder, tries === 0); tries -= 1) await clock.sleep(25);
  }
}

async function isBusy(folder: string, last: boolean): Promise<boolean> {
  try {
    await rmdir(folder);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EBUSY" && !last) return true;
    if (code !== "ENOENT") throw error;
  }
  return false;
}

/** Where a group may be made, and what it keeps there. */
interface Place {
  readonly folder: string;
  readonly limits: readonly Limit[];
  settings(limits: SandboxLimits): Readonly<Record<string, string>>;
}

async function placesFor(id: string, root: string): Promise<Place[]> {
  const own = await ownGroups();
  const name = `ferry-${id}`;
  const first = firstVersion.flatMap(({ controller, ...rest }) => {
    const group = own.get(controller);
    return group === undefined ? [] : [{ ...rest, folder: join(root, controller, group, name) }];
  });
  const second = own.get("");
  return first.length > 0 || second === undefined ? first : [{ ...secondVersion, folder: join(root, dirname(second), name) }];
}

/** Microseconds over which the processor's time is counted. */
const period = 100_000;
const bytes = (limits: SandboxLimits): string => String(limits.memoryMB * 1024 * 1024);
const quota = (limits: SandboxLimits): string => String(Math.round(limits.cpus * period));

const firstVersion: readonly (Omit<Place, "folder"> & { readonly controller: string })[] = [
  {
    controller: "memory",
    limits: ["memory"],
    settings: (limits) => ({ "memory.limit_in_bytes": bytes(limits), "memory.memsw.limit_in_bytes": bytes(limits) }),
  },
  { controller: "pids", limits: ["processes"], settings: (limits) => ({ "pids.max": String(limits.processes) }) },
  {
    controller: "cpu",
    limits: ["cpu"],
    settings: (limits) => ({ "cpu.cfs_period_us": String(period), "cpu.cfs_quota_us": quota(limits) }),
  },
];

const secondVersion: Omit<Place, "folder"> = {
  limits: ["memory", "processes", "cpu"],
  settings: (limits) => ({
    "memory.max": bytes(limits),
    "memory.swap.max": "0",
    "pids.max": String(limits.processes),
    "cpu.max": `${quota(limits)} ${period}`,
  }),
};

/** Swap isn't counted everywhere, so that its setting may be missing; each other one must hold. */
async function makeGroup(place: Place, limits: SandboxLimits): Promise<boolean> {
  try {
    await mkdir(place.folder);
  } catch {
    return false;
  }
  for (const [file, value] of Object.entries(place.settings(limits))) {
    const held = await writeFile(join(place.folder, file), value, { flag: "r+" }).then(
      () => true,
      () => /swap|memsw/.test(file),
    );
    if (held) continue;
    await rmdir(place.folder);
    return false;
  }
  return true;
}

/** Lines of /proc/self/cgroup: `4:memory:/a/b`, `1:cpu,cpuacct:/`, and `0::/c` for version 2. */
async function ownGroups(): Promise<Map<string, string>> {
  const text = await readFile("/proc/self/cgroup", "utf8").catch(() => "");
  const groups = new Map<string, string>();
  for (const [, controllers = "", path = ""] of text.matchAll(/^\d+:([^:]*):(.*)$/gm))
    for (const controller of controllers.split(",")) groups.set(controller, path);
  return groups;
}
