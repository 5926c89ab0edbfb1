import * as oauth from "oauth4webapi";
import { allowInsecureRequests } from "oauth4webapi";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeAsk } from "../../support/api.ts";
import { type Browser, makeTestSite, type TestSite } from "../../support/site.ts";
import { makeTestService, type TestService } from "../../support/service.ts";

let service: TestService;
let site: TestSite;
let browser: Browser;
beforeEach(async () => {
  service = await makeTestService();
  site = await makeTestSite(service);
  browser = site.browser();
});
afterEach(async () => {
  expect(service.errors).toEqual([]);
  await service.close();
});

const client: oauth.Client = { client_id: "ferry-cli" };
const redirectUri = "http://127.0.0.1:54321/callback";

interface Init {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: URLSearchParams | undefined;
}

/** A strict client of another make, that talks to the site in this process. */
function options() {
  const fetchHere = async (url: string, { method, headers: given, body }: Init) => {
    const headers = new Headers(given);
    headers.set("host", new URL(url).host);
    return site.app(new Request(url, { method, headers, ...(body !== undefined && { body }) }));
  };
  return { [oauth.customFetch]: fetchHere, [allowInsecureRequests]: true } as const;
}

async function discover(): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(site.origin);
  return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...options() }));
}

interface Started {
  readonly as: oauth.AuthorizationServer;
  readonly verifier: string;
  readonly state: string;
  readonly path: string;
}

async function start(change: Readonly<Record<string, string>> = {}): Promise<Started> {
  const as = await discover();
  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
  const url = new URL(as.authorization_endpoint ?? "");
  const asked = {
    response_type: "code",
    client_id: client.client_id,
    redirect_uri: redirectUri,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    scope: "sessions:all repositories:read",
    device_name: "workstation",
    ...change,
  };
  for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
  return { as, verifier, state, path: url.pathname + url.search };
}

/** Presses Approve; gives where the browser is sent. */
async function approve({ path }: Started): Promise<URL> {
  await browser.signIn();
  await browser.get(path);
  const { status, headers } = await browser.submit(path, { decision: "approve" });
  expect(status).toBe(303);
  return new URL(headers.get("location") ?? "");
}

async function redeem({ as, verifier, state }: Started, location: URL, change: { verifier?: string; redirectUri?: string } = {}) {
  const parameters = oauth.validateAuthResponse(as, client, location, state);
  const response = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    oauth.None(),
    parameters,
    change.redirectUri ?? redirectUri,
    change.verifier ?? verifier,
    options(),
  );
  return oauth.processAuthorizationCodeResponse(as, client, response);
}

describe("the authorization code grant", () => {
  test("gives an API key with the scopes that were approved, named after the computer", async () => {
    const started = await start();
    const location = await approve(started);
    expect(location.origin + location.pathname).toBe(redirectUri);
    const { access_token, token_type, scope, expires_in } = await redeem(started, location);
    expect({ token_type, scope, expires_in }).toEqual({
      token_type: "bearer",
      scope: "sessions:all repositories:read",
      expires_in: undefined,
    });
    const { body } = await makeAsk({ app: service.app, key: access_token })("readCli");
    expect(body).toMatchObject({ user: service.user, key: { scopes: ["sessions:all", "repositories:read"], expires_at: null } });
    const [newest] = (await service.store.keys.list({})).items;
    expect(newest?.name).toBe("ferry on workstation");
  });

  test("asks for the three resources where no scope is named", async () => {
    const started = await start({ scope: "" });
    const { scope } = await redeem(started, await approve(started));
    expect(scope).toBe("sessions:all code-providers:all repositories:all");
  });

  test("Deny says so to the client", async () => {
    const started = await start();
    await browser.signIn();
    await browser.get(started.path);
    const { headers } = await browser.submit(started.path, { decision: "deny" });
    const location = new URL(headers.get("location") ?? "");
    expect(() => oauth.validateAuthResponse(started.as, client, location, started.state)).toThrow(
      expect.objectContaining({ error: "access_denied" }) as Error,
    );
  });

  test("the code can be shown instead of being sent", async () => {
    const started = await start();
    await browser.signIn();
    await browser.get(started.path);
    const { status, text } = await browser.submit(started.path, { decision: "show" });
    expect(status).toBe(200);
    const [, code = ""] = /<code class="secret">([\w-]{43})<\/code>/u.exec(text) ?? [];
    const location = new URL(
      `${redirectUri}?${new URLSearchParams({ code, state: started.state, iss: site.origin }).toString()}`,
    );
    expect((await redeem(started, location)).access_token).toMatch(/^ferry_/u);
  });

  test("without a port nobody listens: the code is shown", async () => {
    const started = await start({ redirect_uri: "http://127.0.0.1/callback" });
    await browser.signIn();
    await browser.get(started.path);
    const { status, text } = await browser.submit(started.path, { decision: "approve" });
    expect(status).toBe(200);
    expect(text).toContain("Paste this into your terminal");
  });
});

