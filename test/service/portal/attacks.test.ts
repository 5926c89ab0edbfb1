import { createHmac } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { namesOf } from "../../../src/service/reach/names.ts";
import { makeFailures } from "../../../src/service/portal/failures.ts";
import { makeSignInLink } from "../../../src/service/portal/sign-in-link.ts";
import { makeSite } from "../../../src/service/portal/site.ts";
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

const asked = {
  response_type: "code",
  client_id: "ferry-cli",
  redirect_uri: "http://127.0.0.1:54321/callback",
  state: "s".repeat(43),
  code_challenge: "c".repeat(43),
  code_challenge_method: "S256",
};

function authorize(change: Readonly<Record<string, string>> = {}): string {
  return `/oauth/authorize?${new URLSearchParams({ ...asked, ...change }).toString()}`;
}

const pages = ["/", "/sign-in", "/keys", "/device", authorize(), "/.well-known/oauth-authorization-server", "/nothing"];
const forms = ["/sign-in", "/sign-out", "/keys", "/keys/revoke", "/device?user_code=BBBBBBBB", authorize()];
const endpoints = ["/oauth/token", "/oauth/device", "/oauth/revoke"];

describe("another Host (DNS rebinding)", () => {
  test.each(pages)("%s", async (path) => {
    for (const host of ["evil.example:8080", "127.0.0.1:8081", "127.0.0.1", "localhost.evil.example:8080", ""])
      expect((await browser.get(path, { host })).status).toBe(421);
  });

  test.each([...forms, ...endpoints])("POST %s", async (path) => {
    const headers = { host: "evil.example:8080", origin: "http://evil.example:8080" };
    expect((await browser.submit(path, {}, headers)).status).toBe(421);
  });
});

describe("the API on the port, by a name that isn't the service's", () => {
  const call = (path: string, host: string) =>
    site.app(new Request(site.origin + path, { headers: { host, "x-api-key": service.key } }));

  test.each(["/api/v1/cli", "/api/v1/openapi.json", "/api/v1/nothing", "/healthz"])("%s", async (path) => {
    for (const host of ["evil.example:8080", "127.0.0.1:8081", "127.0.0.1", "localhost.evil.example:8080", ""]) {
      const response = await call(path, host);
      expect([response.status, await response.json()]).toEqual([
        421,
        { error: "this service is at http://127.0.0.1:8080, and goes by no other name" },
      ]);
    }
  });

  test.each(["127.0.0.1:8080", "localhost:8080", "[::1]:8080"])("%s is one of its own", async (host) => {
    expect((await call("/api/v1/cli", host)).status).toBe(200);
    expect((await call("/healthz", host)).status).toBe(200);
  });
});

describe("a form of another origin", () => {
  test.each([...forms, ...endpoints])("POST %s", async (path) => {
    await browser.signIn();
    for (const origin of ["http://evil.example", "http://127.0.0.1:9999", "null", "https://127.0.0.1:8080"])
      expect((await browser.submit(path, {}, { origin })).status).toBe(403);
  });

  test("nor one without an origin where a browser would send one", async () => {
    await browser.signIn();
    await browser.get("/keys");
    const without = await site.app(
      new Request(`${site.origin}/sign-in`, {
        method: "POST",
        headers: { host: "127.0.0.1:8080", "content-type": "application/x-www-form-urlencoded" },
        body: `code=${site.signInCode()}`,
      }),
    );
    expect(without.status).toBe(403);
  });
});

describe("a form without the token of this very sign-in (CSRF)", () => {
  test.each(forms.slice(1))("POST %s", async (path) => {
    await browser.signIn();
    const other = site.browser();
    await other.signIn();
    const theirs = /name="csrf" value="([^"]+)"/u.exec((await other.get("/keys")).text)?.[1] ?? "";
    expect(theirs).not.toBe("");
    for (const csrf of ["", "x", theirs]) {
      const { status, text } = await browser.submit(path, { csrf, decision: "approve" });
      expect({ status, text }).toMatchObject({ status: 403, text: expect.stringContaining("no longer valid") as string });
    }
  });
});

