import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { SandboxHost } from "../../../src/service/sandbox/host.ts";
import { label } from "../../../src/service/sandbox/processes/members.ts";
import { sweep } from "../../../src/service/sandbox/sweep.ts";
import { makeTestEngine } from "../../support/engine.ts";
import { machine, withRoot } from "../../support/sandbox.ts";

/** Waits for nothing, though its time passes. */
function hasty(): SandboxHost {
  let elapsed = 0;
  return {
    ...machine,
    clock: {
      ...machine.clock,
      elapsed: () => (elapsed += 1000),
      sleep: () => new Promise((resolve) => setImmediate(resolve)),
    },
    processes: { ...machine.processes, kill: () => true },
  };
}

/** What an earlier service left of a sandbox: its folder, and what it noted there. */
async function leave(root: string, id: string, notes: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = join(root, id);
  await mkdir(join(folder, "repo"), { recursive: true });
  for (const [name, text] of Object.entries(notes)) await writeFile(join(folder, name), text);
  return folder;
}

const engine = (...words: string[]) => ({ engine: JSON.stringify({ kind: "podman", words }) });

test.each([
  { what: "can't be run", notes: engine("/nowhere/podman"), reason: "/nowhere/podman can't be run" },
  {
    what: "hangs",
    notes: engine("sh", "-c", "exec sleep 3 < /dev/null > /dev/null 2>&1"),
    reason: "sh rm took longer than 20 s",
  },
])("a container whose engine $what is left for the next sweep, and the others go", async ({ notes, reason }) => {
  await withRoot(async (root) => {
    const folder = await leave(root, "sbx_a", notes);
    const other = await leave(root, "sbx_b");
    const { swept, left } = await sweep(root, new Set(), hasty());
    expect({ swept, left }).toEqual({
      swept: [{ id: "sbx_b", what: "folder" }],
      left: [expect.stringContaining(`sandbox sbx_a: ${reason}`)],
    });
    expect([folder, other].map(existsSync)).toEqual([true, false]);
  });
});

test("so are processes that can't be ended", async () => {
  await withRoot(async (root) => {
    const folder = await leave(root, "sbx_a");
    const process = spawn("sleep", ["1000"], { env: { ...machine.env, [label]: `${folder}/1` } });
    await once(process, "spawn");
    try {
      const { left } = await sweep(root, new Set(), hasty());
      expect(left).toEqual(["sandbox sbx_a: 1 process of a sandbox can't be ended"]);
      expect(existsSync(folder)).toBe(true);
    } finally {
      process.kill("SIGKILL");
      await once(process, "exit");
    }
    expect((await sweep(root, new Set(), machine)).left).toEqual([]);
  });
});

test("what could not be rescued stays, also in the next sweep, and that is told", async () => {
  await withRoot(async (root) => {
    const folder = await leave(root, "sbx_a");
    const first = await sweep(root, new Set(), machine, () => Promise.reject(new Error("the disk is full")));
    expect(first).toEqual({ swept: [], left: ["sandbox sbx_a: the disk is full"] });
    const second = await sweep(root, new Set(), machine);
    expect(second.left).toEqual([
      `sandbox sbx_a: ${folder} stays: what is in it could not be saved, and nothing else removes it`,
    ]);
    expect(existsSync(join(folder, "repo"))).toBe(true);
  });
});

test("a service starts beside what is left, and says so in its log", async () => {
  await withRoot(async (root) => {
    await leave(root, "sbx_a", engine("/nowhere/podman"));
    const service = await makeTestEngine({ data: dirname(root) });
    expect(service.log).toContainEqual(expect.stringMatching("^not swept: sandbox sbx_a: /nowhere/podman can't be run"));
    await service.close();
  });
});
