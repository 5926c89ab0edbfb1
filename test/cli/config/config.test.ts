import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { asFerryError, FerryError } from "../../../src/base/errors.ts";
import { checkConfig, configPath, readConfig, updateConfig, type HostEntry } from "../../../src/cli/config/config.ts";
import { withLock } from "../../../src/auth/lock.ts";
import { makeMemory } from "../../../src/cli/config/memory.ts";
import type { Files, Host } from "../../../src/host/host.ts";
import { makeWorld, type World } from "../../support/world.ts";

const entry = (name: string): HostEntry => ({ url: `https://${name}.example`, account: "ada", store: "file" });

let world: World;
beforeEach(() => {
  world = makeWorld();
  mkdirSync(join(world.folder, "config"));
});
afterEach(() => world.dispose());

test("without a file there are no hosts", async () => {
  expect(await readConfig(world.host)).toEqual({ version: 1, hosts: [] });
});

test("twenty writers at once lose nothing, and leave nothing behind", async () => {
  const names = Array.from({ length: 20 }, (_, at) => `h${at}`);
  await Promise.all(
    names.map((name) => updateConfig(world.next().host, (config) => ({ ...config, hosts: [...config.hosts, entry(name)] }))),
  );
  const { hosts } = await readConfig(world.host);
  expect(hosts.map(({ url }) => url).toSorted()).toEqual(names.map((name) => entry(name).url).toSorted());
  expect(readdirSync(join(world.folder, "config"))).toEqual(["config.json"]);
  expect(statSync(configPath(world.host)).mode & 0o777).toBe(0o600);
});

test.runIf(process.getuid?.() === 0)("somebody else's is not read: it says where keys go", async () => {
  writeFileSync(configPath(world.host), JSON.stringify({ version: 1, hosts: [entry("a")] }));
  const somebody = { ...world.host, uid: 54321 };
  expect((await readConfig(somebody)).hosts).toEqual([entry("a")]);
  chownSync(configPath(world.host), 12345, 12345);
  await expect(readConfig(somebody)).rejects.toMatchObject({
    kind: "auth",
    message: expect.stringContaining("somebody else") as string,
  });
});

test.skipIf(process.platform === "win32")("one that anybody can get at and write is not read", async () => {
  const path = configPath(world.host);
  writeFileSync(path, JSON.stringify({ version: 1, hosts: [entry("a")] }));
  chmodSync(path, 0o666);
  await expect(readConfig(world.host)).rejects.toMatchObject({
    kind: "auth",
    message: `anybody on this machine can write in ${path}`,
    hint: expect.stringMatching(/chmod go-w \S+config\.json$/u) as string,
  });
  chmodSync(join(world.folder, "config"), 0o700);
  expect((await readConfig(world.host)).hosts).toEqual([entry("a")]);
});

test("what a newer ferry wrote beside it stays", async () => {
  writeFileSync(configPath(world.host), JSON.stringify({ version: 1, hosts: [{ ...entry("a"), color: "red" }], theme: "dark" }));
  await updateConfig(world.host, (config) => ({ ...config, hosts: [entry("b"), ...config.hosts] }));
  expect(JSON.parse(readFileSync(configPath(world.host), "utf8"))).toEqual({
    version: 1,
    hosts: [entry("b"), { ...entry("a"), color: "red" }],
    theme: "dark",
  });
});

test("a link in its place stays one, and what it leads to is changed", async () => {
  const kept = join(world.folder, "dotfiles.json");
  writeFileSync(kept, '{"version":1}');
  symlinkSync(kept, configPath(world.host));
  await updateConfig(world.host, (config) => ({ ...config, hosts: [entry("a")] }));
  expect(lstatSync(configPath(world.host)).isSymbolicLink()).toBe(true);
  expect(JSON.parse(readFileSync(kept, "utf8"))).toMatchObject({ hosts: [entry("a")] });
});

test.each(["dotfiles.json", "dotfiles/ferry.json"])("a link to what isn't there yet stays one: %s is made", async (name) => {
  symlinkSync(join("..", name), configPath(world.host));
  await updateConfig(world.host, (config) => ({ ...config, hosts: [entry("a")] }));
  expect(lstatSync(configPath(world.host)).isSymbolicLink()).toBe(true);
  expect(JSON.parse(readFileSync(join(world.folder, name), "utf8"))).toMatchObject({ hosts: [entry("a")] });
});

