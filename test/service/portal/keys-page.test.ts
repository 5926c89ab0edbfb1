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
  const { text: form } = await browser.get("/keys");
  const { text } = await browser.submit("/keys", { name: "nightly", scope: "sessions:read", days: "30" });
  const secret = /ferry_[\w-]{43}/u.exec(text)?.[0] ?? "";
  expect(secret).not.toBe("");
  // Loading the answer again sends the form again.
  const again = await browser.submit("/keys", { name: "nightly", scope: "sessions:read", days: "30", key: keyIdIn(form) });
  expect(again).toMatchObject({ status: 400, text: expect.stringContaining("has made its key already") as string });
  expect(again.text).not.toContain(secret);
  expect((await service.store.keys.list({})).items.filter(({ name }) => name === "nightly")).toHaveLength(1);
  expect((await browser.submit("/keys", { name: "x", scope: "sessions:read", days: "30", key: "usr_x" })).status).toBe(403);
  expect((await browser.get("/keys")).text).not.toContain(secret);
  const key = (await service.store.keys.list({})).items.find(({ name }) => name === "nightly");
  expect(key).toMatchObject({ scopes: ["sessions:read"], user_id: service.user.id, revoked_at: null });
  await browser.submit("/keys/revoke", { id: key?.id ?? "" });
  expect((await service.store.keys.find(key?.id ?? ""))?.revoked_at).not.toBeNull();
  expect((await browser.get("/keys")).text).toMatch(/<summary>1 key that ended<\/summary>/u);
  expect((await browser.submit("/keys", { name: " ", scope: "sessions:read", days: "30" })).status).toBe(400);
  expect((await browser.submit("/keys", { name: "x", scope: "root", days: "30" })).status).toBe(400);
});

function keyIdIn(page: string): string {
  return /name="key" value="(\w+)"/u.exec(page)?.[1] ?? "";
}

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
