import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RouteName, routes } from "../../src/wire/routes.ts";
import { acceptedScopes, scopes } from "../../src/wire/values.ts";
import { type AskService, makeAsk } from "../support/api.ts";
import { makeTestService, type TestService } from "../support/service.ts";

let service: TestService;
let ask: AskService;
beforeAll(async () => {
  service = await makeTestService();
  ask = makeAsk(service);
});
afterAll(() => service.close());

const names = Object.keys(routes) as RouteName[];
const params = { providerId: "prv_none", id: "rep_none", sessionId: "ses_none", keyId: "key_none" };

test.each(names)("%s without a key is 401 and says how to send one", async (name) => {
  const { status, body, headers } = await ask(name, { key: "", params });
  expect({ status, body }).toEqual({
    status: 401,
    body: { error: "an API key is needed: send it as x-api-key or as Authorization: Bearer" },
  });
  expect(headers.get("www-authenticate")).toBe("Bearer");
});

test.each(names)("%s takes exactly the four scopes of its resource and access", async (name) => {
  const { resource, access } = routes[name];
  const accepted = resource === null ? [...scopes] : acceptedScopes(resource, access);
  for (const scope of scopes) {
    const { status, body } = await ask(name, { params, key: await service.makeKey({ scopes: [scope] }) });
    if (accepted.includes(scope)) expect(status).not.toBe(403);
    else
      expect({ status, body }).toEqual({ status: 403, body: { error: expect.stringContaining(accepted.join(", ")) as string } });
  }
});

test("a 403 names the login that helps", async () => {
  const { body } = await ask("createSession", { key: await service.makeKey({ scopes: ["sessions:read"] }), body: {} });
  expect(body).toEqual({
    error: "this key lacks the scope; it needs one of sessions:write, sessions:all, all:write, all:all",
  });
});

describe("the two forms", () => {
  const bearer = (key: string) => ({ key: "", headers: { authorization: `Bearer ${key}` } });

  test("either is accepted, the scheme's name in any case", async () => {
    expect((await ask("readCli")).status).toBe(200);
    expect((await ask("readCli", bearer(service.key))).status).toBe(200);
    expect((await ask("readCli", { key: "", headers: { authorization: `bEARER  ${service.key}` } })).status).toBe(200);
  });

  test("both at once are 400", async () => {
    const { status, body } = await ask("readCli", { headers: { authorization: `Bearer ${service.key}` } });
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: "two_keys" });
  });

  test("another scheme is no key", async () => {
    expect((await ask("readCli", { key: "", headers: { authorization: `Basic ${service.key}` } })).status).toBe(401);
  });
});

test.each([
  ["unknown", undefined, "the API key is not valid"],
  ["revoked", { revoked_at: "2025-12-31T00:00:00.000Z" }, "the API key was revoked"],
  ["expired", { expires_at: "2025-12-31T23:59:59.999Z" }, "the API key has expired"],
])("a key that is %s is 401", async (_, change, error) => {
  const key = change === undefined ? `${service.key}x` : await service.makeKey(change);
  expect(await ask("readCli", { key })).toMatchObject({ status: 401, body: { error } });
});

test("a key works until it expires", async () => {
  const key = await service.makeKey({ expires_at: "2026-01-01T00:01:00.000Z" });
  expect((await ask("readCli", { key })).status).toBe(200);
  service.clock.advance(60_000);
  expect((await ask("readCli", { key })).status).toBe(401);
});

test("the service tells who the key is and what it can do", async () => {
  const { body } = await ask("readCli", {
    key: await service.makeKey({ id: "key_1", scopes: ["sessions:read"], expires_at: "2027-01-01T00:00:00.000Z" }),
  });
  expect(body).toEqual({
    service: { name: "ferry", version: "0.0.0" },
    portal_url: "",
    workspace: { ...service.store.workspace },
    user: { ...service.user },
    key: { id: "key_1", scopes: ["sessions:read"], expires_at: "2027-01-01T00:00:00.000Z" },
    capabilities: [
      "stream",
      "after",
      "types",
      "sessions",
      "patches",
      "bundle",
      "uncommitted",
      "answer",
      "cancel",
      "close",
      "keys",
    ],
  });
});