test("a byte order mark, which editors of Windows write, is no fault", async () => {
  writeFileSync(configPath(world.host), '\ufeff{"version":1}');
  expect(await readConfig(world.host)).toEqual({ version: 1, hosts: [] });
});

test("a file that isn't UTF-8 is broken, and stays as it is", async () => {
  const bytes = Buffer.from('{"version":1,"settings":{"agents.goose.command":"caf\xe9"}}', "latin1");
  writeFileSync(configPath(world.host), bytes);
  await expect(updateConfig(world.host, (config) => config)).rejects.toMatchObject({
    kind: "usage",
    message: `${configPath(world.host)} is no UTF-8`,
  });
  expect(readFileSync(configPath(world.host))).toEqual(bytes);
  writeFileSync(configPath(world.host), '{"version":1,"settings":{"agents.goose.command":"\ufffd"}}');
  expect((await readConfig(world.host)).settings).toEqual({ "agents.goose.command": "\ufffd" });
});

test("what nests too deep to be written again is told, and stays as it is", async () => {
  const text = `{"version":1,"hosts":[],"later":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  writeFileSync(configPath(world.host), text);
  expect((await readConfig(world.host)).hosts).toEqual([]);
  await expect(updateConfig(world.host, (config) => config)).rejects.toMatchObject({
    kind: "usage",
    message: `${configPath(world.host)} can't be changed: something in it nests too deep`,
  });
  expect(readFileSync(configPath(world.host), "utf8")).toBe(text);
});

describe("a file that can't be used is named, with its key", () => {
  test.each([
    ["{", "is no JSON"],
    ["[]", ": the whole is not an object"],
    [" ".repeat(1024 * 1024 + 1), "is larger than 1 MiB"],
    ['{"hosts":[]}', ": version is not 1"],
    ['{"version":2}', "was written by a newer ferry"],
    ['{"version":1,"hosts":{}}', ": hosts is not an array"],
    ['{"version":1,"hosts":[{"url":1}]}', ": hosts[0].url is not a string"],
    ['{"version":1,"hosts":[{"url":"x","account":"y","store":"z"}]}', ': hosts[0].store is not "keychain" or "file"'],
  ])("%.40s", async (text, message) => {
    writeFileSync(configPath(world.host), text);
    await expect(readConfig(world.host)).rejects.toMatchObject({
      kind: "usage",
      message: expect.stringContaining(configPath(world.host)) as string,
    });
    await expect(readConfig(world.host)).rejects.toThrow(message);
  });
});

