import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { hashPassword } from "../../../src/service/keys/password.ts";
import { makePasswords, type Passwords } from "../../../src/service/portal/passwords.ts";
import { makeTestService, type TestService } from "../../support/service.ts";
import { makeTestSite, type TestSite } from "../../support/site.ts";

const ada = { name: "ada", password: "correct horse battery" };
const wrong = { name: "ada", password: "correct horse batterY" };
let service: TestService;
beforeEach(async () => {
  service = await makeTestService();
  const password = await hashPassword(ada.password, service.deps.random, { ln: 4, r: 8, p: 1 });
  for (const name of ["ada", "bob"])
    await service.store.accounts.add({ user_id: `usr_${name}`, name, password, created_at: "2026-01-01T00:00:00.000Z" });
});
afterEach(async () => {
  expect(service.errors).toEqual([]);
  await service.close();
});

describe("the sign-in page of a service that others reach", () => {
  let site: TestSite;
  beforeEach(async () => {
    site = await makeTestSite({ ...service, shared: true });
  });

  test("signs in who has the password, who goes on to where they were", async () => {
    const browser = site.browser();
    expect((await browser.get("/keys?cursor=")).text).toMatch(
      /type="password"\s+name="password"[^>]*\sautocomplete="current-password"/u,
    );
    const { status, headers } = await browser.submit("/sign-in/password", { ...ada, name: " Ada " });
    expect([status, headers.get("location")]).toEqual([303, expect.stringMatching(/^\/s\/[\w-]{43}\/keys\?cursor=$/u)]);
    expect(headers.get("set-cookie")).toMatch(/; HttpOnly; SameSite=Lax; /u);
  });

  test("makes keys that are the user's own", async () => {
    const browser = site.browser();
    await browser.signIn(ada);
    await browser.get("/keys");
    const made = await browser.submit("/keys", { name: "mine", scope: "all:all", days: "7" });
    const [key = ""] = /ferry_[\w-]{43}/u.exec(made.text) ?? [];
    const answer = await service.app(new Request("http://x/api/v1/cli", { headers: { "x-api-key": key } }));
    expect(await answer.json()).toMatchObject({ user: { id: "usr_ada", name: "ada", email: "" } });
  });

  test("takes no user's wrong codes of devices for another's", async () => {
    const [browser, other, owner] = [site.browser(), site.browser(), site.browser()];
    await browser.signIn(ada);
    for (let count = 0; count < 10; count++) expect((await browser.get("/device?user_code=BBBB-BBBB")).status).toBe(400);
    const { status, text } = await browser.get("/device?user_code=BBBB-BBBB");
    expect([status, text]).toEqual([429, expect.stringContaining("too many wrong codes: try again in 10 minutes")]);
    await other.signIn({ ...ada, name: "bob" });
    await owner.signIn();
    for (const allowed of [other, owner]) expect((await allowed.get("/device?user_code=BBBB-BBBB")).status).toBe(400);
  });

  test("shows a user their own keys, and ends no others; the owner all", async () => {
    await service.makeKey({ id: "key_bob0000000000000", name: "of bob", user_id: "usr_bob" });
    await service.makeKey({ id: "key_ada0000000000000", name: "of ada", user_id: "usr_ada" });
    const [browser, owner] = [site.browser(), site.browser()];
    await browser.signIn(ada);
    const { text } = await browser.get("/keys");
    expect([text.includes("of ada"), text.includes("of bob"), text.includes("ferry’s own")]).toEqual([true, false, false]);
    const revoked = async (id: string) => (await service.store.keys.find(id))?.revoked_at !== null;
    for (const id of ["key_bob0000000000000", "key_ada0000000000000", service.ownKeyId, "key_x"]) {
      await browser.get("/keys");
      expect((await browser.submit("/keys/revoke", { id })).status).toBe(303);
    }
    expect([await revoked("key_bob0000000000000"), await revoked("key_ada0000000000000")]).toEqual([false, true]);
    await owner.signIn();
    expect((await owner.get("/keys")).text).toContain("of bob");
    await owner.submit("/keys/revoke", { id: "key_bob0000000000000" });
    expect(await revoked("key_bob0000000000000")).toBe(true);
  });

  test("says the same of a wrong name and of a wrong password", async () => {
    const browser = site.browser();
    const said: string[] = [];
    for (const given of [wrong, { ...ada, name: "eve" }, { name: "", password: "" }]) {
      await browser.get("/sign-in");
      const { status, headers, text } = await browser.submit("/sign-in/password", given);
      expect([status, headers.get("set-cookie")]).toEqual([403, null]);
      said.push(/role="alert">(.*?)<\/p>/u.exec(text)?.[1] ?? "");
    }
    expect(new Set(said)).toEqual(new Set(["That isn’t the name and password of a user here."]));
  });

  test("never shows a password again, and a name as text", async () => {
    const browser = site.browser();
    await browser.get("/sign-in");
    const { text } = await browser.submit("/sign-in/password", { name: '"><b>', password: "pass<word" });
    expect(text).toContain('value="&#34;&#62;&#60;b&#62;"');
    expect(text).not.toMatch(/pass(<|&#60;)word/u);
  }, 20_000);

  test("takes it from itself alone", async () => {
    const browser = site.browser();
    await browser.get("/sign-in");
    for (const origin of ["https://evil.example", "null"])
      expect((await browser.submit("/sign-in/password", ada, { origin })).status).toBe(403);
    const body = new URLSearchParams(ada);
    const headers = { host: "127.0.0.1:8080", "content-type": "application/x-www-form-urlencoded" };
    const request = new Request(`${site.origin}/sign-in/password`, { method: "POST", headers, body: body.toString() });
    expect((await site.app(request)).status).toBe(403);
  });

  test("has patience for five wrong ones from an address, and says for how long it has none", async () => {
    const post = (given: typeof ada, peer: string) =>
      site.app(
        new Request(`${site.origin}/sign-in/password`, {
          method: "POST",
          headers: { host: "127.0.0.1:8080", origin: site.origin, "content-type": "application/x-www-form-urlencoded" },
          body: new URLSearchParams(given).toString(),
        }),
        peer,
      );
    for (let n = 0; n < 5; n += 1) expect((await post(wrong, "192.0.2.1")).status).toBe(403);
    const refused = await post(ada, "192.0.2.1");
    expect([refused.status, Number(refused.headers.get("retry-after")) > 590]).toEqual([429, true]);
    expect(await refused.text()).toContain("try again in 10 minutes");
    expect((await post(ada, "192.0.2.2")).status).toBe(303);
    service.clock.advance(600_000);
    expect((await post(ada, "192.0.2.1")).status).toBe(303);
  });

  test("knows nobody any more who was removed, nor their keys and browsers", async () => {
    const browser = site.browser();
    await browser.signIn(ada);
    const key = await service.makeKey({ user_id: "usr_ada" });
    await service.store.accounts.remove("ada", "2026-01-02T00:00:00.000Z");
    expect((await browser.get("/keys")).text).toContain("<h1>Sign in</h1>");
    expect((await service.app(new Request("http://x/api/v1/cli", { headers: { "x-api-key": key } }))).status).toBe(401);
    const other = site.browser();
    await other.get("/sign-in");
    expect((await other.submit("/sign-in/password", ada)).status).toBe(403);
  });

  test("still takes the owner's link", async () => {
    const browser = site.browser();
    await browser.signIn();
    expect((await browser.get("/keys")).text).toContain("API keys");
  });
});

test("where nobody else gets to there is no password to ask for", async () => {
  const browser = (await makeTestSite(service)).browser();
  expect((await browser.get("/sign-in")).text).not.toContain('name="password"');
  expect((await browser.submit("/sign-in/password", ada)).status).toBe(404);
});

describe("attempts", () => {
  let passwords: Passwords;
  beforeEach(() => {
    passwords = makePasswords(service.deps);
  });
  const check = (given: typeof ada, peer?: string) => passwords.check(given, peer);

  test("from one address are limited for all names together", async () => {
    const results = [];
    for (let n = 0; n < 20; n += 1) results.push(await check(n % 2 === 0 ? { ...wrong, name: "bob" } : wrong, "192.0.2.1"));
    // Of each name the first five are compared; the others cost nothing, and don't count.
    expect(results.filter((result) => result === undefined)).toHaveLength(10);
    expect(await check(ada, "192.0.2.9")).toMatchObject({ id: "usr_ada" });
  });

  test.each([
    ["2001:db8:0:1::1", "2001:db8:0:1:ffff::2", true],
    ["2001:db8::1", "2001:db8:0:0:5:6:7:8", true],
    ["2001:db8:0:1::1", "2001:db8:0:2::1", false],
    ["::ffff:192.0.2.1", "192.0.2.1", true],
    ["192.0.2.1", "192.0.2.2", false],
  ])("from %s and %s are those of one network: %s", async (one, other, same) => {
    for (let n = 0; n < 5; n += 1) await check(wrong, one);
    expect("retryAfter" in ((await check(ada, other)) ?? {})).toBe(same);
  });

  test("of which one was right are forgotten", async () => {
    for (let round = 0; round < 3; round += 1) {
      for (let n = 0; n < 4; n += 1) await check(wrong, "192.0.2.1");
      expect(await check(ada, "192.0.2.1")).toMatchObject({ id: "usr_ada" });
    }
  });

  test("that come at once are counted one after another, and only so many wait", async () => {
    const results = await Promise.all(Array.from({ length: 40 }, () => check(wrong)));
    expect(results.filter((result) => result === undefined)).toHaveLength(5);
    expect(results.filter((result) => result !== undefined && "retryAfter" in result && result.retryAfter === 10)).toHaveLength(
      24,
    );
    expect(await check({ ...ada, name: "bob" })).toMatchObject({ id: "usr_bob" });
  });
});
