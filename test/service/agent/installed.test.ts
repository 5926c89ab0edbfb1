import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { insideProgram } from "../../../src/service/agent/installed/program.ts";
import { chooseDriver, makeDrivers } from "../../../src/service/sandbox/registry.ts";
import { makeFolder } from "../../support/git.ts";
import { machine, specIn } from "../../support/sandbox.ts";

let folder: ReturnType<typeof makeFolder>;
beforeEach(() => void (folder = makeFolder()));
afterEach(() => folder.remove());

const own = { path: "/usr/bin/node", mounts: [] };
const place = { node: own, find: () => Promise.resolve(undefined) };
const inside = (path: string) => insideProgram(path, "/opt/a", place);

async function write(path: string, text: string): Promise<string> {
  const full = join(folder.path, path);
  await mkdir(dirname(full), { recursive: true });
  await writeFile(full, text, { mode: 0o755 });
  return full;
}

const script = '#!/usr/bin/env node\nconsole.log("ran", require("dep"));\n';

/** As npm installs: the package with a dependency, in `modules` beside it or within it, and a link to its program. */
async function install(modules: string, dependencies: string): Promise<string> {
  const program = await write(`${modules}/@scope/agent/dist/index.js`, script);
  await write(`${modules}/@scope/agent/package.json`, '{"name":"@scope/agent","version":"1.2.3","dependencies":{"dep":"1"}}');
  await write(`${dependencies}/dep/package.json`, '{"name":"dep","main":"main.js"}');
  await write(`${dependencies}/dep/main.js`, 'module.exports = "with its dependency";');
  const link = join(folder.path, "agent");
  await symlink(program, link);
  return link;
}

test("a package with all that it needs in it is bound by itself", async () => {
  const link = await install("lib/node_modules", "lib/node_modules/@scope/agent/node_modules");
  const target = "/opt/a/node_modules/@scope/agent";
  expect(await inside(link)).toEqual({
    argv: [own.path, `${target}/dist/index.js`],
    mounts: [{ source: join(folder.path, "lib/node_modules/@scope/agent"), target }],
    version: "1.2.3",
  });
});

test("one whose dependencies lie beside it brings the folder of both, and nothing around that", async () => {
  const link = await install("app/node_modules", "app/node_modules");
  expect(await inside(link)).toMatchObject({
    argv: [own.path, "/opt/a/node_modules/@scope/agent/dist/index.js"],
    mounts: [{ source: join(folder.path, "app/node_modules"), target: "/opt/a/node_modules" }],
  });
});

test("it runs in a sandbox so, with its dependency and without the home around it", async (context) => {
  const chosen = await chooseDriver("auto", makeDrivers(machine)).catch(() => undefined);
  if (chosen === undefined) return context.skip("no sandbox on this machine");
  await chmod(folder.path, 0o755);
  const { argv, mounts } = await insideProgram(await install("app/node_modules", "app/node_modules"), "/opt/a", {
    ...place,
    find: () => Promise.resolve(process.execPath),
  });
  const sandbox = await chosen.driver.create(specIn(join(folder.path, "sandboxes"), { mounts }));
  expect(Buffer.from((await sandbox.exec(argv)).stdout).toString()).toBe("ran with its dependency\n");
  expect((await sandbox.exec(["test", "-e", folder.path])).code).toBe(1);
  await sandbox.destroy();
});

test("the Node that a package was installed with runs it", async () => {
  const link = await install("node20/lib/node_modules", "node20/lib/node_modules/@scope/agent/node_modules");
  await write("node20/bin/node", "\x7fELF…");
  const { argv, mounts } = await inside(link);
  expect(argv[0]).toBe("/opt/a/node");
  expect(mounts[0]).toEqual({ source: join(folder.path, "node20/bin/node"), target: "/opt/a/node" });
});

test("a version manager's stand-in for Node is none", async () => {
  const shim = await write("shims/node", "#!/bin/sh\nexec volta run node\n");
  const link = await install("app/node_modules", "app/node_modules");
  expect((await insideProgram(link, "/opt/a", { node: own, find: () => Promise.resolve(shim) })).argv[0]).toBe(own.path);
});

test("a binary is bound as a single file, and what lies under /usr is seen already", async () => {
  const source = await write("bin/agent", "\x7fELF…");
  expect(await inside(source)).toEqual({
    argv: ["/opt/a/agent"],
    mounts: [{ source, target: "/opt/a/agent" }],
    version: undefined,
  });
  expect(await inside("/usr/bin/env")).toMatchObject({ mounts: [] });
});

test("a script that would need who knows what is refused with the remedy", async () => {
  const shim = await write("bin/agent", "#!/bin/sh\nexec something else\n");
  await expect(inside(shim)).rejects.toMatchObject({
    kind: "failure",
    hint: expect.stringContaining("agents.NAME.command") as string,
  });
});