describe("a code", () => {
  test("used twice is refused, and the key that it gave is revoked", async () => {
    const started = await start();
    const location = await approve(started);
    const { access_token } = await redeem(started, location);
    await expect(redeem(started, location)).rejects.toMatchObject({ error: "invalid_grant" });
    expect((await makeAsk({ app: service.app, key: access_token })("readCli")).status).toBe(401);
  });

  test("used twice at once gives one key", async () => {
    const started = await start();
    const location = await approve(started);
    const outcomes = await Promise.allSettled([redeem(started, location), redeem(started, location)]);
    expect(outcomes.filter(({ status }) => status === "fulfilled").length).toBeLessThanOrEqual(1);
    expect((await service.store.keys.list({})).items).toHaveLength(2);
  });

  test("with another verifier is refused, and still good for its owner, whose key stays", async () => {
    const started = await start();
    const location = await approve(started);
    const other = { verifier: oauth.generateRandomCodeVerifier() };
    await expect(redeem(started, location, other)).rejects.toMatchObject({ error: "invalid_grant" });
    const { access_token } = await redeem(started, location);
    await expect(redeem(started, location, other)).rejects.toMatchObject({ error: "invalid_grant" });
    expect((await makeAsk({ app: service.app, key: access_token })("readCli")).status).toBe(200);
  });

  test("with another redirect is refused", async () => {
    const started = await start();
    const location = await approve(started);
    const other = { redirectUri: "http://127.0.0.1:54322/callback" };
    await expect(redeem(started, location, other)).rejects.toMatchObject({ error: "invalid_grant" });
  });

  test("older than two minutes is refused", async () => {
    const started = await start();
    const location = await approve(started);
    service.clock.advance(120_000);
    await expect(redeem(started, location)).rejects.toMatchObject({ error: "invalid_grant" });
  });

  test("is kept as a hash alone", async () => {
    const location = await approve(await start());
    const { searchParams } = location;
    expect(await service.store.logins.findCode(searchParams.get("code") ?? "")).toBeUndefined();
  });
});

