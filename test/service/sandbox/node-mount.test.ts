import { copyFile, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { nodeMount } from "../../../src/service/sandbox/node-mount.ts";
import { chooseDriver, makeDrivers } from "../../../src/service/sandbox/registry.ts";
import { machine, specIn, withRoot } from "../../support/sandbox.ts";

test("a Node of the system is seen already", async () => {
  expect(await nodeMount("/usr/bin/env")).toEqual({ mounts: [], path: "/usr/bin/env" });
});

test("a Node in a home runs inside, and nothing else of that home is there", async (context) => {
  const home = await mkdtemp(join(tmpdir(), "ferry-node-"));
  onTestFinished(() => rm(home, { recursive: true }));
  await mkdir(join(home, "versions", "bin"), { recursive: true });
  await copyFile(process.execPath, join(home, "versions", "bin", "node"));
  await symlink("versions/bin/node", join(home, "node"));
  const node = await nodeMount(join(home, "node"));
  expect(node.mounts).toEqual([{ source: join(home, "versions", "bin", "node"), target: node.path }]);
  const chosen = await chooseDriver("auto", makeDrivers(machine)).catch(() => undefined);
  if (chosen === undefined) return context.skip("no sandbox on this machine");
  await withRoot(async (root) => {
    const sandbox = await chosen.driver.create(specIn(root, { mounts: node.mounts }));
    const script = `console.log(process.version, require("node:fs").existsSync(${JSON.stringify(home)}))`;
    const { stdout } = await sandbox.exec([node.path, "-e", script]);
    expect(Buffer.from(stdout).toString()).toBe(`${process.version} false\n`);
    await sandbox.destroy();
  });
});

test("what is to be seen inside must be there, and nothing is left where it isn't", async () => {
  await withRoot(async (root) => {
    for (const driver of makeDrivers(machine)) {
      const mounts = [{ source: join(root, "missing"), target: "/opt/missing" }];
      await expect(driver.create(specIn(root, { mounts }))).rejects.toThrow(
        /missing is to be seen in the sandbox, but isn't there/,
      );
    }
  });
});
