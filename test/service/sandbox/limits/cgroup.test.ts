import { mkdir, mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeCgroup } from "../../../../src/service/sandbox/limits/cgroup.ts";
import { roomy } from "../../../support/sandbox.ts";

test("where no group can be made nothing is kept, and that is no error", async () => {
  const root = await mkdtemp(join(tmpdir(), "ferry-cgroup-"));
  onTestFinished(() => rm(root, { recursive: true }));
  const cgroup = await makeCgroup("sbx_none", roomy, join(root, "missing"));
  expect(cgroup).toMatchObject({ enforced: [], entrances: [] });
  expect(cgroup.exceeded()).toBeUndefined();
});

test("a group that doesn't take its settings isn't used, nor left behind", async () => {
  const root = await mkdtemp(join(tmpdir(), "ferry-cgroup-"));
  onTestFinished(() => rm(root, { recursive: true }));
  // A plain folder has none of the files that the kernel puts into a group.
  const own = await readFile("/proc/self/cgroup", "utf8");
  for (const [, controllers = "", path = ""] of own.matchAll(/^\d+:([^:]*):(.*)$/gm))
    for (const controller of controllers.split(",")) await mkdir(join(root, controller, path), { recursive: true });
  expect((await makeCgroup("sbx_none", roomy, root)).enforced).toEqual([]);
  const left = await readdir(root, { recursive: true });
  expect(left.filter((name) => name.includes("ferry-"))).toEqual([]);
});
