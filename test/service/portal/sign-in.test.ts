import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { makeSignInLink } from "../../../src/service/portal/sign-in-link.ts";
import { type Browser, makeTestSite, type TestSite } from "../../support/site.ts";
import { makeTestService, type TestService } from "../../support/service.ts";

let service: TestService;
let site: TestSite;
let browser: Browser;
beforeAll(async () => {
  service = await makeTestService();
});
afterAll(async () => {
  expect(service.errors).toEqual([]);
  await service.close();
});
beforeEach(async () => {
  site = await makeTestSite(service);
  browser = site.browser();
});

describe("the sign-in link", () => {
  test("works once", async () => {
    const code = site.signInCode();
    await browser.signIn();
    const other = site.browser();
    await other.get(`/sign-in?code=${code}`);
    expect((await other.submit("/sign-in", {})).status).toBe(403);
    expect((await other.get("/keys")).text).toContain("Sign-in link");
  });

  test("is not used up by who only looks at it (previews, prefetches)", async () => {
    const code = site.signInCode();
    await site.browser().get(`/sign-in?code=${code}`);
    expect(site.signInCode()).toBe(code);
  });

  test.each([
    "//evil.example",
    "https://evil.example/",
    "/\\evil.example",
    "\\\\evil.example",
    "javascript:alert(1)",
    "/.//evil.example/x",
    "/./\\evil.example/x",
    ".//evil.example/x",
    "/%2e//evil.example/x",
    "/x/..//evil.example/x",
    "/x/%2E%2e//evil.example/x",
    "/\t.\n//evil.example/x",
    "http:.//evil.example/x",
    "http:/.//evil.example/x",
    "http://127.0.0.1:8080//evil.example/x",
    "HTTP:\\\\127.0.0.1:8080\\\\evil.example/x",
    "http://user@127.0.0.1:8080//evil.example/x",
    "////evil.example/x",
  ])("leads nowhere else: %j", async (to) => {
    await browser.get(`/sign-in?code=${site.signInCode()}&to=${encodeURIComponent(to)}`);
    const { headers } = await browser.submit("/sign-in", { to });
    expect(new URL(headers.get("location") ?? "", site.origin).origin).toBe(site.origin);
  });

  test.each(["/keys", "/oauth/authorize?state=//evil.example", "/device?user_code=AB%2F", "/%2F%2Fevil.example"])(
    "leads back to where it was asked for: %s",
    async (to) => {
      await browser.get(`/sign-in?code=${site.signInCode()}&to=${encodeURIComponent(to)}`);
      const location = (await browser.submit("/sign-in", { to })).headers.get("location") ?? "";
      expect(location.replace(/^\/s\/[\w-]{43}(?=\/)/u, "<sign-in>")).toBe(`<sign-in>${to}`);
    },
  );

  test("gives a cookie that no script and no other site gets, named after the port", async () => {
    await browser.get(`/sign-in?code=${site.signInCode()}`);
    const { headers } = await browser.submit("/sign-in", {});
    expect(headers.get("set-cookie")).toMatch(
      /^ferry_8080=[\w-]{43}; Path=\/s\/[\w-]{43}; HttpOnly; SameSite=Lax; Max-Age=43200$/u,
    );
  });

  test.each(["", "/", "/nothing-here"])("leads to pages that lead to each other: %j below it", async (path) => {
    await browser.signIn();
    const { base } = browser.signedIn();
    const { status, headers, text } = await browser.get(path);
    if (path === "/nothing-here") {
      expect(status).toBe(404);
      expect([...text.matchAll(/href="([^"]*)"/gu)].map(([, link]) => link)).toEqual([`${base}/`, `${base}/`]);
    } else expect([status, headers.get("location")]).toEqual([303, `${base}/keys`]);
  });

  test("is used once, also by two at the same moment", async () => {
    const code = site.signInCode();
    const others = [site.browser(), site.browser()];
    for (const other of others) await other.get(`/sign-in?code=${code}`);
    const answers = await Promise.all(others.map((other) => other.submit("/sign-in", {})));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 403]);
  });

  test("still works after the next one could not be kept (a full disk)", async () => {
    const kept: string[] = [];
    let full = false;
    const link = await makeSignInLink(service.deps.random, async (code) => {
      if (full) throw new Error("no space left on device");
      kept.push(code);
    });
    full = true;
    await expect(link.take(kept[0] ?? "")).rejects.toThrow("no space left");
    full = false;
    expect(await link.take(kept[0] ?? "")).toBe(true);
    expect(await link.take(kept[0] ?? "")).toBe(false);
    expect(await link.take(kept[1] ?? "")).toBe(true);
  });

  test("is worth nothing after signing out, or after twelve hours", async () => {
    await browser.signIn();
    await browser.get("/keys");
    await browser.submit("/sign-out", {});
    expect((await browser.get("/keys")).text).toContain("Sign-in link");
    const other = site.browser();
    await other.signIn();
    service.clock.advance(12 * 3_600_000);
    expect((await other.get("/keys")).text).toContain("Sign-in link");
  });
});
