import { mkdtemp, rm, stat } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Send } from "../../../../src/host/host.ts";
import { makeNetwork } from "../../../../src/host/network.ts";
import { type Access, findAccess } from "../../../../src/service/agent/gateway/access.ts";
import { type Gateway, makeGateways } from "../../../../src/service/agent/gateway/gateways.ts";
import { type Provider, providers } from "../../../../src/service/agent/gateway/provider.ts";

const realKey = "sk-real-0123456789";
let folder: string;
let upstream: ReturnType<typeof createServer>;
let received: { message: IncomingMessage; body: string }[];
let answer: (reply: ServerResponse) => void;
let gateway: Gateway;
let outages: string[];
let ask: Send;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ferry-gateway-"));
  received = [];
  outages = [];
  answer = (reply) => reply.end("{}");
  upstream = createServer((message, reply) => {
    const chunks: Buffer[] = [];
    message.on("data", (chunk: Buffer) => chunks.push(chunk));
    message.on("end", () => {
      received.push({ message, body: Buffer.concat(chunks).toString("utf8") });
      answer(reply);
    });
  }).listen(0, "127.0.0.1");
  await once(upstream, "listening");
  const { port } = upstream.address() as { port: number };
  const env: Record<string, string> = {
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}/base/`,
    ANTHROPIC_API_KEY: realKey,
    OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
    GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${port}`,
    GEMINI_API_KEY: realKey,
  };
  const secret = (name: string) => Promise.resolve(env[name]);
  const accesses = await Promise.all(Object.values(providers).map((provider) => findAccess(provider, secret)));
  const network = makeNetwork({});
  gateway = await makeGateways(join(folder, "gateways"), network.send).open("sbx_1", {
    accesses: accesses.filter((access): access is Access => access !== undefined),
    network: [],
    box: { tools: [], call: () => Promise.reject(new Error("there are no tools")) },
    unreachable: (reason) => void outages.push(reason),
    version: "0",
  });
  ask = network.overSocket(join(gateway.folder, "model.sock"));
});

afterEach(async () => {
  await gateway.close();
  upstream.close();
  upstream.closeAllConnections();
  await rm(folder, { recursive: true });
});

async function call(method: string, path: string, headers: Record<string, string> = {}, body?: string) {
  const response = await ask({ method, url: `http://localhost${path}`, headers, body });
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return { status: response.status, headers: response.headers, text: Buffer.concat(chunks).toString("utf8") };
}

test("a model call gets through with the real key in the place of whatever the agent sent", async () => {
  const headers = {
    "x-api-key": "placeholder",
    authorization: "Bearer placeholder",
    cookie: "a=b",
    "proxy-authorization": "x",
    "x-forwarded-for": "10.0.0.1",
    "anthropic-version": "2023-06-01",
    "content-type": "application/json",
  };
  answer = (reply) =>
    reply.writeHead(200, { "content-type": "application/json", "set-cookie": "s=1", "request-id": "r1" }).end("{}");
  const { status, headers: answered } = await call(
    "POST",
    "/anthropic/v1/messages?beta=true&key=stolen&access_token=x",
    headers,
    '{"a":1}',
  );
  expect(status).toBe(200);
  expect(answered).toMatchObject({ "content-type": "application/json", "request-id": "r1" });
  expect(answered).not.toHaveProperty("set-cookie");
  const [{ message, body } = { message: undefined, body: "" }] = received;
  expect(message?.url).toBe("/base/v1/messages?beta=true");
  expect(body).toBe('{"a":1}');
  expect(message?.headers).toMatchObject({ "x-api-key": realKey, "anthropic-version": "2023-06-01" });
  for (const name of ["authorization", "cookie", "proxy-authorization", "x-forwarded-for"])
    expect(message?.headers).not.toHaveProperty(name);
});

test("a model on this machine that wants no key is sent none", async () => {
  await call("POST", "/openai/chat/completions", { authorization: "Bearer placeholder" }, "{}");
  expect(received[0]?.message.url).toBe("/v1/chat/completions");
  expect(received[0]?.message.headers).not.toHaveProperty("authorization");
});

