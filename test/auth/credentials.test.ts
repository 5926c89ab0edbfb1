import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Credentials, type Login, makeCredentials } from "../../src/auth/credentials.ts";
import type { Host } from "../../src/host/host.ts";
import { makeWorld, type World } from "../support/world.ts";

const login = { url: "https://agents.example.com", account: "ada@example.com" };

let world: World;
beforeEach(() => {
  world = makeWorld();
  heard.length = 0;
});
afterEach(() => world.dispose());

const credentials = (env = {}) =>
  makeCredentials(world.next({ env: { ...world.host.env, ...env } }).host, join(world.folder, "config"));
const heard: string[] = [];
const listening = (change: Partial<Host> = {}) =>
  makeCredentials(
    { ...world.next({ env: { ...world.host.env, FERRY_CREDENTIAL_STORE: "file" } }).host, ...change },
    join(world.folder, "config"),
    async (line) => void heard.push(line),
  );
const keep = async (to: Credentials, item: Pick<Login, "url" | "account">, key: string) => to.save(item, key, await to.places());
const path = () => join(world.folder, "config", "credentials.json");

test("the keychain is the first choice", async () => {
  expect(await keep(credentials(), login, "k1")).toEqual({ store: "keychain" });
  expect(await credentials().read({ ...login, store: "keychain" })).toBe("k1");
  expect(await credentials().delete({ ...login, store: "keychain" })).toBe(true);
  expect(world.keychain.items.size).toBe(0);
});

test.each(["file", ""])("a file of keys that takes none is found out before there is one to keep (%j)", async (store) => {
  world.keychain.trouble = "unavailable";
  const wanted = store === "" ? {} : { FERRY_CREDENTIAL_STORE: store };
  await credentials(wanted).check();
  mkdirSync(join(world.folder, "config"), { recursive: true });
  writeFileSync(path(), "{", { mode: 0o600 });
  await expect(credentials(wanted).check()).rejects.toMatchObject({ message: `${path()} is damaged` });
  world.keychain.trouble = undefined;
  if (store === "") await credentials(wanted).check();
});

test("without one the file is, with a warning that names it", async () => {
  world.keychain.trouble = "unavailable";
  const { store, warning } = await keep(credentials(), login, "k1");
  expect(store).toBe("file");
  expect(warning).toContain(path());
  expect(await credentials().read({ ...login, store: "file" })).toBe("k1");
});

test("a key is put nowhere else than where it was said to go, whatever comes or goes meanwhile", async () => {
  world.keychain.trouble = "unavailable";
  const places = await credentials().places();
  expect(places).toEqual({ stores: ["file"], lack: "the keychain is unavailable" });
  world.keychain.trouble = undefined;
  expect(await credentials().save(login, "k1", places)).toEqual({
    store: "file",
    warning: `the keychain is unavailable; the key is kept in ${path()}, readable only by you`,
  });
  expect(world.keychain.items.size).toBe(0);
  expect(await credentials().places()).toEqual({ stores: ["keychain", "file"] });
  for (const trouble of ["locked", "timeout"] as const) {
    world.keychain.trouble = trouble;
    await expect(credentials().places()).rejects.toMatchObject({ kind: "auth", code: trouble });
  }
  expect(await credentials({ FERRY_CREDENTIAL_STORE: "keychain" }).places()).toEqual({ stores: ["keychain"] });
});

test("FERRY_CREDENTIAL_STORE=file chooses it quietly, =keychain makes its absence an error", async () => {
  expect(await keep(credentials({ FERRY_CREDENTIAL_STORE: "file" }), login, "k1")).toEqual({ store: "file" });
  world.keychain.trouble = "unavailable";
  await expect(keep(credentials({ FERRY_CREDENTIAL_STORE: "keychain" }), login, "k1")).rejects.toMatchObject({ kind: "auth" });
  await expect(keep(credentials({ FERRY_CREDENTIAL_STORE: "cloud" }), login, "k1")).rejects.toMatchObject({ kind: "usage" });
});

