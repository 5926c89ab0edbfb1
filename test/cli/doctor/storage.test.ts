import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { UnwritableError } from "../../../src/base/errors.ts";
import type { Files } from "../../../src/host/host.ts";
import { ferry } from "../../support/ferry.ts";
import { type ForeignLogin, makeForeignLogin } from "../../support/foreign-login.ts";
import { describeWith } from "../../support/programs.ts";
import type { World } from "../../support/world.ts";

let scene: ForeignLogin;
let world: World;
beforeEach(() => {
  scene = makeForeignLogin();
  ({ world } = scene);
});
afterEach(() => world.dispose());

interface Row {
  readonly name: string;
  readonly verdict: string;
  readonly says: string;
  readonly hint: string | null;
}

const inFile = { FERRY_CREDENTIAL_STORE: "file" };
const folder = () => join(world.folder, "config");
const keys = () => join(folder(), "credentials.json");
const elsewhere = expect.stringMatching(/^ferry's own files can lie elsewhere: FERRY_CONFIG_DIR/u) as string;

/** What is found of the config file and of where keys are kept, and what login then says. */
async function examine(env: Record<string, string>, change = (files: Files): Files => files) {
  const there = world.next({ env });
  const { code, stdout } = await ferry(
    { ...there, host: { ...there.host, files: change(there.host.files) } },
    "doctor",
    "--json",
  );
  const rows = JSON.parse(stdout) as Row[];
  const found = (name: string) => rows.find((row) => row.name === name);
  const tried = await scene.login(scene.approve, { env, change: (host) => ({ ...host, files: change(host.files) }) });
  return { code, config: found("config"), place: found("keychain"), login: tried };
}

describe.each(["file", ""])("where keys can't be kept, with FERRY_CREDENTIAL_STORE=%j and no keychain", (store) => {
  const env = { FERRY_CREDENTIAL_STORE: store };
  beforeEach(() => {
    world.keychain.trouble = "unavailable";
  });

  test("the folder is a file", async () => {
    writeFileSync(folder(), "a letter");
    const failed = { verdict: "failed", says: `can't write ${folder()}: file already exists`, hint: elsewhere };
    expect(await examine(env)).toMatchObject({ code: 1, config: failed, place: failed, login: { code: 1 } });
    expect(readFileSync(folder(), "utf8")).toBe("a letter");
  });

  test("that is no failure where the key is in the environment", async () => {
    writeFileSync(folder(), "a letter");
    const row = { verdict: "warning", says: `can't write ${folder()}: file already exists` };
    expect(await examine({ ...env, FERRY_HOST: scene.server.origin, FERRY_API_KEY: "key-1" })).toMatchObject({
      config: row,
      place: row,
    });
  });

  test("the file of keys is damaged, and nobody is logged in", async () => {
    mkdirSync(folder());
    writeFileSync(keys(), "{", { mode: 0o600 });
    const failed = { verdict: "failed", says: `${keys()} is damaged`, hint: "remove it and log in again" };
    expect(await examine(env)).toMatchObject({ code: 1, config: { verdict: "ok" }, place: failed, login: { code: 4 } });
    expect(readFileSync(keys(), "utf8")).toBe("{");
  });

  test.runIf(existsSync("/proc/self"))("the folder is where there can be none", async () => {
    const path = "/proc/nope";
    const failed = { verdict: "failed", says: expect.stringMatching(/^can't write \/proc\/nope: no such file/u) as string };
    const found = await examine({ ...env, FERRY_CONFIG_DIR: path });
    expect(found).toMatchObject({ code: 1, config: { ...failed, hint: elsewhere }, place: failed, login: { code: 1 } });
  });

  test.each([true, false])("the disk is full (the folder is there: %s)", async (isThere) => {
    if (isThere) mkdirSync(folder());
    const before = readdirSync(world.folder);
    const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
    const fails = (path: string) => Promise.reject(new UnwritableError(path, full));
    const filling = (files: Files): Files => ({ ...files, append: fails, create: fails, write: fails });
    const { code, config, place, login } = await examine(env, filling);
    const paths = isThere ? [join(folder(), "config.json"), keys()] : [folder(), folder()];
    expect([config, place]).toMatchObject(
      paths.map((path) => ({ verdict: "failed", says: `can't write ${path}: no space left on device`, hint: elsewhere })),
    );
    expect([code, login.code, readdirSync(world.folder)]).toEqual([1, 1, before]);
  });

  test("what is written there is not what is read", async () => {
    const forgetting = (files: Files): Files => ({ ...files, append: (path) => files.append(path, "") });
    const failed = { verdict: "failed", says: expect.stringMatching(/: what is written there is not what is read$/u) as string };
    expect(await examine(env, forgetting)).toMatchObject({ code: 1, config: failed, place: failed, login: { code: 1 } });
  });
});

// A file system that is mounted read-only refuses root, too; only root can mount one.
describeWith(process.getuid?.() === 0 ? ["mount", "umount"] : ["only-root-mounts"], "a disk of its own", () => {
  const mounted = () => join(world.folder, "home");
  beforeEach(() => {
    mkdirSync(mounted());
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k,mode=0700", "tmpfs", mounted()]);
  });
  afterEach(() => execFileSync("umount", [mounted()]));
  const env = () => ({ ...inFile, FERRY_CONFIG_DIR: join(mounted(), "ferry") });

  test.each([
    ["read-only", () => void execFileSync("mount", ["-o", "remount,ro", mounted()]), "read-only file system"],
    ["full", () => fill(join(mounted(), "filler")), "no space left on device"],
  ])("that is %s", async (_, spoil, why) => {
    spoil();
    const before = readdirSync(mounted());
    const failed = { verdict: "failed", says: `can't write ${join(mounted(), "ferry")}: ${why}`, hint: elsewhere };
    expect(await examine(env())).toMatchObject({ code: 1, config: failed, place: failed, login: { code: 1 } });
    expect(readdirSync(mounted())).toEqual(before);
  });
});

/** To the last byte. */
function fill(path: string): void {
  try {
    for (;;) writeFileSync(path, Buffer.alloc(4096), { flag: "a" });
  } catch (error) {
    expect(error).toMatchObject({ code: "ENOSPC" });
  }
}

test("a store that there is none of is a failure, as at a login", async () => {
  expect(await examine({ FERRY_CREDENTIAL_STORE: "bogus" })).toMatchObject({
    code: 1,
    place: { verdict: "failed", says: 'FERRY_CREDENTIAL_STORE is "bogus"', hint: "set it to keychain or file" },
    login: { code: 2 },
  });
});

test("where a keychain keeps keys, the file of keys isn't looked at; that of the logins is", async () => {
  mkdirSync(folder());
  writeFileSync(keys(), "{", { mode: 0o600 });
  expect(await examine({})).toMatchObject({ code: 0, place: { verdict: "ok" } });
  writeFileSync(join(folder(), "config.json"), "{");
  expect(await examine({})).toMatchObject({ code: 1, config: { verdict: "failed" }, login: { code: 2 } });
});

describe("what can be kept", () => {
  const doctor = () => ferry(world.next({ env: inFile }), "doctor", "--json");

  test("is found out without a trace, also where there is no folder yet", async () => {
    const before = readdirSync(world.folder);
    expect((await doctor()).code).toBe(0);
    expect(readdirSync(world.folder)).toEqual(before);
  });

  test("nor is anything touched that is there", async () => {
    expect((await scene.login(scene.approve, { env: inFile })).code).toBe(0);
    const seen = () =>
      readdirSync(folder())
        .sort()
        .map((name) => [name, statSync(join(folder(), name)).ino, readFileSync(join(folder(), name), "utf8")]);
    const before = seen();
    expect(before.map(([name]) => name)).toEqual(["config.json", "credentials.json"]);
    expect((await doctor()).code).toBe(0);
    expect(seen()).toEqual(before);
  });

  test("nor is a link to the config made a file, or what it leads to", async () => {
    mkdirSync(folder());
    const target = join(world.folder, "dotfiles.json");
    symlinkSync(target, join(folder(), "config.json"));
    expect((await doctor()).code).toBe(0);
    expect([readdirSync(folder()), existsSync(target)]).toEqual([["config.json"], false]);
  });

  test("no login beside it loses its key or its place", async () => {
    const both = await Promise.all([
      scene.login(scene.approve, { env: inFile }),
      ...Array.from({ length: 4 }, doctor),
      scene.login(scene.approve, { env: inFile }),
      ...Array.from({ length: 4 }, doctor),
    ]);
    expect(both.map(({ code }) => code)).toEqual(both.map(() => 0));
    expect((await ferry(world.next({ env: inFile }), "whoami")).code).toBe(0);
    expect(readdirSync(folder()).sort()).toEqual(["config.json", "credentials.json"]);
  });
});

test("a wrong setting is the config's failure, told once", async () => {
  mkdirSync(folder());
  const path = join(folder(), "config.json");
  writeFileSync(path, JSON.stringify({ version: 1, hosts: [], settings: { sandbox: "glass" } }));
  const { code, stdout } = await ferry(world.next({ env: inFile }), "doctor");
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /^FAILED +config +\S+config\.json: settings\.sandbox is not auto, .* \(ferry config unset sandbox\)\nFAILED +keychain +for the same reason as config$/mu,
  );
});
