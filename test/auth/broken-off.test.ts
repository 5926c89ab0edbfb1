import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemFiles } from "../../src/host/files.ts";
import type { Files, Host, SecretStore } from "../../src/host/host.ts";
import { asDead, dead } from "../support/dead.ts";
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

/** A login that is killed while it puts the file in place that it writes as its `at`th. */
async function killedAt(at: number): Promise<void> {
  let written = 0;
  let killed = (): void => undefined;
  const gone = new Promise<void>((resolve) => (killed = resolve));
  const dying = (files: Files): Files => ({
    ...files,
    async write(path, data, mode) {
      if (++written < at) return files.write(path, data, mode);
      await files.create(`${path}.0123456789ab`, data);
      killed();
      return new Promise(() => undefined);
    },
  });
  void scene.login(scene.approve, { env: inFile, change: (host) => asDead({ ...host, files: dying(host.files) }) });
  await gone;
}

const inFile = { FERRY_CREDENTIAL_STORE: "file" };
const files = () => readdirSync(join(world.folder, "config")).sort();

/** A login whose process was killed after the key was stored and before it was entered among the logins. */
async function brokenOff(pid = dead): Promise<void> {
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
    { pending: [{ url: server.origin, account: "", store: "keychain", minted: true }, { store: "file" }] },
  ]);
  expect(config()).not.toHaveProperty("pending");
});

function spoilAtRedeeming(trouble: "locked" | "timeout"): void {
  server.answers.set("/token", async (request) => {
    server.answers.delete("/token");
    world.keychain.trouble = trouble;
    return server.send(request);
  });
}

test("a login that could not store its key leaves nothing pending", async () => {
  spoilAtRedeeming("locked");
  expect((await scene.login()).code).toBe(4);
  expect(config()).not.toHaveProperty("pending");
});

test.each(["locked", "timeout"] as const)(
  "a keychain that is %s ends a login before the browser opens; where it is so only then, before a key is made; or the key is ended, too",
  async (trouble) => {
    world.keychain.trouble = trouble;
    expect(await scene.login()).toEqual({ code: 4, stdout: "", stderr: `ferry: the keychain is ${trouble}\n` });
    expect(world.opened).toEqual([]);
    world.keychain.trouble = undefined;
    const later = await scene.login((url) => {
      world.keychain.trouble = trouble;
      world.keychain.asked = 0;
      scene.approve(url);
    });
    expect(later.stderr).toContain(`the keychain is ${trouble}`);
    expect([world.keychain.asked, server.given]).toEqual([1, []]);
    world.keychain.trouble = undefined;
    spoilAtRedeeming(trouble);
    expect((await scene.login()).stderr).toContain(`the keychain is ${trouble}`);
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
    stderr: "ended an earlier login to agents.example.com (ada@example.com)\n",
  });
  expect(server.revoked).toEqual(["key-1"]);
  expect(world.keychain.items.size).toBe(0);
  expect((await ferry(world.next(), "logout")).stderr).toContain("not logged in anywhere");
});

test("and logout tells it in JSON, too", async () => {
  await brokenOff();
  const ended = [{ host: server.origin, account: "ada@example.com", workspace: "test", key_id: null }];
  const only = await ferry(world.next(), "logout", "--json");
  expect([only.code, JSON.parse(only.stdout)]).toEqual([
    0,
    { host: null, account: null, workspace: null, key_id: null, deleted: false, revoked: false, broken_off: ended },
  ]);
  expect(await scene.login()).toMatchObject({ code: 0 });
  expect(JSON.parse((await ferry(world.next(), "logout", "--json")).stdout)).toEqual({
    ...{ host: server.origin, account: "ada@example.com", workspace: "test", key_id: null, deleted: true, revoked: true },
    broken_off: [],
  });
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

describe.each(["nothing", "a login", "a login with a pasted key"])("a login after %s that is killed", (before) => {
  beforeEach(async () => {
    server.given.push("pasted");
    if (before === "a login") await scene.login(scene.approve, { env: inFile });
    if (before === "a login with a pasted key")
      await ferry(world.next({ env: inFile }, { stdin: "pasted" }), "login", "--host", server.origin, "--with-token");
  });

  // The note, the key and the login; with an earlier one, its key's end and that of its note.
  test.each(before === "nothing" ? [1, 2, 3] : [1, 2, 3, 4, 5])("at the %dth file leaves no valid key", async (at) => {
    await killedAt(at);
    const first = await scene.login(scene.approve, { env: inFile });
    expect(first.code).toBe(0);
    expect(files()).toEqual(["config.json", "credentials.json"]);
    expect(config()).not.toHaveProperty("pending");
    expect((await ferry(world.next({ env: inFile }), "logout")).code).toBe(0);
    const made = server.given.filter((key) => key !== "pasted");
    const lost = made.filter((key) => !server.revoked.includes(key));
    expect(lost).toEqual([]);
    // Where not even the note was in place nobody knows that the code was not redeemed yet.
    expect(first.stderr.includes("is lost and still valid")).toBe(at === 1);
    expect(server.revoked).not.toContain("pasted");
  });
});

test("as many keys as may be lost are told of", async () => {
  expect(await scene.login(scene.approve, { env: inFile })).toMatchObject({ code: 0 });
  const by = { pid: dead, startTime: "another" };
  const pending = ["a", "b"].map((item) => ({ url: server.origin, account: "", store: "file", minted: true, item, by }));
  writeFileSync(configPath(), JSON.stringify({ ...config(), pending }));
  const there = world.next({ env: inFile });
  expect((await ferry({ ...there, host: asDead(there.host) }, "logout")).stderr).toContain(
    "2 logins to agents.example.com were broken off, and their keys, where any were made and not ended by then, are lost and still valid: revoke them in the portal there\n",
  );
});

test("the key of a first login that was killed is found by logout as well, wherever it was", async () => {
  await killedAt(1);
  const { code, stderr } = await ferry(world.next({ env: inFile }), "logout");
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr:
      "a login to agents.example.com was broken off, and its key, where one was made and not ended by then, is lost and still valid: revoke it in the portal there\n" +
      "ended a login to agents.example.com that was broken off\n",
  });
  await killedAt(2);
  expect((await ferry(world.next({ env: inFile }), "logout")).code).toBe(0);
  expect(server.revoked).toEqual(["key-1"]);
  expect(files()).toEqual(["config.json", "credentials.json"]);
});

