import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeId } from "../../src/base/ids.ts";
import { makeApp } from "../../src/service/app.ts";
import { covers } from "../../src/service/keys/scopes.ts";
import { type Scope, scopes } from "../../src/wire/values.ts";
import { type AskService, makeAsk, must } from "../support/api.ts";
import { makeTestService, type TestService } from "../support/service.ts";

let service: TestService;
let ask: AskService;
beforeEach(async () => {
  service = await makeTestService();
  ask = makeAsk(service);
});
afterEach(() => service.close());

test("a key is shown once, works, is listed without its secret, and works no more once it is revoked", async () => {
  const created = await must(ask, "createKey", { body: { name: "ci", scopes: ["sessions:read"] } });
  expect(created).toMatchObject({ name: "ci", scopes: ["sessions:read"], expires_at: null, revoked_at: null });
  expect((await ask("listSessions", { key: created.secret })).status).toBe(200);

  const { items } = await must(ask, "listKeys");
  expect(items.map(({ name }) => name)).toEqual(["ci", "test"]);
  expect(JSON.stringify(items)).not.toContain(created.secret);

  const revoked = await must(ask, "revokeKey", { params: { keyId: created.id } });
  expect(revoked.revoked_at).not.toBeNull();
  expect(await ask("listSessions", { key: created.secret })).toMatchObject({ status: 401 });
  const again = await must(ask, "revokeKey", { params: { keyId: created.id } });
  expect(again.revoked_at).toBe(revoked.revoked_at);
});

test("of a stored key only its hash is there", async () => {
  const { secret, id } = await must(ask, "createKey", { body: { name: "ci", scopes: ["all:all"] } });
  expect(JSON.stringify(await service.store.keys.find(id))).not.toContain(secret);
});

test("a key that isn't there can't be revoked", async () => {
  expect(await ask("revokeKey", { params: { keyId: "key_none" } })).toMatchObject({
    status: 404,
    body: { error: "there is no API key key_none" },
  });
});

test("a user sees and revokes their own keys alone, the owner all of them, and whose each is", async () => {
  const bob = { id: makeId("usr", service.deps.random), name: "bob", email: "" };
  await service.store.keys.insertUser(bob);
  const app = makeApp({ ...service.deps, owner: service.user.id });
  const askBob = makeAsk({ app, key: await service.makeKey({ user_id: bob.id, name: "laptop" }) });
  const askOwner = makeAsk({ app, key: service.key });
  const mine = await must(askOwner, "createKey", { body: { name: "ci", scopes: ["all:all"] } });
  expect(mine).toMatchObject({ user_name: "Ada" });
  expect((await must(askBob, "listKeys")).items.map(({ name, user_name }) => [name, user_name])).toEqual([["laptop", "bob"]]);
  const params = { keyId: mine.id };
  expect(await askBob("revokeKey", { params })).toMatchObject({ status: 404, body: { error: `there is no API key ${mine.id}` } });
  expect((await askOwner("listSessions", { key: mine.secret })).status).toBe(200);
  const all = (await must(askOwner, "listKeys")).items;
  expect(all.map(({ name, user_name }) => `${name} ${user_name}`).sort()).toEqual(["ci Ada", "laptop bob", "test Ada"]);
  const theirs = all.find(({ name }) => name === "laptop")?.id ?? "";
  expect(await must(askOwner, "revokeKey", { params: { keyId: theirs } })).toMatchObject({ user_name: "bob" });
  expect((await askBob("listSessions")).status).toBe(401);
});

describe("a key never has more than its maker", () => {
  test("in scopes", async () => {
    const key = await service.makeKey({ scopes: ["all:write", "sessions:read"] });
    expect((await ask("createKey", { key, body: { name: "x", scopes: ["sessions:all", "all:write"] } })).status).toBe(201);
    expect(await ask("createKey", { key, body: { name: "x", scopes: ["repositories:read"] } })).toMatchObject({ status: 403 });
    expect(await ask("createKey", { key, body: { name: " \t", scopes: ["sessions:all"] } })).toMatchObject({ status: 400 });
    const many = { name: "x", scopes: Array<"sessions:all">(1000).fill("sessions:all") };
    expect(await must(ask, "createKey", { key, body: many })).toMatchObject({ scopes: ["sessions:all"] });
  });

  test("in time", async () => {
    const key = await service.makeKey({ expires_at: "2026-02-01T00:00:00.000Z" });
    const make = (expires_at?: string) =>
      ask("createKey", { key, body: { name: "x", scopes: ["all:all"], ...(expires_at && { expires_at }) } });
    expect(await make()).toMatchObject({ status: 201, body: { expires_at: "2026-02-01T00:00:00.000Z" } });
    expect(await make("2026-01-15T00:00:00Z")).toMatchObject({ status: 201 });
    expect(await make("2026-02-01T00:00:00.001Z")).toMatchObject({ status: 403 });
    expect(await make("2025-12-31T00:00:00Z")).toMatchObject({ status: 400 });
  });
});

test.each<[Scope[], Scope[]]>([
  [["all:all"], [...scopes]],
  [
    ["all:read", "all:write"],
    ["all:all", "sessions:all"],
  ],
  [["all:read"], ["sessions:read", "all:read"]],
  [["sessions:read", "sessions:write"], ["sessions:all"]],
])("%j covers %j", (held, given) => {
  expect(covers(held, given)).toBe(true);
});

test.each<[Scope[], Scope[]]>([
  [[], ["sessions:read"]],
  [["sessions:all"], ["all:read"]],
  [["sessions:all", "repositories:all", "code-providers:all"], ["all:all"]],
  [["all:write"], ["sessions:read"]],
])("%j doesn't cover %j", (held, given) => {
  expect(covers(held, given)).toBe(false);
});
