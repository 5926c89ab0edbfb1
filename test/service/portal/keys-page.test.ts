import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Browser, makeTestSite } from "../../support/site.ts";
import { makeTestService, type TestService } from "../../support/service.ts";

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  service = await makeTestService();
});
afterAll(async () => {
  expect(service.errors).toEqual([]);
  await service.close();
});
beforeEach(async () => {
  browser = (await makeTestSite(service)).browser();
});

test("keys are made, shown once and revoked on their page", async () => {
  await browser.signIn();
  await browser.get("/keys");
  const { text } = await browser.submit("/keys", { name: "nightly", scope: "sessions:read", days: "30" });
  const secret = /ferry_[\w-]{43}/u.exec(text)?.[0] ?? "";
  expect(secret).not.toBe("");
  expect((await browser.get("/keys")).text).not.toContain(secret);
  const key = (await service.store.keys.list({})).items.find(({ name }) => name === "nightly");
  expect(key).toMatchObject({ scopes: ["sessions:read"], user_id: service.user.id, revoked_at: null });
  await browser.submit("/keys/revoke", { id: key?.id ?? "" });
  expect((await service.store.keys.find(key?.id ?? ""))?.revoked_at).not.toBeNull();
  await browser.get("/keys");
  expect((await browser.submit("/keys", { name: " ", scope: "sessions:read", days: "30" })).status).toBe(400);
  expect((await browser.submit("/keys", { name: "x", scope: "root", days: "30" })).status).toBe(400);
});

test("the key that ferry calls its own service with has no button: without it --host local would be refused", async () => {
  await service.makeKey({ id: "key_other", name: "local" });
  await browser.signIn();
  const { text } = await browser.get("/keys");
  expect(text).toContain('name="id" value="key_other"');
  expect((await service.store.keys.list({})).items.map(({ id }) => id)).toContain(service.ownKeyId);
  expect(text).not.toContain(service.ownKeyId);
  expect(text).toContain("ferry’s own on this machine");
  expect(await browser.submit("/keys/revoke", { id: service.ownKeyId })).toMatchObject({
    status: 409,
    text: expect.stringContaining("ferry&#39;s own key") as string,
  });
  expect((await service.store.keys.find(service.ownKeyId))?.revoked_at).toBeNull();
});
