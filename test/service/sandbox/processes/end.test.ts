import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { endMembers } from "../../../../src/service/sandbox/processes/end.ts";
import { findMembers, label } from "../../../../src/service/sandbox/processes/members.ts";
import { forget, record, recorded } from "../../../../src/service/sandbox/processes/records.ts";
import { readEntry, runs } from "../../../../src/service/sandbox/processes/table.ts";
import { machine } from "../../../support/sandbox.ts";

/** A process of our own that waits; ended with the test. */
async function waiting(script = "sleep 1000", env: Record<string, string> = {}): Promise<ChildProcess & { pid: number }> {
  const child = spawn("sh", ["-c", `echo ready; ${script}`], {
    env: { PATH: "/usr/bin:/bin", ...env },
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  if (child.pid === undefined) throw new Error("sh can't be run");
  return Object.assign(child, { pid: child.pid });
}

describe.runIf(process.platform === "linux")("processes", () => {
  test("one is known by its number and its start", async () => {
    const child = await waiting();
    const entry = readEntry(child.pid);
    expect(entry).toMatchObject({ pid: child.pid, parent: process.pid, threads: 1 });
    expect(runs({ pid: child.pid, started: entry?.started ?? "" })).toBe(true);
    expect(runs({ pid: child.pid, started: "1" })).toBe(false);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(readEntry(child.pid)).toBeUndefined();
  });

  test("a name with blanks and brackets hides nothing", async () => {
    const child = await waiting("exec perl -e '$0 = \"a) R 1 (b\"; $| = 1; sleep 1000'");
    await expect.poll(() => readEntry(child.pid)?.parent).toBe(process.pid);
  });

  test("a number that was given to another process ends nobody", async () => {
    const child = await waiting();
    expect(await endMembers({ roots: [{ pid: child.pid, started: "1" }] }, machine)).toBe(0);
    expect(readEntry(child.pid)).toBeDefined();
  });

  test("descendants end with it, those that left its session too", async () => {
    const child = await waiting("setsid sleep 1000 & setsid sh -c 'sleep 1000; :' & sleep 1000");
    const root = { pid: child.pid, started: readEntry(child.pid)?.started ?? "" };
    await expect.poll(() => findMembers({ roots: [root] }).length).toBe(5);
    const members = findMembers({ roots: [root] });
    expect(await endMembers({ roots: [root] }, machine)).toBe(5);
    expect(members.filter(runs)).toEqual([]);
  });

  test("a label is found by each folder above, and by no other", async () => {
    const child = await waiting("exec sleep 1000", { [label]: "/data/sandboxes/one/2" });
    const found = (labelled: string): number[] => findMembers({ roots: [], labelled }).map(({ pid }) => pid);
    for (const folder of ["/data/sandboxes/one/2", "/data/sandboxes/one", "/data/sandboxes"])
      expect(found(folder)).toEqual([child.pid]);
    for (const folder of ["/data/sandboxes/on", "/data/sandboxes/one/2/3", "/data/sandboxes/two", "/sandboxes"])
      expect(found(folder)).toEqual([]);
  });

  test("what can't be ended is named, after a while", async () => {
    const child = await waiting();
    let now = 0;
    const clock = {
      ...machine.clock,
      elapsed: () => now,
      sleep: (ms: number) => Promise.resolve((now += ms)).then(() => undefined),
    };
    const powerless = { ...machine, clock, processes: { ...machine.processes, kill: () => false } };
    const root = { pid: child.pid, started: readEntry(child.pid)?.started ?? "" };
    await expect(endMembers({ roots: [root] }, powerless)).rejects.toMatchObject({
      kind: "failure",
      details: expect.arrayContaining([`process ${child.pid}`]) as string[],
    });
  });

  test("a note is kept as long as its process", async () => {
    const folder = await mkdtemp(join(tmpdir(), "ferry-records-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const child = await waiting();
    const id = await record(folder, child.pid);
    expect(await recorded(folder)).toEqual([id]);
    await forget(folder, child.pid);
    await forget(folder, child.pid);
    expect(await readdir(folder)).toEqual([]);
    expect(await recorded(join(folder, "none"))).toEqual([]);
    await writeFile(join(folder, "77"), "5");
    expect(await recorded(folder)).toEqual([{ pid: 77, started: "5" }]);
  });
});
