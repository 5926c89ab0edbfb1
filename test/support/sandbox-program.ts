import type { SandboxSpec } from "../../src/service/sandbox/driver.ts";
import { makeDrivers } from "../../src/service/sandbox/registry.ts";
import { machine, specIn } from "./sandbox.ts";

/**
 * A small service in a process of its own, to be run as another user or to be killed: `DRIVER ROOT SCRIPT [CHANGES]` makes a
 * sandbox (with changes to its spec, as JSON), runs the script in it with its output passed on, says which limit was broken, and
 * destroys it.
 */
const [name, root = "", script = "", changes = "{}"] = process.argv.slice(2);
const driver = makeDrivers(machine).find((candidate) => candidate.name === name);
if (driver === undefined) throw new Error(`no driver ${String(name)}`);
const sandbox = await driver.create(specIn(root, JSON.parse(changes) as Partial<SandboxSpec>));
const inside = await sandbox.spawn(["sh", "-c", script]);
inside.stdout.pipe(process.stdout);
const { code } = await inside.exit;
process.stderr.write(inside.stderrTail());
if (sandbox.exceeded() !== undefined) process.stdout.write(`over: ${String(sandbox.exceeded())}\n`);
await sandbox.destroy();
process.exitCode = code ?? 1;
