import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CodeRecord, DeviceRecord } from "../../src/service/store/identity/login-store.ts";
import { openSqlStore } from "../../src/service/store/sql-store.ts";
import type { KeyRecord, Store } from "../../src/service/store/store.ts";
import { engines, type Engine } from "../support/engines.ts";
import { ada, time } from "../support/records.ts";

const code: CodeRecord = {
  hash: "c1",
  client_id: "ferry-cli",
  redirect_uri: "http://127.0.0.1:1/callback",
  challenge: "ch",
  user_id: ada.id,
  scopes: ["sessions:all", "all:read"],
  key_name: "ferry on ☃",
  expires_at: time(10),
  key_id: null,
};

const device: DeviceRecord = {
  hash: "d1",
  user_code: "BCDFGHJK",
  client_id: "ferry-cli",
  scopes: ["sessions:read"],
  device_name: "ada's",
  device_system: "Linux",
  client_version: "1",
  state: "pending",
  user_id: null,
  interval_seconds: 5,
  polled_at: null,
  expires_at: time(10),
};

const key = (number: number, change: Partial<KeyRecord> = {}): KeyRecord => ({
  id: `key_${number}`,
  name: "k",
  user_id: ada.id,
  hash: `h${number}`,
  scopes: ["all:all"],
  expires_at: null,
  revoked_at: null,
  created_at: time(number),
  ...change,
});

/** As it comes back: with whose it is. */
const kept = (...given: Parameters<typeof key>) => ({ ...key(...given), user_name: ada.name });

describe.each(Object.entries(engines))("keys and logins in the store over %s", (_, makeEngine) => {
  let engine: Engine;
  let store: Store;
  beforeEach(async () => {
    engine = await makeEngine();
    store = await openSqlStore(await engine.open(), () => ({ id: "wsp_1", name: "local" }));
    await store.keys.insertUser(ada);
  });
  afterEach(async () => {
    await store.close();
    await engine.clear();
  });

  test("keys are listed newest first, page by page, and found by id", async () => {
    for (const number of [1, 2, 3]) await store.keys.insert(key(number));
    const first = await store.keys.list({ limit: 2 });
    expect(first.items).toEqual([kept(3), kept(2)]);
    expect(await store.keys.list({ limit: 2, cursor: first.next_cursor })).toEqual({ items: [kept(1)], next_cursor: "" });
    expect(await store.keys.find("key_2")).toEqual(kept(2));
    expect(await store.keys.find("key_9")).toBeUndefined();
  });

  test("a key is revoked once, at its first time", async () => {
    await store.keys.insert(key(1));
    expect(await store.keys.revoke("key_1", time(5))).toEqual(kept(1, { revoked_at: time(5) }));
    expect(await store.keys.revoke("key_1", time(6))).toEqual(kept(1, { revoked_at: time(5) }));
    expect(await store.keys.revoke("key_9", time(5))).toBeUndefined();
  });

  test("a code comes back as it was, and is redeemed once, also by many at once", async () => {
    await store.logins.insertCode(code);
    expect(await store.logins.findCode("c1")).toEqual(code);
    const outcomes = await Promise.all(["key_1", "key_2", "key_3"].map((id) => store.logins.redeemCode("c1", id)));
    expect(outcomes.filter(Boolean)).toHaveLength(1);
    expect((await store.logins.findCode("c1"))?.key_id).toBe(`key_${outcomes.indexOf(true) + 1}`);
    expect(await store.logins.redeemCode("none", "key_1")).toBe(false);
  });

  test("a device goes from state to state, and never back", async () => {
    const { logins } = store;
    await logins.insertDevice(device);
    expect(await logins.findDevice("d1")).toEqual(device);
    expect(await logins.findDeviceByUserCode("BCDFGHJK")).toEqual(device);
    const approvals = await Promise.all(
      (["approved", "denied"] as const).map((state) => logins.moveDevice("d1", "pending", { state, user_id: ada.id })),
    );
    expect(approvals.filter(Boolean)).toHaveLength(1);
    expect(await logins.findDeviceByUserCode("BCDFGHJK")).toMatchObject({ hash: "d1", user_id: ada.id });
    expect(await logins.findDeviceByUserCode("BCDFGHJL")).toBeUndefined();
    await logins.notePoll("d1", { polled_at: time(2), interval_seconds: 10 });
    expect(await logins.findDevice("d1")).toMatchObject({ polled_at: time(2), interval_seconds: 10, user_id: ada.id });
  });

  test("of the devices that wait the oldest are dropped, and none that somebody decided on", async () => {
    const { logins } = store;
    for (const number of [1, 2, 3, 4])
      await logins.insertDevice({ ...device, hash: `d${number}`, user_code: `BCDFGHJ${number}`, expires_at: time(number) });
    await logins.moveDevice("d1", "pending", { state: "approved", user_id: ada.id });
    await logins.forgetDevices(2);
    const left = await Promise.all(["d1", "d2", "d3", "d4"].map((hash) => logins.findDevice(hash)));
    expect(left.map((one) => one?.hash)).toEqual(["d1", undefined, "d3", "d4"]);
  });

  test("a device that is polled is kept before any that only asked, however many ask after it", async () => {
    const { logins } = store;
    for (const number of [1, 2, 3, 4])
      await logins.insertDevice({ ...device, hash: `d${number}`, user_code: `BCDFGHJ${number}`, expires_at: time(number) });
    await logins.notePoll("d3", { polled_at: time(0), interval_seconds: 5 });
    await logins.notePoll("d1", { polled_at: time(1), interval_seconds: 5 });
    await logins.forgetDevices(2);
    const left = await Promise.all(["d1", "d2", "d3", "d4"].map((hash) => logins.findDevice(hash)));
    expect(left.map((one) => one?.hash)).toEqual(["d1", undefined, "d3", undefined]);
  });

  test("a sign-in is there until it is deleted", async () => {
    const signIn = { hash: "s1", user_id: ada.id, expires_at: time(10) };
    await store.logins.insertSignIn(signIn);
    expect(await store.logins.findSignIn("s1")).toEqual(signIn);
    await store.logins.deleteSignIn("s1");
    expect(await store.logins.findSignIn("s1")).toBeUndefined();
    await store.logins.insertSignIn(signIn);
    await store.logins.endSignIns();
    expect(await store.logins.findSignIn("s1")).toBeUndefined();
  });

  test("what expired before a time is forgotten, the rest stays", async () => {
    await store.logins.insertCode(code);
    await store.logins.insertDevice(device);
    await store.logins.insertSignIn({ hash: "s1", user_id: ada.id, expires_at: time(11) });
    await store.logins.forget(time(10));
    expect(await store.logins.findCode("c1")).toBeDefined();
    await store.logins.forget(time(11));
    expect(await store.logins.findCode("c1")).toBeUndefined();
    expect(await store.logins.findDevice("d1")).toBeUndefined();
    expect(await store.logins.findSignIn("s1")).toBeDefined();
  });
});
