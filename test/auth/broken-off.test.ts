import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemFiles } from "../../src/host/files.ts";
import type { Host, SecretStore } from "../../src/host/host.ts";
import { ferry } from "../support/ferry.ts";
import { type ForeignLogin, makeForeignLogin } from "../support/foreign-login.ts";
import type { LoginServer } from "../support/login-server.ts";
import type { World } from "../support/world.ts";

let scene: ForeignLogin;
let world: World;
let server: LoginServer;
beforeEach(() => {
  scene = makeForeignLogin();
  ({ world, server } = scene);
});
afterEach(() => world.dispose());

interface Written {
  hosts: object[];
  pending?: object[];
}

const configPath = () => join(world.folder, "config", "config.json");
const config = () => JSON.parse(readFileSync(configPath(), "utf8")) as Written;

/** A login whose process was killed after the key was stored and before it was entered among the logins. */
async function brokenOff(pid = 999_999_999): Promise<void> {
  expect(await scene.login()).toMatchObject({ code: 0 });
  const { hosts, ...rest } = config();
  writeFileSync(
    configPath(),
    JSON.stringify({ ...rest, hosts: [], pending: hosts.map((entry) => ({ ...entry, by: { pid, startTime: "1" } })) }),
  );
}

test("where a key is about to be is written down before it is there, and struck out afterwards", async () => {
  const seen: Written[] = [];
  const change = (host: Host): Host => {
    const watched = (store: SecretStore): SecretStore => ({
      ...store,
      async setPassword(...given) {
        // The probe before the browser opens is no key.
        if (existsSync(configPath())) seen.push(config());
        await store.setPassword(...given);
      },
    });
    return { ...host, secrets: { ...host.secrets, keychain: (patience) => watched(host.secrets.keychain(patience)) } };
  };
  expect(await scene.login(scene.approve, { change })).toMatchObject({ code: 0 });
  expect(seen).toMatchObject([
    { pending: [{ url: server.origin, account: "ada@example.com", store: "keychain", minted: true }, { store: "file" }] },
  ]);
  expect(config()).not.toHaveProperty("pending");
});

test("a login that could not store its key leaves nothing pending", async () => {
  const lockedMeanwhile = (url: string): void => {
    world.keychain.trouble = "locked";
    scene.approve(url);
  };
  expect((await scene.login(lockedMeanwhile)).code).toBe(4);
  expect(config()).not.toHaveProperty("pending");
});

test.each(["locked", "timeout"] as const)(
  "a keychain that is %s ends a login before the browser opens; where it is so only then, the key is ended, too",
  async (trouble) => {
    world.keychain.trouble = trouble;
    expect([await scene.login(), world.opened]).toEqual([
      { code: 4, stdout: "", stderr: `ferry: the keychain is ${trouble}\n` },
      [],
    ]);
    world.keychain.trouble = undefined;
    const later = await scene.login((url) => {
      world.keychain.trouble = trouble;
      scene.approve(url);
    });
    expect(later.stderr).toContain(`the keychain is ${trouble}`);
    expect([server.given.length, server.revoked]).toEqual([1, server.given]);
  },
);

test("the key of a login that was killed is revoked and deleted by the next login", async () => {
  await brokenOff();
  expect(await scene.login()).toMatchObject({ code: 0 });
  expect(server.revoked).toEqual(["key-1"]);
  expect([...world.keychain.items.values()]).toEqual(["key-2"]);
  expect(config()).not.toHaveProperty("pending");
});

test("and by logout, also where it was the only one", async () => {
  await brokenOff();
  const { code, stderr } = await ferry(world.next(), "logout");
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: "ended a login to agents.example.com (ada@example.com) that was broken off\n",
  });
  expect(server.revoked).toEqual(["key-1"]);
  expect(world.keychain.items.size).toBe(0);
  expect((await ferry(world.next(), "logout")).stderr).toContain("not logged in anywhere");
});

test("one whose process still runs is left to it", async () => {
  await brokenOff(process.pid);
  const written = config();
  const startTime = await world.host.processes.startTime(process.pid);
  writeFileSync(
    configPath(),
    JSON.stringify({ ...written, pending: written.pending?.map((entry) => ({ ...entry, by: { pid: process.pid, startTime } })) }),
  );
  expect((await ferry(world.next(), "logout")).code).toBe(4);
  expect(server.revoked).toEqual([]);
  expect(world.keychain.items.size).toBe(1);
});

test("what a killed writer left of the file of keys goes with the next change", async () => {
  const env = { FERRY_CREDENTIAL_STORE: "file" };
  await scene.login(scene.approve, { env });
  const stale = join(world.folder, "config", "credentials.json.0123456789ab");
  writeFileSync(stale, "{}");
  await scene.login(scene.approve, { env });
  expect(readdirSync(join(world.folder, "config")).sort()).toEqual(["config.json", "credentials.json"]);
});

test("nor does a logout leave it, where the kill came before any key was stored", async () => {
  const env = { FERRY_CREDENTIAL_STORE: "file" };
  expect(await scene.login(scene.approve, { env })).toMatchObject({ code: 0 });
  const { hosts, ...rest } = config();
  const by = { pid: 999_999_999, startTime: "1" };
  writeFileSync(configPath(), JSON.stringify({ ...rest, hosts: [], pending: hosts.map((entry) => ({ ...entry, by })) }));
  const keys = join(world.folder, "config", "credentials.json");
  renameSync(keys, `${keys}.0123456789ab`);
  expect((await ferry(world.next({ env: { ...world.host.env, ...env } }), "logout")).code).toBe(0);
  expect(readdirSync(join(world.folder, "config")).filter((name) => name.startsWith("credentials.json."))).toEqual([]);
});

test("a file that could not be filled, on a full disk, is not left empty: as a lock nobody would hold it", async () => {
  const path = join(world.folder, "a.lock");
  // Nothing that can be written fails as a disk does that is full.
  await expect(systemFiles.create(path, 5 as unknown as string)).rejects.toThrow("can't write");
  expect(await systemFiles.status(path)).toBeUndefined();
});