describe("a program on another port of this machine, to which browsers send the cookies of each port", () => {
  const ask = (path: string, init: { method?: string; headers?: Record<string, string>; body?: string } = {}) =>
    site.app(
      new Request(site.origin + path, {
        ...init,
        headers: { host: "127.0.0.1:8080", "content-type": "application/x-www-form-urlencoded", ...init.headers },
      }),
    );

  test("gets no cookie for a path that it can know", async () => {
    await browser.signIn();
    const { base } = browser.signedIn();
    expect(base).toMatch(/^\/s\/[\w-]{43}$/u);
    const { headers } = await browser.get("/keys");
    expect(headers.get("referrer-policy")).toBe("same-origin");
  });

  test("can't do a thing with the cookie alone, whatever token it makes of it", async () => {
    await browser.signIn();
    const { cookie } = browser.signedIn();
    const secret = cookie.split("=")[1] ?? "";
    const csrf = createHmac("sha256", secret).update("csrf").digest("base64url");
    const body = new URLSearchParams({ csrf, name: "evil", scope: "all:all", days: "0", decision: "approve" }).toString();
    for (const base of ["", `/s/${secret}`, `/s/${"x".repeat(43)}`]) {
      for (const path of [...forms.slice(2), authorize()])
        expect((await ask(base + path, { method: "POST", headers: { cookie, origin: site.origin }, body })).status).toBe(403);
      expect(await (await ask(`${base}/keys`, { headers: { cookie } })).text()).toContain("Sign-in link");
    }
    expect((await service.store.keys.list({ limit: 100 })).items.map(({ name }) => name)).not.toContain("evil");
  });

  test("nor with the path alone", async () => {
    await browser.signIn();
    const { base } = browser.signedIn();
    expect(await (await ask(`${base}/keys`)).text()).toContain("Sign-in link");
  });

  test("can't use up the patience for wrong codes of devices, by pictures or by frames", async () => {
    await browser.signIn();
    const foreign = { "sec-fetch-site": "same-site", "sec-fetch-dest": "image" };
    for (let count = 0; count < 12; count++) expect((await browser.get("/device?user_code=BBBB-BBBB", foreign)).status).toBe(403);
    expect((await browser.get("/device?user_code=BBBB-BBBB")).status).toBe(400);
    const followed = { "sec-fetch-site": "cross-site", "sec-fetch-dest": "document" };
    expect((await browser.get("/device", followed)).status).toBe(200);
  });
});

test("nobody who isn't signed in is asked to approve, or can", async () => {
  const page = await browser.get(authorize());
  expect(page.text).toContain("Sign-in link");
  expect(page.text).not.toContain("Approve");
  expect((await browser.submit(authorize(), { decision: "approve" })).status).toBe(403);
});

describe("where a code is sent", () => {
  test.each([
    "https://evil.example/callback",
    "http://evil.example:54321/callback",
    "http://127.0.0.1:54321/other",
    "http://127.0.0.1:54321/callback/",
    "http://127.0.0.1:54321/callback?x=1",
    "http://127.0.0.1:54321/callback#x",
    "http://127.0.0.1:54321//callback",
    "http://127.0.0.1:54321/%63allback",
    "http://localhost:54321/callback",
    "http://127.0.0.1.evil.example/callback",
    "http://127.0.0.1:54321@evil.example/callback",
    "http://evil.example\\@127.0.0.1:54321/callback",
    "http://127.0.0.1:99999/callback",
    "http://0.0.0.0:54321/callback",
    "http://2130706433:54321/callback",
    "javascript:alert(1)//callback",
    "file:///callback",
    "",
  ])("never to %s", async (redirect_uri) => {
    await browser.signIn();
    const { status, headers, text } = await browser.get(authorize({ redirect_uri }));
    expect({ status, location: headers.get("location") }).toEqual({ status: 400, location: null });
    expect(text).not.toContain("evil.example");
  });

  test.each(["http://127.0.0.1:1/callback", "http://[::1]:65535/callback", "http://127.0.0.1/callback"])(
    "to %s it may be",
    async (redirect_uri) => {
      await browser.signIn();
      expect((await browser.get(authorize({ redirect_uri }))).text).toContain("Approve");
    },
  );

  test("another client gets none", async () => {
    expect((await browser.get(authorize({ client_id: "other" }))).status).toBe(400);
  });
});

describe("what the client is told in the redirect", () => {
  test.each<[Record<string, string>, string]>([
    [{ response_type: "token" }, "unsupported_response_type"],
    [{ code_challenge_method: "plain" }, "invalid_request"],
    [{ code_challenge: "" }, "invalid_request"],
    [{ code_challenge: "short" }, "invalid_request"],
    [{ state: "" }, "invalid_request"],
    [{ scope: "root" }, "invalid_scope"],
  ])("%j: %s", async (change, error) => {
    const location = new URL((await browser.get(authorize(change))).headers.get("location") ?? "");
    expect(location.searchParams.get("error")).toBe(error);
    expect(location.searchParams.get("iss")).toBe(site.origin);
  });
});

test("a parameter that is given twice is refused", async () => {
  expect((await browser.get(`${authorize()}&state=other`)).status).toBe(400);
});