describe("a keychain that is there but unwilling", () => {
  test.each(["locked", "timeout"] as const)("%s is told, and not taken for an absent one", async (trouble) => {
    world.keychain.trouble = trouble;
    const places = { stores: ["keychain", "file"] } as const;
    await expect(credentials().save(login, "k1", places)).rejects.toMatchObject({ kind: "auth", code: trouble });
    await expect(credentials().read({ ...login, store: "keychain" })).rejects.toMatchObject({ kind: "auth", code: trouble });
  });

  test("one that forgets is found out at once", async () => {
    world.keychain.forgetful = true;
    await expect(keep(credentials(), login, "k1")).rejects.toMatchObject({
      kind: "auth",
      message: "the keychain did not keep the key",
    });
  });
});

test("a key that was deleted by hand says how to log in again", async () => {
  await expect(credentials().read({ ...login, store: "keychain" })).rejects.toMatchObject({
    kind: "auth",
    hint: "ferry login --host https://agents.example.com",
  });
});

describe("the file", () => {
  const quiet = { FERRY_CREDENTIAL_STORE: "file" };

  test("is its owner's alone, again after each write, whatever it was", async () => {
    await keep(credentials(quiet), login, "k1");
    expect(statSync(path()).mode & 0o777).toBe(0o600);
    expect(statSync(join(world.folder, "config")).mode & 0o777).toBe(0o700);
    chmodSync(path(), 0o644);
    await keep(credentials(quiet), login, "k2");
    expect(statSync(path()).mode & 0o777).toBe(0o600);
  });

  test.runIf(process.platform !== "win32")(
    "that others could read is shut at the next reading, and that is said once",
    async () => {
      await keep(listening(), login, "k1");
      chmodSync(path(), 0o640);
      const stored = { ...login, store: "file" } as const;
      expect(await listening().read(stored)).toBe("k1");
      expect(statSync(path()).mode & 0o777).toBe(0o600);
      expect(await listening().read(stored)).toBe("k1");
      expect(heard).toEqual([
        `${path()} could be read by others on this machine, and is shut now: if anybody may have looked, make new keys`,
      ]);
    },
  );

  test.runIf(process.platform !== "win32")("that is a link, or no file, is neither read nor written", async () => {
    const target = join(world.folder, "elsewhere.json");
    writeFileSync(target, JSON.stringify({ ferry: { [`${login.account} ${login.url}`]: "planted" } }), { mode: 0o600 });
    mkdirSync(join(world.folder, "config"));
    symlinkSync(target, path());
    const refused = {
      kind: "auth",
      message: `${path()} is a link: keys are kept in a file of your own`,
      hint: "remove it and log in again",
    };
    await expect(listening().read({ ...login, store: "file" })).rejects.toMatchObject(refused);
    await expect(keep(listening(), login, "k1")).rejects.toMatchObject(refused);
    await expect(listening().delete({ ...login, store: "file" })).rejects.toMatchObject(refused);
    expect(readFileSync(target, "utf8")).toContain("planted");
    rmSync(path());
    mkdirSync(path());
    await expect(keep(listening(), login, "k1")).rejects.toMatchObject({
      message: expect.stringContaining("is no file") as string,
    });
    rmSync(path(), { recursive: true });
    expect(await keep(listening(), login, "k1")).toEqual({ store: "file" });
  });

  test.runIf(process.getuid?.() === 0)("of somebody else is neither read nor written", async () => {
    await keep(listening(), login, "k1");
    chownSync(path(), 12345, 12345);
    const refused = { kind: "auth", message: `${path()} belongs to somebody else` };
    await expect(listening().read({ ...login, store: "file" })).rejects.toMatchObject(refused);
    await expect(keep(listening(), login, "k2")).rejects.toMatchObject(refused);
  });

  test("on a file system without modes is used, and login says that others can read it", async () => {
    const { files } = world.host;
    const status = async (file: string) => {
      const found = await files.status(file);
      return found && { ...found, mode: 0o777 };
    };
    const modeless = listening({ platform: "linux", files: { ...files, status, shut: async () => false } });
    const open = `which others on this machine can read: its file system keeps no modes`;
    expect(await keep(modeless, login, "k1")).toEqual({ store: "file", warning: `the key is kept in ${path()}, ${open}` });
    expect(await modeless.read({ ...login, store: "file" })).toBe("k1");
    expect(heard).toEqual([]);
  });

  test("has its folder to itself, also where that was there before, but shuts nobody else's", async () => {
    const folder = join(world.folder, "config");
    const modeAfterLogin = async () => {
      await keep(credentials(quiet), login, "k1");
      return statSync(folder).mode & 0o777;
    };
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    writeFileSync(join(folder, "config.json"), "{}");
    expect(await modeAfterLogin()).toBe(0o700);

    chmodSync(folder, 0o755);
    writeFileSync(join(folder, "letter.txt"), "");
    expect(await modeAfterLogin()).toBe(0o755);

    rmSync(folder, { recursive: true });
    const elsewhere = join(world.folder, "elsewhere");
    mkdirSync(elsewhere);
    chmodSync(elsewhere, 0o755);
    symlinkSync(elsewhere, folder);
    expect(await modeAfterLogin()).toBe(0o755);
  });

  test.runIf(process.platform !== "win32")(
    "in a folder that anybody could write in: it is shut, or said to be open",
    async () => {
      const folder = join(world.folder, "config");
      const stored = { ...login, store: "file" } as const;
      await keep(listening(), login, "k1");
      chmodSync(folder, 0o777);
      expect(await listening().read(stored)).toBe("k1");
      expect(statSync(folder).mode & 0o777).toBe(0o700);
      expect(heard).toEqual([expect.stringContaining(`could write in ${folder}, and it is shut now`)]);
      heard.length = 0;
      writeFileSync(join(folder, "letter.txt"), "");
      chmodSync(folder, 0o777);
      await listening().read(stored);
      expect(statSync(folder).mode & 0o777).toBe(0o777);
      expect(heard).toEqual([expect.stringContaining(`can write in ${folder}, and so choose whose keys are used`)]);
    },
  );

  test.runIf(process.getuid?.() === 0)("in a folder of somebody else is neither read nor written", async () => {
    await keep(listening(), login, "k1");
    chownSync(join(world.folder, "config"), 12345, 12345);
    const refused = { kind: "auth", message: `${join(world.folder, "config")} belongs to somebody else` };
    await expect(listening().read({ ...login, store: "file" })).rejects.toMatchObject(refused);
    await expect(keep(listening(), login, "k2")).rejects.toMatchObject(refused);
  });

  test("keeps the keys of other hosts and accounts", async () => {
    const other = { ...login, url: "https://other.example.com" };
    await keep(credentials(quiet), login, "k1");
    await keep(credentials(quiet), other, "k2");
    await credentials(quiet).delete({ ...login, store: "file" });
    expect(await credentials(quiet).read({ ...other, store: "file" })).toBe("k2");
    expect(readFileSync(path(), "utf8")).not.toContain("k1");
  });

  test("loses no key where many log in and out at once", async () => {
    const hosts = Array.from({ length: 8 }, (_, at) => ({ ...login, url: `https://agents-${at}.example.com` }));
    const leaving = { ...login, url: "https://old.example.com" };
    await keep(credentials(quiet), leaving, "old");
    await Promise.all([
      ...hosts.map((host) => keep(credentials(quiet), host, `key of ${host.url}`)),
      credentials(quiet).delete({ ...leaving, store: "file" }),
    ]);
    for (const host of hosts) expect(await credentials(quiet).read({ ...host, store: "file" })).toBe(`key of ${host.url}`);
    expect(readFileSync(path(), "utf8")).not.toContain("old");
    expect(readdirSync(join(world.folder, "config"))).toEqual(["credentials.json"]);
  });

  test("damaged is one clear line", async () => {
    await keep(credentials(quiet), login, "k1");
    for (const damage of ["{", "[]", `{"ferry":{"x":1}}`]) {
      writeFileSync(path(), damage);
      await expect(credentials(quiet).read({ ...login, store: "file" })).rejects.toMatchObject({
        kind: "auth",
        message: `${path()} is damaged`,
      });
    }
  });
});
