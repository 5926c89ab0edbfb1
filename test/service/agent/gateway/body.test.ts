import { mkdtemp, rm } from "node:fs/promises";
import { once } from "node:events";
import { request as makeRequest, type ClientRequest, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { SendRequest, SendResponse } from "../../../../src/host/host.ts";
import type { Access } from "../../../../src/service/agent/gateway/access.ts";
import { type Bounds, type Gateway, type Gateways, makeGateways } from "../../../../src/service/agent/gateway/gateways.ts";
import { providers } from "../../../../src/service/agent/gateway/provider.ts";
import { systemReach } from "../../../../src/service/agent/gateway/tunnels.ts";

const kibibyte = 1024;
const bounds = { call: 96 * kibibyte, sandbox: 130 * kibibyte, all: 140 * kibibyte, silence: 60_000 };
const access: Access = { provider: providers.anthropic, address: "http://provider", form: providers.anthropic.keys[0], key: "k" };

let folder: string;
let open: Gateway[];
let arrived: SendRequest[];
let outages: string[];
let answer: () => Promise<SendResponse>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ferry-gateway-"));
  [open, arrived, outages] = [[], [], []];
  answer = () => Promise.resolve(fine());
});

afterEach(async () => {
  for (const gateway of open) await gateway.close();
  await rm(folder, { recursive: true });
});

test("a sandbox's calls hold so much together, and no more until one of them is answered", async () => {
  let finish: () => void = () => undefined;
  const waiting = new Promise<void>((resolve) => (finish = resolve));
  answer = () => waiting.then(fine);
  const socket = await sandbox(serve(), "a");
  const first = post(socket, 32 * kibibyte);
  const second = post(socket, 32 * kibibyte);
  await expect.poll(() => arrived).toHaveLength(2);
  const third = await post(socket, 96 * kibibyte);
  expect(third).toEqual({ status: 429, retry: "5", text: expect.stringContaining("try again") as string });
  expect(outages).toEqual([expect.stringContaining("try again") as string]);
  finish();
  expect([(await first).status, (await second).status]).toEqual([200, 200]);
  expect((await post(socket, 64 * kibibyte)).status).toBe(200);
  expect(arrived.map(({ body }) => body?.length)).toEqual([32, 32, 64].map((size) => size * kibibyte));
});

test("nor do those of all sandboxes; what an agent held is free when it goes", async () => {
  const gateways = serve();
  const [one, other] = [await sandbox(gateways, "a"), await sandbox(gateways, "b")];
  const leaving = [1, 2, 3].map(() => start(one, 32 * kibibyte));
  for (const call of leaving) call.write(Buffer.alloc(32 * kibibyte - 1));
  await expect.poll(async () => (await post(other, 64 * kibibyte)).status).toBe(429);
  for (const call of leaving) call.destroy();
  await expect.poll(async () => (await post(other, 64 * kibibyte)).status).toBe(200);
  expect(new Set(outages)).toEqual(new Set([expect.stringContaining("try again") as string]));
});

test("a body that stalls is ended, and told", async () => {
  const call = start(await sandbox(serve({ ...bounds, silence: 20 }), "a"), 32);
  call.write("half");
  expect(await answerTo(call)).toMatchObject({ status: 408, text: expect.stringContaining("stalled") as string });
  call.destroy();
});

test("a body that is too large is told so, also to a client that reads no answer before it has sent all", async () => {
  const { status, text } = await post(await sandbox(serve(), "a"), 3 * bounds.call);
  expect({ status, text }).toEqual({ status: 413, text: expect.stringContaining("too large") as string });
  expect(arrived).toEqual([]);
});

test("a body in chunks of single bytes arrives as it is", async () => {
  const call = makeRequest({ socketPath: await sandbox(serve(), "a"), method: "POST", path: "/anthropic/v1/messages" });
  const text = "abcdefghij".repeat(100);
  for (const byte of text) call.write(byte);
  call.end();
  expect((await answerTo(call)).status).toBe(200);
  expect(String(Buffer.from((arrived[0]?.body ?? "") as Uint8Array))).toBe(text);
});

function serve(asked: Bounds = bounds): Gateways {
  const send = async (request: SendRequest) => {
    arrived.push(request);
    return answer();
  };
  return makeGateways(folder, send, systemReach, asked);
}

async function sandbox(gateways: Gateways, id: string): Promise<string> {
  const unreachable = (reason: string) => void outages.push(reason);
  const gateway = await gateways.open(id, { accesses: [access], network: [], box: undefined, unreachable, version: "0" });
  open.push(gateway);
  return join(gateway.folder, "model.sock");
}

function start(socketPath: string, length: number): ClientRequest {
  const headers = { "content-length": length };
  const call = makeRequest({ socketPath, method: "POST", path: "/anthropic/v1/messages", headers, agent: false });
  // What is sent after the answer may fail.
  return call.on("error", () => undefined);
}

function post(socketPath: string, length: number) {
  const call = start(socketPath, length);
  call.end(Buffer.alloc(length));
  return answerTo(call);
}

async function answerTo(call: ClientRequest) {
  const [reply] = (await once(call, "response")) as [IncomingMessage];
  let text = "";
  for await (const chunk of reply) text += String(chunk);
  return { status: reply.statusCode, retry: reply.headers["retry-after"], text };
}

function fine(): SendResponse {
  const body = Readable.from([Buffer.from("{}")]) as AsyncIterable<Uint8Array>;
  return { status: 200, headers: {}, body, cancel: () => Promise.resolve() };
}
