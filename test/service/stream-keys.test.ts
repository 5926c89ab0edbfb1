import { createHash } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type AskService, makeAsk, makeRequest, must } from "../support/api.ts";
import { makeTestService, type TestService } from "../support/service.ts";
import { type Browser, makeTestSite, type TestSite } from "../support/site.ts";

let service: TestService;
let ask: AskService;
let site: TestSite;
let params: { sessionId: string };
beforeEach(async () => {
  service = await makeTestService();
  ask = makeAsk(service);
  site = await makeTestSite(service);
  await must(ask, "createRepository", { body: { platform: "git", name: "a", full_name: "o/a", clone_url: "/srv/a.git" } });
  params = { sessionId: (await must(ask, "createSession", { body: { message: "one" } })).id };
});
afterEach(async () => {
  expect(service.errors).toEqual([]);
  await service.close();
});

const verifier = "v".repeat(43);
const redirect_uri = "http://127.0.0.1:54321/callback";

/** Each gives a key, and then what ends it. */
const ways: Readonly<Record<string, () => Promise<readonly [key: string, end: () => Promise<unknown>]>>> = {
  "the API": async () => {
    const key = await service.makeKey({ id: "key_1" });
    return [key, () => must(ask, "revokeKey", { params: { keyId: "key_1" } })];
  },
  "the portal": async () => {
    const key = await service.makeKey({ id: "key_1" });
    const browser = await signedIn();
    await browser.get("/keys");
    return [key, () => browser.submit("/keys/revoke", { id: "key_1" })];
  },
  "a logout (RFC 7009)": async () => {
    const key = await service.makeKey();
    return [key, () => post("/oauth/revoke", { token: key })];
  },
  "a second use of the code that gave it": async () => {
    const code = await approvedCode();
    const redeem = () =>
      post("/oauth/token", {
        grant_type: "authorization_code",
        client_id: "ferry-cli",
        code,
        redirect_uri,
        code_verifier: verifier,
      });
    const { access_token } = (await (await redeem()).json()) as { access_token: string };
    return [access_token, redeem];
  },
  "another process": async () => {
    const key = await service.makeKey({ id: "key_1" });
    return [
      key,
      async () => {
        while (service.clock.sleepers() < 2) await new Promise(setImmediate);
        await service.store.keys.revoke("key_1", "2026-01-01T01:00:00.000Z");
        service.clock.advance(5000);
        // One of them is woken for good.
        for (let n = 0; n < 10; n += 1) await new Promise(setImmediate);
      },
    ];
  },
  "its expiry": async () => {
    const key = await service.makeKey({ expires_at: "2026-01-01T01:00:00.000Z" });
    return [
      key,
      async () => {
        while (service.clock.sleepers() === 0) await new Promise(setImmediate);
        service.clock.advance(3_600_000);
      },
    ];
  },
};

test.each(Object.keys(ways))("a stream ends with its key, by %s, and the key is refused then", async (way) => {
  const [key, end] = (await ways[way]?.()) ?? [];
  const other = await open(service.key);
  const stream = await open(key);
  await stream.skip(2);
  await other.skip(2);
  const next = stream.next();
  await end?.();
  await service.sessions.finishTurn(params.sessionId, "secret");
  expect(await next).not.toContain("secret");
  expect(await stream.rest()).toBe("");
  expect(await other.next()).toContain("secret");
  expect((await ask("readEvents", { params, key: key ?? "" })).status).toBe(401);
  await other.close();
  expect([service.sessions.followers(), service.clock.sleepers()]).toEqual([0, 0]);
});

test("a key that is revoked while its stream is being opened gets nothing", async () => {
  const stream = await open(await service.makeKey({ id: "key_1" }));
  await must(ask, "revokeKey", { params: { keyId: "key_1" } });
  expect(await stream.rest()).toBe("");
});

test("nor the rest of a timeline that is still being sent", async () => {
  const key = await service.makeKey({ id: "key_1" });
  await service.sessions.finishTurn(params.sessionId, "secret");
  const stream = await open(key);
  await stream.skip(2);
  await must(ask, "revokeKey", { params: { keyId: "key_1" } });
  expect(await stream.rest()).toBe("");
});

test("a stream that its client leaves is no longer watched for its key's expiry", async () => {
  const stream = await open(await service.makeKey({ expires_at: "2026-02-01T00:00:00.000Z" }));
  await stream.skip(2);
  await stream.close();
  expect(service.clock.sleepers()).toBe(0);
});

interface Stream {
  /** A frame; "" at the end. */
  next(): Promise<string>;
  skip(count: number): Promise<void>;
  rest(): Promise<string>;
  close(): Promise<void>;
}

async function open(key = ""): Promise<Stream> {
  const response = await service.app(makeRequest("readEvents", { params, key, headers: { accept: "text/event-stream" } }));
  expect(response.status).toBe(200);
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const stream: Stream = {
    next: async () => new TextDecoder().decode((await reader.read()).value),
    async skip(count) {
      for (let skipped = 0; skipped < count; skipped++) await stream.next();
    },
    async rest() {
      let all = "";
      for (let frame = await stream.next(); frame !== ""; frame = await stream.next()) all += frame;
      return all;
    },
    close: () => reader.cancel(),
  };
  return stream;
}

async function signedIn(): Promise<Browser> {
  const browser = site.browser();
  await browser.signIn();
  return browser;
}

async function approvedCode(): Promise<string> {
  const browser = await signedIn();
  const asked = {
    response_type: "code",
    client_id: "ferry-cli",
    redirect_uri,
    state: "s".repeat(43),
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  };
  const path = `/oauth/authorize?${new URLSearchParams(asked).toString()}`;
  await browser.get(path);
  const { headers } = await browser.submit(path, { decision: "approve" });
  return new URL(headers.get("location") ?? "").searchParams.get("code") ?? "";
}

function post(path: string, form: Readonly<Record<string, string>>): Promise<Response> {
  const headers = { host: "127.0.0.1:8080", "content-type": "application/x-www-form-urlencoded" };
  return site.app(new Request(site.origin + path, { method: "POST", headers, body: new URLSearchParams(form).toString() }));
}
