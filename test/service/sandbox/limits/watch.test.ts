import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Limit } from "../../../../src/service/sandbox/driver.ts";
import { memoryOf, diskOf, threadsOf } from "../../../../src/service/sandbox/limits/usage.ts";
import { watchLimits, type Watched } from "../../../../src/service/sandbox/limits/watch.ts";
import { readEntry, type ProcessEntry } from "../../../../src/service/sandbox/processes/table.ts";
import { machine, roomy } from "../../../support/sandbox.ts";

/** A clock that jumps to the end of each sleep, and stops the watch at `until` ms. */
function jumping(until: number) {
  let now = 0;
  const sleep = (ms: number): Promise<void> => {
    now += ms;
    return now < until ? Promise.resolve() : Promise.reject(new Error("over"));
  };
  return { host: { ...machine, clock: { now: () => now, elapsed: () => now, sleep } }, now: () => now };
}

async function broken(changes: Partial<Watched>, until = 5000): Promise<{ limits: Limit[]; at: number }> {
  const limits: Limit[] = [];
  const { host, now } = jumping(until);
  const exceeded = (limit: Limit): Promise<void> => Promise.resolve(void limits.push(limit));
  await watchLimits(
    {
      ...{ limits: roomy, watch: ["memory", "processes"], busy: () => true, members: () => [self()], exceeded },
      disk: () => Promise.resolve({ bytes: 0, hidden: false }),
      unlock: () => Promise.reject(new Error("nothing is shut")),
      ...changes,
    },
    host,
    new AbortController().signal,
  );
  return { limits, at: now() };
}

function self(): ProcessEntry {
  const entry = readEntry(process.pid);
  if (entry === undefined) throw new Error("no /proc");
  return entry;
}

const linux = process.platform === "linux";

test.runIf(linux)("within its limits nothing happens until it is over", async () => {
  expect(await broken({ limits: { ...roomy, memoryMB: 100_000, processes: 1000 } })).toEqual({ limits: [], at: 5000 });
});

test("wall time ends it at its time, at rest too", async () => {
  expect(await broken({ limits: { ...roomy, wall: 2300 }, busy: () => false })).toEqual({ limits: ["wall"], at: 2300 });
});

test.runIf(linux)("memory and processes are told at each look where nothing else keeps them", async () => {
  expect((await broken({ limits: { ...roomy, memoryMB: 1 } }, 3000)).limits).toEqual(["memory", "memory"]);
  expect((await broken({ limits: { ...roomy, memoryMB: 100_000, processes: 1 } }, 2000)).limits).toEqual(["processes"]);
  expect((await broken({ limits: { ...roomy, memoryMB: 1, processes: 1 }, watch: [] })).limits).toEqual([]);
});

test.runIf(linux)("disk ends it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ferry-disk-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "file"), Buffer.alloc(3 * 1024 * 1024));
  const limits = { ...roomy, memoryMB: 100_000, processes: 1000 };
  expect((await broken({ disk: () => diskOf(folder, []), limits: { ...limits, diskMB: 2 } })).limits).toEqual(["disk"]);
  expect((await broken({ disk: () => diskOf(folder, []), limits: { ...limits, diskMB: 4 } })).limits).toEqual([]);
});

test.runIf(linux)("files without content count, too: a disk runs out of them", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ferry-disk-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await Promise.all(Array.from({ length: 600 }, (_, at) => writeFile(join(folder, String(at)), "")));
  const limits = { ...roomy, memoryMB: 100_000, processes: 1000 };
  expect((await broken({ disk: () => diskOf(folder, []), limits: { ...limits, diskMB: 2 } })).limits).toEqual(["disk"]);
  expect((await broken({ disk: () => diskOf(folder, []), limits: { ...limits, diskMB: 4 } })).limits).toEqual([]);
});

/** Gives what is counted at each look: whether something was hidden. */
function looks(hidden: readonly boolean[]): Pick<Watched, "disk" | "unlock"> & { unlocked: () => number } {
  let [at, unlocked] = [0, 0];
  const disk: Watched["disk"] = () => Promise.resolve({ bytes: 1, hidden: hidden[at++] ?? false });
  return { disk, unlock: () => Promise.resolve(void (unlocked += 1)), unlocked: () => unlocked };
}

test.each([
  { what: "shut for one look is no matter", hidden: [true, false, true], limits: [], unlocked: 0 },
  { what: "that stays shut is opened, and counts then", hidden: [true, true, false, true, true, false], limits: [], unlocked: 2 },
  { what: "that can't be opened breaks the limit", hidden: [true, true, true], limits: ["disk"], unlocked: 1 },
])("a folder that nobody can look into, $what", async ({ hidden, limits, unlocked }) => {
  const shut = looks(hidden);
  expect({ limits: (await broken({ ...shut, watch: [] }, 10_000)).limits, unlocked: shut.unlocked() }).toEqual({
    limits,
    unlocked,
  });
});

test.runIf(linux)("a sparse file counts what it takes", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ferry-disk-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "sparse"), "");
  await truncate(join(folder, "sparse"), 1e9);
  expect((await diskOf(folder, [])).bytes).toBeLessThan(1e6);
});

test.runIf(linux)("memory is the shares where the bound is over the limit", () => {
  const bound = memoryOf([self()], Infinity);
  const exact = memoryOf([self()], 0);
  expect(exact).toBeGreaterThan(10e6);
  expect(exact).toBeLessThanOrEqual(bound * 1.1);
  expect(threadsOf([self(), self()])).toBe(2 * self().threads);
});