describe("the device grant", () => {
  async function ask(as: oauth.AuthorizationServer) {
    const parameters = { scope: "sessions:read", device_name: "container", device_system: "Linux 6.1", client_version: "1.0.0" };
    const response = await oauth.deviceAuthorizationRequest(as, client, oauth.None(), parameters, options());
    return oauth.processDeviceAuthorizationResponse(as, client, response);
  }
  async function poll(as: oauth.AuthorizationServer, code: string) {
    const response = await oauth.deviceCodeGrantRequest(as, client, oauth.None(), code, options());
    return oauth.processDeviceCodeResponse(as, client, response);
  }

  test("gives a key once a person has approved it, and once only", async () => {
    const as = await discover();
    const { device_code, user_code, verification_uri, verification_uri_complete, expires_in, interval } = await ask(as);
    expect(user_code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/u);
    expect({ verification_uri, expires_in, interval }).toEqual({
      verification_uri: `${site.origin}/device`,
      expires_in: 600,
      interval: 5,
    });
    await expect(poll(as, device_code)).rejects.toMatchObject({ error: "authorization_pending" });

    await browser.signIn();
    const { pathname, search } = new URL(verification_uri_complete ?? "");
    const page = await browser.get(pathname + search);
    for (const said of ["container", "Linux 6.1", "1.0.0", user_code]) expect(page.text).toContain(said);
    expect((await browser.submit(pathname + search, { decision: "approve" })).text).toContain("Approved");

    service.clock.advance(5000);
    const { access_token, scope } = await poll(as, device_code);
    expect(scope).toBe("sessions:read");
    expect((await makeAsk({ app: service.app, key: access_token })("listSessions")).status).toBe(200);
    service.clock.advance(5000);
    await expect(poll(as, device_code)).rejects.toMatchObject({ error: "invalid_grant" });
  });

  test("a code that was typed may have blanks, small letters and no dash", async () => {
    const { user_code } = await ask(await discover());
    await browser.signIn();
    const typed = encodeURIComponent(` ${user_code.toLowerCase().replace("-", " ")}`);
    expect((await browser.get(`/device?user_code=${typed}`)).text).toContain(user_code);
  });

  test("Deny says so to the device", async () => {
    const as = await discover();
    const { device_code, user_code } = await ask(as);
    await browser.signIn();
    await browser.get(`/device?user_code=${user_code}`);
    await browser.submit(`/device?user_code=${user_code}`, { decision: "deny" });
    await expect(poll(as, device_code)).rejects.toMatchObject({ error: "access_denied" });
  });

  test.each([false, true])("Deny after an approval (Back): the terminal has its key: %s", async (redeemed) => {
    const as = await discover();
    const { device_code, user_code } = await ask(as);
    await browser.signIn();
    await browser.get(`/device?user_code=${user_code}`);
    const decide = async (decision: string) => (await browser.submit(`/device?user_code=${user_code}`, { decision })).text;
    for (let time = 0; time < 2; time++) expect(await decide("approve")).toContain("Approved");
    if (redeemed) await poll(as, device_code);
    service.clock.advance(redeemed ? 700_000 : 0);
    expect(await decide("deny")).toMatch(redeemed ? /has its key by now.*\/keys">revoke it/u : /gets no key/u);
    if (!redeemed) await expect(poll(as, device_code)).rejects.toMatchObject({ error: "access_denied" });
  });

  test("who polls too fast is told to slow down, by five seconds each time", async () => {
    const as = await discover();
    const { device_code } = await ask(as);
    await expect(poll(as, device_code)).rejects.toMatchObject({ error: "authorization_pending" });
    service.clock.advance(1000);
    await expect(poll(as, device_code)).rejects.toMatchObject({ error: "slow_down" });
    service.clock.advance(5000);
    await expect(poll(as, device_code)).rejects.toMatchObject({ error: "slow_down" });
    service.clock.advance(15_000);
    await expect(poll(as, device_code)).rejects.toMatchObject({ error: "authorization_pending" });
  });

  test("after ten minutes it has expired, for the device and for the page", async () => {
    const as = await discover();
    const { device_code, user_code } = await ask(as);
    service.clock.advance(600_000);
    await expect(poll(as, device_code)).rejects.toMatchObject({ error: "expired_token" });
    await browser.signIn();
    expect((await browser.get(`/device?user_code=${user_code}`)).text).toContain("No terminal waits with this code");
  });

  test("a code can't be guessed: after ten wrong ones even the right one has to wait", async () => {
    const { user_code } = await ask(await discover());
    await browser.signIn();
    for (let count = 0; count < 10; count++) await browser.get("/device?user_code=BBBB-BBBB");
    expect((await browser.get(`/device?user_code=${user_code}`)).status).toBe(429);
    service.clock.advance(600_000 - 100_000);
    expect((await browser.get(`/device?user_code=${user_code}`)).status).toBe(429);
  });

  test("many who ask keep nobody from it", async () => {
    const as = await discover();
    for (let count = 0; count < 60; count++) await ask(as);
    expect((await ask(as)).interval).toBe(5);
  });
});

test("revocation ends a key; of one that is unknown nothing is told", async () => {
  const as = await discover();
  const revoke = async (key: string) =>
    oauth.processRevocationResponse(await oauth.revocationRequest(as, client, oauth.None(), key, options()));
  const key = await service.makeKey();
  await revoke(key);
  expect((await makeAsk(service)("readCli", { key })).status).toBe(401);
  await revoke("ferry_unknown");
  await expect(revoke(service.key)).rejects.toMatchObject({ status: 400, error: "unsupported_token_type" });
  expect((await makeAsk(service)("readCli")).status).toBe(200);
});

test("the metadata names itself as the issuer by whichever name of this machine it was asked", async () => {
  const response = await site.app(
    new Request("http://x/.well-known/oauth-authorization-server", { headers: { host: "localhost:8080" } }),
  );
  expect(await response.json()).toMatchObject({
    issuer: "http://localhost:8080",
    token_endpoint: "http://localhost:8080/oauth/token",
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
  });
});