describe("nothing but model calls gets through", () => {
  test.each([
    ["GET", "/anthropic/v1/messages"],
    ["DELETE", "/anthropic/v1/messages"],
    ["POST", "/anthropic/v1/files"],
    ["POST", "/anthropic/v1/organizations/api_keys"],
    ["POST", "/anthropic/v1/messages/batches"],
    ["POST", "/anthropic//v1/messages"],
    ["POST", "/anthropic/v1/messages/"],
    ["POST", "/anthropic/v1/messages/../files"],
    ["POST", "/anthropic/v1/%6dessages"],
    ["GET", "/anthropic/v1/models/..%2ffiles"],
    ["GET", "/anthropic/v1/models/../organizations/me"],
    ["GET", "/anthropic/v1/models/.."],
    ["POST", "/openai/files"],
    ["POST", "/openai/v1/chat/completions"],
    ["POST", "/google/v1beta/models/x:delete"],
    ["POST", "/google/upload/v1beta/files"],
    ["POST", "/nobody/v1/messages"],
    ["POST", "/v1/messages"],
    ["GET", "/"],
  ])("%s %s", async (method, path) => {
    // Over a bare socket, since every HTTP client tidies a path up.
    const socket = connect(join(gateway.folder, "model.sock"));
    socket.end(`${method} ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
    let text = "";
    for await (const chunk of socket) text += String(chunk);
    expect(text).toMatch(/^HTTP\/1\.1 403 /u);
    expect(text).toContain("model calls");
    expect(received).toHaveLength(0);
  });

  test("an address outright, and a tunnel, are no way out", async () => {
    for (const line of ["GET http://169.254.169.254/latest HTTP/1.1", "CONNECT example.com:443 HTTP/1.1"]) {
      const socket = connect(join(gateway.folder, "model.sock"));
      socket.end(`${line}\r\nhost: x\r\nconnection: close\r\n\r\n`);
      let text = "";
      for await (const chunk of socket) text += String(chunk);
      expect(text).not.toMatch(/^HTTP\/1\.1 2/u);
    }
    expect(received).toHaveLength(0);
  });
});

test("a redirect is not followed, so the key goes nowhere else", async () => {
  answer = (reply) => reply.writeHead(307, { location: "http://127.0.0.1:1/steal" }).end();
  const { status, text } = await call("POST", "/anthropic/v1/messages", {}, "{}");
  expect(status).toBe(502);
  expect(text).not.toContain("steal");
  expect(received).toHaveLength(1);
});

test("what an agent hangs up on is counted all the same", async () => {
  answer = (reply) => void reply.write('data: {"message":{"usage":{"input_tokens":25,"output_tokens":1}}}\n\n');
  const leave = new AbortController();
  const url = "http://localhost/anthropic/v1/messages";
  const response = await ask({ method: "POST", url, headers: {}, body: "{}", signal: leave.signal });
  for await (const chunk of response.body) {
    expect(Buffer.from(chunk).toString()).toContain("input_tokens");
    break;
  }
  leave.abort();
  await response.cancel();
  const counted = { calls: 0, inputTokens: 0 };
  await expect
    .poll(() => {
      const { calls, inputTokens } = gateway.takeUsage();
      counted.calls += calls;
      counted.inputTokens += inputTokens;
      return counted;
    })
    .toEqual({ calls: 1, inputTokens: 25 });
});

test("a call that an agent hangs up on before its answer begins is counted, too", async () => {
  const leave = new AbortController();
  answer = () => leave.abort();
  const url = "http://localhost/anthropic/v1/messages";
  await expect(ask({ method: "POST", url, headers: {}, body: "{}", signal: leave.signal })).rejects.toThrow();
  let calls = 0;
  await expect.poll(() => (calls += gateway.takeUsage().calls)).toBe(1);
});

test("a stream arrives as it is written, and its usage is counted", async () => {
  let finish: (() => void) | undefined;
  answer = (reply) => {
    reply.writeHead(200, { "content-type": "text/event-stream" });
    reply.write('data: {"message":{"usage":{"input_tokens":25,"output_tokens":1}}}\n\n');
    finish = () => reply.end('data: {"usage":{"output_tokens":15},"text":"\\"output_tokens\\": 99999"}\n\n');
  };
  const response = await ask({ method: "POST", url: "http://localhost/anthropic/v1/messages", headers: {}, body: "{}" });
  const chunks = response.body[Symbol.asyncIterator]();
  expect(Buffer.from((await chunks.next()).value as Uint8Array).toString()).toContain("message");
  finish?.();
  while ((await chunks.next()).done !== true);
  expect(gateway.takeUsage()).toEqual({ calls: 1, inputTokens: 25, outputTokens: 15 });
  expect(gateway.takeUsage()).toEqual({ calls: 0, inputTokens: 0, outputTokens: 0 });
});

test("an agent that goes away ends its call", async () => {
  const closed = new Promise<void>((resolve) => {
    answer = (reply) => {
      reply.once("close", () => resolve());
      reply.writeHead(200).write("x");
    };
  });
  const response = await ask({ method: "POST", url: "http://localhost/anthropic/v1/messages", headers: {}, body: "{}" });
  await response.cancel();
  await closed;
});

test("a provider that can't be reached is told as an error of a provider, without the key", async () => {
  upstream.close();
  upstream.closeAllConnections();
  await once(upstream, "close");
  const { status, text } = await call("POST", "/anthropic/v1/messages", {}, "{}");
  expect(status).toBe(502);
  expect(JSON.parse(text)).toMatchObject({
    type: "error",
    error: { message: expect.stringContaining("can't be reached") as string },
  });
  expect(outages).toEqual([expect.stringContaining("can't be reached") as string]);
  expect(text).not.toContain(realKey);
});

test("folder and socket: the folder is the service's alone, the socket anybody's in it, and both are gone afterwards", async () => {
  expect((await stat(gateway.folder)).mode & 0o777).toBe(0o700);
  expect((await stat(join(gateway.folder, "model.sock"))).mode & 0o777).toBe(0o666);
  await gateway.close();
  await expect(stat(gateway.folder)).rejects.toThrow("ENOENT");
});

test("whatever path is let through is the same path at the provider", () => {
  const piece = fc.constantFrom(
    "v1",
    "v1beta",
    "messages",
    "models",
    "count_tokens",
    "..",
    ".",
    "%2e%2e",
    "\\",
    "a:b",
    "x",
    ":generateContent",
    "",
  );
  const path = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join("/"));
  const passes = (provider: Provider, text: string) =>
    provider.calls.some((call) => call.path.test(text)) ? new URL(`https://host/base${text}`).pathname === `/base${text}` : true;
  fc.assert(
    fc.property(fc.constantFrom(...Object.values<Provider>(providers)), path, (provider, text) => passes(provider, `/${text}`)),
  );
});

describe("the way to a provider", () => {
  const find = (env: Readonly<Record<string, string>>) => findAccess(providers.anthropic, (name) => Promise.resolve(env[name]));

  test("needs a key, or a model on this machine", async () => {
    expect(await find({})).toBeUndefined();
    expect(await find({ ANTHROPIC_BASE_URL: "https://models.example.com" })).toBeUndefined();
    expect(await find({ ANTHROPIC_BASE_URL: "http://127.0.0.1:9" })).toMatchObject({ key: "", address: "http://127.0.0.1:9" });
    expect(await find({ ANTHROPIC_API_KEY: "k" })).toMatchObject({ key: "k", address: "https://api.anthropic.com" });
    expect(await find({ CLAUDE_CODE_OAUTH_TOKEN: "t" })).toMatchObject({ form: { header: "authorization", scheme: "Bearer " } });
  });

  test.each([
    "http://models.example.com",
    "ftp://127.0.0.1",
    "models.example.com",
    "https://user:pw@example.com",
    "https://x/?a=b",
  ])("an address like %s is refused", async (address) => {
    await expect(find({ ANTHROPIC_BASE_URL: address, ANTHROPIC_API_KEY: "k" })).rejects.toMatchObject({ kind: "usage" });
  });
});
