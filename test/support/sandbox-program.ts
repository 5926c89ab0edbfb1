import { asFerryError } from "../../src/base/errors.ts";
import type { Sandbox, SandboxDriverName, SandboxSpec } from "../../src/service/sandbox/driver.ts";
import { emptyTrash, trashed } from "../../src/service/sandbox/folder/trash.ts";
import { chooseDriver, makeDrivers } from "../../src/service/sandbox/registry.ts";
import { machine, specIn } from "./sandbox.ts";

/**
 * A small service in a process of its own, to be run as another user or to be killed: `DRIVER ROOT SCRIPT [CHANGES]` makes a
 * sandbox (with changes to its spec, as JSON), runs the script in it with its output passed on, says which limit was broken, and
 * destroys it. Where no sandbox can be made, the error's parts are told as JSON.
 */
const [name, root = "", script = "", changes = "{}"] = process.argv.slice(2);

try {
  const { driver } = await chooseDriver(name as SandboxDriverName | "auto", makeDrivers(machine));
  await serve(await driver.create(specIn(root, JSON.parse(changes) as Partial<SandboxSpec>)));
} catch (error) {
  const { kind, message, details, hint } = asFerryError(error);
  process.stdout.write(JSON.stringify({ kind, message, details, hint }));
}

async function serve(sandbox: Sandbox): Promise<void> {
  const inside = await sandbox.spawn(["sh", "-c", script]);
  inside.stdout.pipe(process.stdout);
  await inside.exit;
  process.stderr.write(inside.stderrTail());
  const limit = sandbox.exceeded();
  if (limit !== undefined) process.stdout.write(`over: ${limit}\n`);
  await sandbox.destroy();
  await emptyTrash(await trashed(root), new AbortController().signal);
}
