import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, renameSync, rmSync } from "node:fs";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Files } from "../../../src/host/host.ts";
import { ferry } from "../../support/ferry.ts";
import { makeRepository } from "../../support/git.ts";
import { makeWorld, type World } from "../../support/world.ts";

let world: World;
let hooks: string;
beforeEach(() => {
  world = makeWorld();
  makeRepository(join(world.folder, "repo"));
  hooks = join(world.folder, "repo", ".git", "hooks");
});
afterEach(() => world.dispose());

const call = (...argv: string[]) => ferry(world.next({ cwd: join(world.folder, "repo") }), "hook", ...argv);
const content = (path: string): string => (lstatSync(path).isSymbolicLink() ? readlinkSync(path) : readFileSync(path, "utf8"));
const at = (name: string): string => join(hooks, name);

/** One of each kind that ours comes before, and one that it stands in. */
function writeHooks(): Map<string, string> {
  rmSync(hooks, { recursive: true });
  mkdirSync(hooks);
  writeFileSync(at("part"), "#!/bin/sh\necho part\n", { mode: 0o755 });
  writeFileSync(at("post-checkout"), "#!/usr/bin/env node\nconsole.log(1);\n", { mode: 0o755 });
  symlinkSync("part", at("post-merge"));
  writeFileSync(at("pre-push"), "#!/bin/sh\necho push\n", { mode: 0o755 });
  return new Map(readdirSync(hooks).map((name) => [name, content(at(name))]));
}

/** Does a verb with a ferry that is killed in front of its `last`-th change of a file; says whether that many came. */
async function killedAt(last: number, verb: string): Promise<boolean> {
  const next = world.next({ cwd: join(world.folder, "repo") });
  let changes = 0;
  let kill: (value: true) => void;
  const killed = new Promise<true>((resolve) => (kill = resolve));
  const dying = Object.fromEntries(
    (["write", "create", "makeFolder", "remove", "rename", "double", "link"] as const).map((name) => [
      name,
      (...given: never[]) => {
        changes += 1;
        if (changes === last) kill(true);
        return changes < last
          ? (next.host.files[name] as (...given: never[]) => Promise<unknown>)(...given)
          : new Promise(() => undefined);
      },
    ]),
  ) as Partial<Files>;
  const whole = ferry({ ...next, host: { ...next.host, files: { ...next.host.files, ...dying } } }, "hook", verb);
  const wasKilled = await Promise.race([killed, whole.then(() => false)]);
  rmSync(at("ferry.lock"), { force: true });
  return wasKilled;
}

test("wherever an install is killed git has each hook, and an uninstall makes all as it was", async () => {
  let last = 1;
  for (; ; last += 1) {
    const before = writeHooks();
    if (!(await killedAt(last, "install"))) break;
    for (const name of ["post-checkout", "post-merge", "pre-push"]) {
      const text = content(at(name));
      const goesOn =
        text.includes("ferry hook run") && (name === "pre-push" || content(at(`${name}.before-ferry`)) === before.get(name));
      expect({ last, name, isThere: text === before.get(name) || goesOn }).toEqual({ last, name, isThere: true });
    }
    expect(await call("uninstall")).toMatchObject({ code: 0 });
    expect({ last, left: new Map(readdirSync(hooks).map((name) => [name, content(at(name))])) }).toEqual({ last, left: before });
  }
  expect(last).toBeGreaterThan(8);
});

test("wherever an uninstall is killed git has each hook, and the next one makes all as it was", async () => {
  for (let last = 1; ; last += 1) {
    const before = writeHooks();
    await call("install");
    if (!(await killedAt(last, "uninstall"))) break;
    for (const name of ["post-checkout", "post-merge", "pre-push"]) expect(existsSync(at(name))).toBe(true);
    expect(await call("uninstall")).toMatchObject({ code: 0 });
    expect({ last, left: new Map(readdirSync(hooks).map((name) => [name, content(at(name))])) }).toEqual({ last, left: before });
  }
});

test("a hook that lies aside and runs no more is named by status, and put back by uninstall", async () => {
  const before = writeHooks();
  // As an earlier ferry that was killed then left it; and where ours was deleted by hand.
  renameSync(at("post-checkout"), at("post-checkout.before-ferry"));
  await call("install");
  rmSync(at("post-checkout"));
  const { code, stdout, stderr } = await call("status");
  expect(code).toBe(0);
  expect(stdout).toMatch(/^post-checkout\tno\t/u);
  expect(stderr).toBe(
    `git runs no post-checkout: it lies in ${at("post-checkout.before-ferry")}; ferry hook uninstall puts it back\n`,
  );
  expect((await call("uninstall")).stderr).toBe("put back, which lay aside: post-checkout\ntaken out of post-merge, pre-push\n");
  expect(new Map(readdirSync(hooks).map((name) => [name, content(at(name))]))).toEqual(before);
});

test("what one that was killed was just writing goes with the next install or uninstall", async () => {
  const names = ["post-checkout.0123456789ab", "post-merge.before-ferry.0123456789ab"];
  for (const verb of ["install", "uninstall"]) {
    writeHooks();
    for (const name of names) writeFileSync(at(name), "#!/bin/s");
    expect(await call(verb)).toMatchObject({ code: 0 });
    expect(readdirSync(hooks).filter((name) => names.includes(name))).toEqual([]);
  }
});

test("a folder in the place of a hook is refused before anything changes", async () => {
  writeHooks();
  rmSync(at("pre-push"));
  mkdirSync(at("pre-push"));
  const before = readdirSync(hooks);
  expect(await call("install")).toEqual({
    code: 3,
    stdout: "",
    stderr: `ferry: ${at("pre-push")} is a folder, and no hook\n  hint: take it away, or call it otherwise\n`,
  });
  expect(readdirSync(hooks)).toEqual(before);
  // As an earlier ferry put it aside.
  rmSync(at("pre-push"), { recursive: true });
  await call("install");
  mkdirSync(at("pre-push.before-ferry"));
  expect(await call("uninstall")).toMatchObject({ code: 0 });
  expect(readdirSync(hooks)).toEqual(before);
});

test("a hooks folder that can't be written has a hint that moves hooks", async () => {
  writeFileSync(join(hooks, "..", "config"), "[core]\n\thooksPath = /proc/ferry-hooks\n", { flag: "a" });
  expect(await call("install")).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^ferry: can't write \/proc\/ferry-hooks: .*\n {2}hint: git's hooks lie there: .* core\.hooksPath FOLDER\n$/u,
    ) as string,
  });
});

test("a .git/hooks that is a link is what leads out, and not core.hooksPath", async () => {
  writeHooks();
  const elsewhere = join(world.folder, "elsewhere");
  renameSync(hooks, elsewhere);
  symlinkSync(elsewhere, hooks);
  const { stderr } = await call("install");
  expect(stderr).toContain(`\n${hooks} is a link that leads out of this repository: they run in each that uses this folder\n`);
  expect(stderr).not.toContain("core.hooksPath");
  rmSync(hooks);
  writeFileSync(hooks, "");
  expect(await call("install")).toMatchObject({
    code: 3,
    stderr: `ferry: git's hooks are switched off here: ${hooks} is no folder\n  hint: take it away, and try again\n`,
  });
});
