import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AccountRecord } from "../../src/service/store/identity/account-store.ts";
import { openSqlStore } from "../../src/service/store/sql-store.ts";
import type { Store } from "../../src/service/store/store.ts";
import { engines, type Engine } from "../support/engines.ts";
import { time } from "../support/records.ts";

const account = (name: string): AccountRecord => ({ user_id: `usr_${name}`, name, password: `$${name}`, created_at: time(1) });

describe.each(Object.entries(engines))("accounts in the store over %s", (_, makeEngine) => {
  let engine: Engine;
  let store: Store;
  beforeEach(async () => {
    engine = await makeEngine();
    store = await openSqlStore(await engine.open(), () => ({ id: "wsp_1", name: "local" }));
    for (const name of ["bob", "ada"]) await store.accounts.add(account(name));
  });
  afterEach(async () => {
    await store.close();
    await engine.clear();
  });

  async function use(name: string): Promise<void> {
    const user_id = `usr_${name}`;
    const [expires_at, scopes] = [time(50), ["all:all"] as const];
    const key = { name: "k", user_id, scopes, expires_at: null, created_at: time(2) };
    await store.keys.insert({ ...key, id: `key_${name}`, hash: name, revoked_at: null });
    await store.keys.insert({ ...key, id: `key_old_${name}`, hash: `old ${name}`, revoked_at: time(3) });
    await store.logins.insertSignIn({ hash: name, user_id, expires_at });
    await store.logins.insertCode({
      ...{ hash: name, client_id: "c", redirect_uri: "r", challenge: "c", user_id, scopes, key_name: "k", expires_at },
      key_id: null,
    });
    await store.logins.insertDevice({
      ...{ hash: name, user_code: name, client_id: "c", scopes, device_name: "", device_system: "", client_version: "" },
      ...{ state: "approved", user_id, interval_seconds: 5, polled_at: null, expires_at },
    });
  }

  test("are found by name and listed by it, each with a user", async () => {
    expect(await store.accounts.find("ada")).toEqual(account("ada"));
    expect(await store.accounts.find("eve")).toBeUndefined();
    expect((await store.accounts.list()).map(({ name }) => name)).toEqual(["ada", "bob"]);
    expect(await store.keys.findUser("usr_ada")).toEqual({ id: "usr_ada", name: "ada", email: "" });
  });

  test("a name is one user's, and the refused one isn't made", async () => {
    const second = { ...account("ada"), user_id: "usr_second" };
    await expect(store.accounts.add(second)).rejects.toMatchObject({ kind: "usage", message: "there is a user ada already" });
    await expect(store.accounts.requireFree("ada")).rejects.toMatchObject({ message: "there is a user ada already" });
    await store.accounts.requireFree("eve");
    expect(await store.keys.findUser("usr_second")).toBeUndefined();
    expect(await store.accounts.find("ada")).toEqual(account("ada"));
  });

  test("nor what the service's own user is called, and a name is free again", async () => {
    await store.keys.insertUser({ id: "usr_local", name: "srv", email: "" });
    const refused = { kind: "usage", message: "srv is what the service's own user is called" };
    await expect(store.accounts.add(account("srv"))).rejects.toMatchObject(refused);
    await expect(store.accounts.requireFree("srv")).rejects.toMatchObject(refused);
    expect([await store.accounts.find("srv"), await store.keys.findUser("usr_srv")]).toEqual([undefined, undefined]);
    await store.accounts.remove("ada", time(9));
    await store.accounts.add({ ...account("ada"), user_id: "usr_other" });
    expect((await store.accounts.find("ada"))?.user_id).toBe("usr_other");
  });

  test("a new password signs the user's browsers out, and nothing else", async () => {
    for (const name of ["ada", "bob"]) await use(name);
    expect(await store.accounts.setPassword("ada", "$new")).toBe(true);
    expect(await store.accounts.setPassword("eve", "$new")).toBe(false);
    expect((await store.accounts.find("ada"))?.password).toBe("$new");
    expect([await store.logins.findSignIn("ada"), await store.logins.findSignIn("bob")]).toMatchObject([
      undefined,
      { hash: "bob" },
    ]);
    expect((await store.keys.find("key_ada"))?.revoked_at).toBeNull();
  });

  test("with one that is removed all ends that it can do, and the name is free", async () => {
    for (const name of ["ada", "bob"]) await use(name);
    expect(await store.accounts.remove("ada", time(9))).toBe(true);
    expect(await store.accounts.remove("ada", time(9))).toBe(false);
    const left = async (name: string) => [
      await store.keys.findUser(`usr_${name}`),
      await store.accounts.find(name),
      await store.logins.findSignIn(name),
      await store.logins.findCode(name),
      await store.logins.findDevice(name),
    ];
    expect(await left("ada")).toEqual(Array(5).fill(undefined));
    expect(await left("bob")).not.toContain(undefined);
    const ended = async (id: string) => (await store.keys.find(id))?.revoked_at;
    expect([await ended("key_ada"), await ended("key_old_ada"), await ended("key_bob")]).toEqual([time(9), time(3), null]);
    await store.accounts.add({ ...account("ada"), user_id: "usr_second" });
    expect((await store.accounts.find("ada"))?.user_id).toBe("usr_second");
  });
});