test("a kill while the service is asked who the key is: the key is ended by the next login", async () => {
  let asked = (): void => undefined;
  const reached = new Promise<void>((resolve) => (asked = resolve));
  server.answers.set("/api/v1/cli", () => {
    asked();
    return new Promise(() => undefined);
  });
  void scene.login(scene.approve, { change: asDead });
  await reached;
  server.answers.delete("/api/v1/cli");
  expect((await scene.login()).code).toBe(0);
  expect(server.revoked).toEqual(["key-1"]);
  expect([...world.keychain.items.values()]).toEqual(["key-2"]);
});

test("one of another PID namespace, boot or machine is left alone until it is old", async () => {
  await brokenOff(process.pid);
  const note = (minutes: number) => {
    const since = Date.UTC(2026, 0, 1) - minutes * 60_000;
    const [pending = {}] = config().pending ?? [];
    const by = { pid: process.pid, startTime: "1", space: "pid:[1] elsewhere" };
    writeFileSync(configPath(), JSON.stringify({ ...config(), pending: [{ ...pending, by, since }] }));
  };
  note(9);
  expect((await ferry(world.next(), "logout")).stderr).toContain("not logged in anywhere");
  expect(world.keychain.items.size).toBe(1);
  note(11);
  expect((await ferry(world.next(), "logout")).code).toBe(0);
  expect(server.revoked).toEqual(["key-1"]);
});

test("one of before this machine's last boot is ended at once; what another boot of another machine has is left alone", async () => {
  await brokenOff(process.pid);
  const startTime = await world.host.processes.startTime(process.pid);
  const [pending = {}] = config().pending ?? [];
  const logout = async (theirs: string) => {
    const by = { pid: process.pid, startTime, space: theirs };
    writeFileSync(configPath(), JSON.stringify({ ...config(), pending: [{ ...pending, by, since: Date.UTC(2026, 0, 1) }] }));
    const there = world.next();
    const processes = { ...there.host.processes, space: async () => "pid:[1] today machine/here" };
    return (await ferry({ ...there, host: { ...there.host, processes } }, "logout")).code;
  };
  for (const alive of [
    "pid:[1] today machine/here",
    "pid:[1] today",
    "pid:[2] today machine/here",
    "pid:[1] before",
    "pid:[1] before machine/there",
  ])
    expect([alive, await logout(alive)]).toEqual([alive, 4]);
  expect(server.revoked).toEqual([]);
  expect(await logout("pid:[1] before machine/here")).toBe(0);
  expect(server.revoked).toEqual(["key-1"]);
});

test("a keychain that is silent is asked once, however many logins were broken off", async () => {
  expect(await scene.login()).toMatchObject({ code: 0 });
  const [entry] = config().hosts;
  const by = { pid: dead, startTime: "another" };
  const pending = ["a", "b", "c"].map((item) => ({ ...entry, item, by }));
  writeFileSync(configPath(), JSON.stringify({ ...config(), pending }));
  world.keychain.trouble = "timeout";
  world.keychain.asked = 0;
  const ended = world.next();
  const { code, stderr } = await ferry({ ...ended, host: asDead(ended.host) }, "logout");
  expect({ code, asked: world.keychain.asked }).toEqual({ code: 4, asked: 1 });
  expect(stderr).toBe(
    "the key of an earlier login to agents.example.com (ada@example.com) may still be in the keychain (the keychain is timeout)\n" +
      "ferry: the keychain is timeout\n" +
      "  hint: try again, or drop the login all the same: ferry logout --forget --host agents.example.com\n",
  );
  world.keychain.trouble = undefined;
  expect((await ferry(world.next(), "logout")).code).toBe(0);
  expect(server.revoked).toEqual(["key-1"]);
  expect(config()).not.toHaveProperty("pending");
});

test("a file that could not be filled, on a full disk, is not left empty: as a lock nobody would hold it", async () => {
  const path = join(world.folder, "a.lock");
  // Nothing that can be written fails as a disk does that is full.
  await expect(systemFiles.create(path, 5 as unknown as string)).rejects.toThrow("can't write");
  expect(await systemFiles.status(path)).toBeUndefined();
});

test("what is noted of a keychain that is gone is told with the way out, which --forget is", async () => {
  await brokenOff(dead - 1);
  world.keychain.trouble = "unavailable";
  const there = world.next();
  expect((await ferry({ ...there, host: asDead(there.host) }, "logout")).stderr).toContain(
    "may still be in the keychain (the keychain is unavailable); to hear no more of it: ferry logout --forget\n",
  );
  expect(await ferry(world.next(), "logout", "--forget")).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("forgot an earlier login to agents.example.com") as string,
  });
  expect(config()).not.toHaveProperty("pending");
  expect((await ferry(world.next(), "logout")).stderr).toBe("ferry: not logged in anywhere\n");
});