describe("the lock", () => {
  const path = (): string => join(world.folder, "lock");
  const held = (pid: number, startTime: string): void => writeFileSync(path(), JSON.stringify({ pid, startTime, nonce: "n" }));

  test("of a dead process is taken over, by one of many", async () => {
    held(spawnSync("true").pid, "1");
    let inside = 0;
    let most = 0;
    const enter = () =>
      withLock(world.next().host, path(), 10_000, async () => {
        most = Math.max(most, ++inside);
        await world.host.clock.sleep(1);
        inside -= 1;
      });
    await Promise.all(Array.from({ length: 8 }, enter));
    expect(most).toBe(1);
    expect(readdirSync(world.folder).filter((name) => name.startsWith("lock"))).toEqual([]);
  });

  test("of a later process with the same pid is a dead one's, too", async () => {
    held(process.pid, "not its start time");
    expect(await withLock(world.host, path(), 0, async () => "in")).toBe("in");
  });

  test("of a living one is waited for, and then told", async () => {
    held(process.pid, (await world.host.processes.startTime(process.pid)) ?? "");
    await expect(withLock(world.host, path(), 60, async () => undefined)).rejects.toMatchObject({ kind: "unavailable" });
  });

  const ago = (seconds: number): void => utimesSync(path(), Date.now() / 1000 - seconds, Date.now() / 1000 - seconds);

  test.each([
    ["is empty, and of now", "", 0, false],
    ["is empty, and older", "", 5, true],
    ["is empty, and of the future", "", -3600, true],
    ["is of another PID namespace or boot, and of now", "elsewhere", 0, false],
    ["is of another one, and old", "elsewhere", 90, true],
    ["is of another one, and of the future", "elsewhere", -3600, true],
  ])("that %s", async (_, space, seconds, free) => {
    writeFileSync(path(), space === "" ? "" : JSON.stringify({ pid: process.pid, startTime: "1", nonce: "n", space }));
    ago(seconds);
    const entered = await withLock(world.host, path(), 0, async () => true).catch((error: unknown) => asFerryError(error).kind);
    expect(entered).toBe(free ? true : "unavailable");
    if (free) expect(readdirSync(world.folder).filter((name) => name.startsWith("lock"))).toEqual([]);
  });

  test("sweeps what others left that were killed while they took it, and not what they are at", async () => {
    for (const name of ["lock.0123456789ab", "lock.after-aa", "lock.0123456789cd", "lock.mine"])
      writeFileSync(join(world.folder, name), "");
    for (const name of ["lock.0123456789ab", "lock.after-aa", "lock.mine"]) utimesSync(join(world.folder, name), 1, 1);
    await withLock(world.host, path(), 0, async () => undefined);
    expect(
      readdirSync(world.folder)
        .filter((name) => name.startsWith("lock"))
        .sort(),
    ).toEqual(["lock.0123456789cd", "lock.mine"]);
  });

  test("is free again after a failure", async () => {
    await expect(withLock(world.host, path(), 0, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await withLock(world.host, path(), 0, async () => "in")).toBe("in");
  });
});

test.skipIf(process.platform === "win32")(
  "one that the system doesn't let be read names its owner, and what gives it back",
  async () => {
    const path = configPath(world.host);
    writeFileSync(path, "{}");
    const read = (uid: number, files: Partial<Files> = {}) => {
      const denied = () => Promise.reject(forbidden(path));
      return readConfig({ ...world.host, uid, files: { ...world.host.files, readText: denied, ...files } });
    };
    const { uid } = statSync(path);
    await expect(read(uid)).rejects.toMatchObject({ hint: `let yourself read it: chmod u+rw ${path}` });
    const owned = (owner: number) => ({
      status: async (of: string) => {
        const status = await world.host.files.status(of);
        return status && { ...status, uid: owner };
      },
    });
    await expect(read(1000, owned(0))).rejects.toMatchObject({
      message: `can't read ${path}: permission denied`,
      hint: `${path} belongs to root: sudo chown 1000 ${path}`,
    });
    // What lies in a folder that can't be entered isn't seen.
    const folder = join(world.folder, "config");
    const shut = {
      realPath: (of: string) => Promise.reject(forbidden(of)),
      status: async (of: string) => (of === path ? Promise.reject(forbidden(of)) : owned(0).status(of)),
    };
    for (const use of [readConfig, checkConfig, (host: Host) => updateConfig(host, (config) => config)])
      await expect(use({ ...world.host, uid: 1000, files: { ...world.host.files, ...shut } })).rejects.toMatchObject({
        hint: `${folder} belongs to root: sudo chown -R 1000 ${folder}`,
      });
  },
);

function forbidden(path: string): FerryError {
  const cause = Object.assign(new Error("EACCES: permission denied, open"), { code: "EACCES" });
  return new FerryError("failure", `can't read ${path}: permission denied`, { cause });
}

test("what is remembered of a host is in nobody's way where it can't be read or written, or is no object", async () => {
  const memory = makeMemory(world.host, "https://a.example");
  await memory.set("key-form", "bearer");
  const folder = join(world.folder, "state", "hosts");
  const [name = ""] = readdirSync(folder);
  const denied = () => Promise.reject(forbidden(folder));
  const files = { ...world.host.files, readText: denied, realPath: denied };
  const locked = makeMemory({ ...world.host, files }, "https://a.example");
  expect(await locked.get("key-form")).toBeUndefined();
  await locked.set("key-form", "x");
  expect(await memory.get("key-form")).toBe("bearer");
  writeFileSync(join(folder, name), "null");
  expect(await memory.get("key-form")).toBeUndefined();
});

test("what is remembered of a host is its own, and damage is forgotten", async () => {
  const [one, other] = [makeMemory(world.host, "https://a.example"), makeMemory(world.host, "https://b.example")];
  await one.set("key-form", "bearer");
  expect([await one.get("key-form"), await other.get("key-form")]).toEqual(["bearer", undefined]);
  const folder = join(world.folder, "state", "hosts");
  writeFileSync(join(folder, readdirSync(folder)[0] ?? ""), "{");
  expect(await one.get("key-form")).toBeUndefined();
  await one.set("key-form", "x");
  await one.set("key-form", undefined);
  expect(await one.get("key-form")).toBeUndefined();
});