describe("markup, escape sequences and invisible characters", () => {
  const hostile = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>\u001b[31m\u202e\u0000`;

  test("in what the terminal says of itself", async () => {
    await browser.signIn();
    const { text } = await browser.get(authorize({ device_name: hostile, device_system: hostile, client_version: hostile }));
    expect(text).toContain("&#60;script&#62;alert(1)&#60;/script&#62;");
    expect(text).not.toContain("<script");
    expect(text).not.toContain("<img");
    expect(text).not.toMatch(/[\u0000-\u0008\u001b\u202e]/u);
  });

  test("in what the form carries on", async () => {
    await browser.signIn();
    const { text } = await browser.get(authorize({ state: `"><script>` }));
    expect(text).not.toContain("<script");
  });

  test("in the names of keys, and in what the sign-in page was given", async () => {
    await service.makeKey({ name: hostile });
    await browser.signIn();
    expect((await browser.get("/keys")).text).not.toContain("<script");
    expect(
      (await browser.get(`/sign-in?code=${encodeURIComponent(hostile)}&to=${encodeURIComponent(hostile)}`)).text,
    ).not.toContain("<script");
  });

  test("in a code that was typed", async () => {
    await browser.signIn();
    const { text } = await browser.get(`/device?user_code=${encodeURIComponent(hostile)}`);
    expect(text).not.toContain("alert(1)");
  });
});

test("looking decides nothing: a GET with the buttons in its address", async () => {
  await browser.signIn();
  const { status, text } = await browser.get(`${authorize()}&decision=approve`);
  expect(status).toBe(200);
  expect(text).toContain("Approve");
});

test.each(pages.filter((path) => !path.startsWith("/.well-known") && path !== "/"))(
  "%s can't be framed, sniffed, cached or made to load anything",
  async (path) => {
    await browser.signIn();
    const { headers } = await browser.get(path);
    expect(headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; form-action 'self'( http:\/\/127\.0\.0\.1:54321)?; base-uri 'none'; frame-ancestors 'none'$/u,
    );
    expect(Object.fromEntries(headers)).toMatchObject({
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "referrer-policy": "same-origin",
    });
  },
);

describe("endpoints for programs", () => {
  const post = (path: string, body: string, type = "application/x-www-form-urlencoded") =>
    site.app(
      new Request(site.origin + path, { method: "POST", headers: { host: "127.0.0.1:8080", "content-type": type }, body }),
    );

  test.each<[string, string, string, number]>([
    ["/oauth/token", "grant_type=password&client_id=ferry-cli", "unsupported_grant_type", 400],
    ["/oauth/token", "grant_type=authorization_code&client_id=other", "invalid_client", 401],
    ["/oauth/token", "grant_type=authorization_code", "invalid_client", 401],
    ["/oauth/token", "client_id=ferry-cli", "invalid_request", 400],
    ["/oauth/token", "client_id=ferry-cli&client_id=ferry-cli", "invalid_request", 400],
    [
      "/oauth/token",
      "grant_type=authorization_code&client_id=ferry-cli&code=x&redirect_uri=x&code_verifier=x",
      "invalid_grant",
      400,
    ],
    ["/oauth/device", "client_id=other", "invalid_client", 401],
    ["/oauth/device", "client_id=ferry-cli&scope=root", "invalid_scope", 400],
    ["/oauth/revoke", "", "invalid_request", 400],
  ])("%s %s: %s", async (path, body, error, status) => {
    const response = await post(path, body);
    expect(response.status).toBe(status);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(await response.json()).toMatchObject({ error });
  });

  test("JSON is not a form, and what is too large is refused", async () => {
    expect((await post("/oauth/token", "{}", "application/json")).status).toBe(415);
    expect((await post("/oauth/token", "x".repeat(1024 * 1024 + 1))).status).toBe(413);
  });
});

test("where the API isn't served there is no login either, only the portal", async () => {
  const { store, keyEnds, clock, random, log } = service.deps;
  const link = await makeSignInLink(random, async () => undefined);
  const wrongCodes = makeFailures(10, 600_000, clock);
  const names = () => namesOf({ address: "127.0.0.1", port: 8080 }, site.origin);
  const { user, ownKeyId } = service;
  const alone = makeSite({ store, keyEnds, clock, random, log, link, wrongCodes, names, userId: user.id, ownKeyId });
  const status = async (path: string) =>
    (await alone(new Request(site.origin + path, { headers: { host: "127.0.0.1:8080" } }))).status;
  expect(await status("/sign-in")).toBe(200);
  for (const path of ["/.well-known/oauth-authorization-server", authorize(), "/device", "/api/v1/cli", "/healthz"])
    expect(await status(path)).toBe(404);
});
