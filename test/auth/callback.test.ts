import { once } from "node:events";
import { request as ask } from "node:http";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Arrival, type Callback, openCallback } from "../../src/auth/browser/callback.ts";
import { makeRefuse } from "../../src/auth/browser/refuse.ts";
import { makeStartPage } from "../../src/auth/browser/start.ts";
import type { Binding } from "../../src/auth/oauth/pkce.ts";
import { listen } from "../../src/host/network/listener.ts";

const refuse = makeRefuse(async () => undefined);
const start = makeStartPage(() => new Uint8Array(16), refuse);
const binding: Binding = { verifier: "v", challenge: "c", state: "the-state" };

let callback: Callback;
let arrival: Promise<Arrival>;
let arrived: URLSearchParams | undefined;
beforeEach(async () => {
  arrived = undefined;
  callback = await openCallback({ listen }, { binding, start, refuse }, { issuer: "x" });
  arrival = callback.next();
  void arrival.then(({ parameters }) => (arrived = parameters));
});
afterEach(() => callback.close());

const port = () => new URL(callback.redirectUri).port;
const good = "/callback?code=abc&state=the-state&iss=x";

interface Reply {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

async function visit(path: string, { method = "GET", host = `127.0.0.1:${port()}` } = {}): Promise<Reply> {
  const outgoing = ask({ host: "127.0.0.1", port: port(), path, method, headers: { host } });
  const answered = once(outgoing, "response");
  outgoing.end();
  const [response] = (await answered) as [import("node:http").IncomingMessage];
  return { status: response.statusCode, headers: response.headers, text: await text(response) };
}

describe("what isn't our answer gets 400 and ends nothing", () => {
  test.each([
    ["a wrong state", "/callback?code=abc&state=the-stat3"],
    ["a longer state", "/callback?code=abc&state=the-state1"],
    ["no state", "/callback?code=abc"],
    ["an empty state", "/callback?code=abc&state="],
    ["a state that is given twice", "/callback?code=abc&state=x&state=the-state"],
    ["a code that is given twice", "/callback?code=abc&code=def&state=the-state"],
    ["a code and an error", "/callback?code=abc&error=access_denied&state=the-state"],
    ["neither code nor error", "/callback?state=the-state"],
    ["an empty code", "/callback?code=&state=the-state"],
    ["the issuer of another service (mix-up)", "/callback?code=abc&state=the-state&iss=https://evil.example"],
    ["an issuer that is given twice", "/callback?code=abc&state=the-state&iss=x&iss=x"],
    ["another path", "/callback/?code=abc&state=the-state"],
    ["another path above it", "/?code=abc&state=the-state"],
    ["a path that is ours only when it is tidied", "/x/../callback?code=abc&state=the-state&iss=x"],
    ["the icon that browsers look for", "/favicon.ico"],
    ["an address that is none", "//"],
    ["an address of another host", "http://evil.example/callback?code=abc&state=the-state&iss=x"],
    ["such a one without its scheme", "//evil.example/callback?code=abc&state=the-state&iss=x"],
  ])("%s", async (_, path) => {
    expect((await visit(path)).status).toBe(400);
    expect(arrived).toBeUndefined();
  });

  test.each(["POST", "HEAD", "OPTIONS", "PUT"])("%s", async (method) => {
    expect((await visit(good, { method })).status).toBe(400);
    expect(arrived).toBeUndefined();
  });

  test.each(["localhost", "evil.example", "127.0.0.1", "127.0.0.1:1"])("the Host %s", async (host) => {
    expect((await visit(good, { host })).status).toBe(400);
    expect(arrived).toBeUndefined();
  });

  test("a second Host", async () => {
    const socket = connect(Number(port()), "127.0.0.1");
    socket.end(`GET ${good} HTTP/1.1\r\nHost: 127.0.0.1:${port()}\r\nHost: evil.example\r\nConnection: close\r\n\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /u);
    expect(arrived).toBeUndefined();
  });

  test("no issuer, where the service says that it names itself", async () => {
    const metadata = { issuer: "x", authorization_response_iss_parameter_supported: true };
    const strict = await openCallback({ listen }, { binding, start, refuse }, metadata);
    const answer = await fetch(`${strict.redirectUri}?code=abc&state=the-state`);
    expect(answer.status).toBe(400);
    await strict.close();
  });

  test("100 stray requests, and then ours", async () => {
    const replies = await Promise.all(Array.from({ length: 100 }, (_, at) => visit(`/callback?code=${at}&state=${at}`)));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([400]));
    const answer = visit(good);
    expect((await arrival).parameters.get("code")).toBe("abc");
    callback.finish("done");
    expect((await answer).status).toBe(200);
  });
});

test("nothing of a request is in what the browser is shown (error text reflected into the callback page)", async () => {
  const markup = encodeURIComponent("<script>alert(1)</script>");
  const refused = await visit(`/callback?error=${markup}&error_description=${markup}&state=x`);
  const answer = visit(`/callback?error=access_denied&error_description=${markup}&state=the-state`);
  expect((await arrival).parameters.get("error_description")).toContain("<script>");
  callback.finish("failed");
  for (const page of [refused, await answer]) {
    expect(page.text).not.toContain("alert");
    expect(page.text).not.toContain("access_denied");
    expect(page.headers).toMatchObject({
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
    });
  }
});

test("the browser waits until the login is decided, and a reload gets the same", async () => {
  let shown = 0;
  const answers = [visit(good), visit(good)].map((answer) => answer.then((reply) => ((shown += 1), reply)));
  await arrival;
  expect(shown).toBe(0);
  callback.finish("done");
  for (const answer of answers) expect((await answer).text).toContain("Go back to your terminal");
});

test("each answer is its own browser's, in the order of their coming", async () => {
  const first = visit("/callback?code=wrong&state=the-state");
  const { answer } = await arrival;
  const second = visit(good);
  const { parameters } = await callback.next();
  answer("failed");
  expect((await first).text).toContain("did not work");
  expect(parameters.get("code")).toBe("abc");
  callback.finish("done");
  expect((await second).text).toContain("It has what it needs");
});

test("it listens on 127.0.0.1 alone (listener on all interfaces)", async () => {
  const others = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.filter(({ internal }) => !internal));
  for (const { address, family } of others.filter(({ family: one }) => one === "IPv4")) {
    const socket = connect({ host: address, port: Number(port()), family: family === "IPv4" ? 4 : 6 });
    await expect(once(socket, "connect")).rejects.toMatchObject({ code: "ECONNREFUSED" });
  }
  await expect(once(connect({ host: "127.0.0.2", port: Number(port()) }), "connect")).rejects.toMatchObject({
    code: "ECONNREFUSED",
  });
});

test("afterwards nobody listens, and an idle connection holds nothing up", async () => {
  const idle = connect({ host: "127.0.0.1", port: Number(port()) });
  await once(idle, "connect");
  idle.on("error", () => undefined);
  const started = performance.now();
  await callback.close();
  expect(performance.now() - started).toBeLessThan(2000);
  await expect(visit(good)).rejects.toMatchObject({ code: "ECONNREFUSED" });
});
