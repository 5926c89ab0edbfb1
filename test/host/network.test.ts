import { mkdtempSync, rmSync } from "node:fs";
import { once } from "node:events";
import http from "node:http";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import * as zlib from "node:zlib";
import { describe, expect, test } from "vitest";
import type { FerryError } from "../../src/base/errors.ts";
import { isUnreadable } from "../../src/client/http/json.ts";
import type { SendRequest, SendResponse } from "../../src/host/host.ts";
import { makeNetwork } from "../../src/host/network.ts";
import { serve, serveBytes } from "../support/http-server.ts";

const { send } = makeNetwork({});

async function text({ body }: SendResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function get(url: string, change: Partial<SendRequest> = {}): SendRequest {
  return { method: "GET", url, headers: {}, ...change };
}

/** A server that says what it was asked. */
function echo(): http.Server {
  return http.createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      outgoing.setHeader("x-more", ["a", "b"]);
      outgoing.end(
        JSON.stringify({
          method: incoming.method,
          url: incoming.url,
          headers: incoming.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      );
    });
  });
}

test("who changes the protocol unasked has given no answer", async () => {
  const host = await serveBytes("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n", "hang");
  await expect(send(get(`http://${host}/`, { idleTimeout: 5000 }))).rejects.toMatchObject({
    kind: "unavailable",
    message: `${host} changes the protocol (101), which it wasn't asked to`,
  });
});

describe("a plain exchange", () => {
  test("sends method, path, headers and body, and joins headers of one name", async () => {
    const host = await serve(echo());
    const response = await send({ method: "POST", url: `http://${host}/a%20b?c=d`, headers: { "x-own": "1" }, body: "ü" });
    expect(response.headers["x-more"]).toBe("a, b");
    const asked = JSON.parse(await text(response)) as Record<string, unknown>;
    expect(asked).toMatchObject({
      method: "POST",
      url: "/a%20b?c=d",
      body: "ü",
      headers: { host, "x-own": "1", "content-length": "2" },
    });
  });

  test("keeps the connection for reads, and gives each write its own", async () => {
    let connections = 0;
    const host = await serve(echo().on("connection", () => connections++));
    const own = makeNetwork({}).send;
    for (let count = 0; count < 3; count++) await text(await own(get(`http://${host}/`)));
    expect(connections).toBe(1);
    await text(await own({ ...get(`http://${host}/`), method: "POST", body: "x" }));
    expect(connections).toBe(2);
  });

  test("an error status, and a redirect, is an answer like any other", async () => {
    const host = await serve(http.createServer((_, outgoing) => outgoing.writeHead(302, { location: "/else" }).end()));
    const response = await send(get(`http://${host}/`));
    expect([response.status, response.headers["location"], await text(response)]).toEqual([302, "/else", ""]);
  });

  test("over a socket, whatever host the address names", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ferry-network-"));
    const server = echo();
    await new Promise<void>((resolve) => server.listen(join(folder, "s"), resolve));
    const response = await makeNetwork({}).overSocket(join(folder, "s"))(get("http://localhost/x"));
    expect(JSON.parse(await text(response))).toMatchObject({ url: "/x" });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true });
  });
});

describe("compressed", () => {
  const encodings: [string, (text: string) => Buffer][] = [
    ["gzip", (text) => zlib.gzipSync(text)],
    ["br", (text) => zlib.brotliCompressSync(text)],
    ["gzip, br", (text) => zlib.brotliCompressSync(zlib.gzipSync(text))],
    ...("zstdCompressSync" in zlib ? [["zstd", zlib.zstdCompressSync] as [string, (text: string) => Buffer]] : []),
  ];
  test.each(encodings)("as %s", async (encoding, compress) => {
    const long = "ferry ".repeat(50_000);
    let accepted: string | undefined;
    const server = http.createServer((incoming, outgoing) => {
      accepted = incoming.headers["accept-encoding"];
      outgoing.writeHead(200, { "content-encoding": encoding }).end(compress(long));
    });
    expect(await text(await send(get(`http://${await serve(server)}/`)))).toBe(long);
    expect(accepted).toContain(encoding.split(",")[0]);
  });

  test("cut off, garbled, or in an encoding that nobody asked for", async () => {
    const whole = zlib.gzipSync("ferry ".repeat(5000));
    const answer = (body: Uint8Array, encoding: string) =>
      serve(http.createServer((_, outgoing) => outgoing.writeHead(200, { "content-encoding": encoding }).end(body)));
    const cut = await send(get(`http://${await answer(whole.subarray(0, 50), "gzip")}/`));
    await expect(text(cut)).rejects.toMatchObject({ kind: "unavailable", code: "Z_BUF_ERROR" });
    const garbled = await send(get(`http://${await answer(Buffer.from("no gzip at all"), "gzip")}/`));
    await expect(text(garbled)).rejects.toMatchObject({ kind: "unavailable", code: "Z_DATA_ERROR" });
    const garbage = await send(get(`http://${await answer(Buffer.from("no brotli at all".repeat(50)), "br")}/`));
    await expect(text(garbage)).rejects.toSatisfy(
      (error: FerryError) => error.message.includes("garbled") && isUnreadable(error),
    );
    await expect(send(get(`http://${await answer(whole, "compress")}/`))).rejects.toMatchObject({
      message: expect.stringContaining("as compress,") as string,
      code: "unknown_encoding",
    });
  });
});

describe("no answer", () => {
  test("nobody listens: not sent", async () => {
    const server = net.createServer();
    const host = await serve(server);
    await new Promise((resolve) => server.close(resolve));
    const failure = { name: "FerryError", kind: "unavailable", code: "ECONNREFUSED", sent: false };
    await expect(send(get(`http://${host}/`))).rejects.toMatchObject({
      ...failure,
      message: `${host}: connection refused (ECONNREFUSED)`,
    });
    await expect(makeNetwork({}).overSocket("/nowhere/s")(get("http://localhost/"))).rejects.toMatchObject({
      code: "ENOENT",
      sent: false,
    });
  });

  test("the connection is cut before the answer: perhaps sent", async () => {
    const host = await serve(net.createServer((socket) => socket.once("data", () => socket.resetAndDestroy())));
    await expect(send(get(`http://${host}/`))).rejects.toMatchObject({ code: "ECONNRESET", sent: true });
  });

  test("what comes is no HTTP", async () => {
    const host = await serveBytes("SSH-2.0-OpenSSH_9.2\r\n", "hang");
    await expect(send(get(`http://${host}/`))).rejects.toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining("doesn't speak HTTP") as string,
    });
  });

  test.each([
    ["by its length", "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf"],
    ["in a chunk", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n64\r\nhalf"],
    ["between chunks", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n"],
  ])("a body that ends early, %s", async (_how, bytes) => {
    const response = await send(get(`http://${await serveBytes(bytes)}/`));
    await expect(text(response)).rejects.toMatchObject({ kind: "unavailable", sent: true, code: "ECONNRESET" });
  });

  test("silence before the answer, and within it", async () => {
    const silent = await serve(net.createServer());
    await expect(send(get(`http://${silent}/`, { idleTimeout: 50 }))).rejects.toMatchObject({
      kind: "unavailable",
      code: "ETIMEDOUT",
      message: `${silent} sent nothing for 0.1 s`,
    });
    const host = await serveBytes("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf", "hang");
    const response = await send(get(`http://${host}/`, { idleTimeout: 100 }));
    await expect(text(response)).rejects.toMatchObject({ code: "ETIMEDOUT" });
  });

  test("a reader that takes its time is no silence", async () => {
    const host = await serve(echo());
    const response = await send(get(`http://${host}/`, { idleTimeout: 400 }));
    await new Promise((resolve) => setTimeout(resolve, 900));
    expect(await text(response)).toContain("GET");
  });
});

describe("the signal", () => {
  const reason = new Error("interrupted");

  test("aborted before, during, and within the body: its reason", async () => {
    await expect(send(get("http://127.0.0.1:1/", { signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
    const server = http.createServer(() => undefined);
    const silent = await serve(server);
    const asked = once(server, "request");
    const waiting = new AbortController();
    const pending = send(get(`http://${silent}/`, { signal: waiting.signal }));
    await asked;
    waiting.abort(reason);
    await expect(pending).rejects.toBe(reason);
    const reading = new AbortController();
    const response = await send(
      get(`http://${await serveBytes("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf", "hang")}/`, { signal: reading.signal }),
    );
    const body = text(response);
    reading.abort(reason);
    await expect(body).rejects.toBe(reason);
  });

  test("cancelling an answer closes its connection", async () => {
    const server = http.createServer((_, outgoing) => outgoing.write("first"));
    const host = await serve(server);
    const asked = once(server, "request") as Promise<[http.IncomingMessage, http.ServerResponse]>;
    const response = await send(get(`http://${host}/`));
    const closed = once((await asked)[1], "close");
    await response.cancel();
    await closed;
  });
});

test("a listener on loopback gives what its handler answers, and survives one that fails", async () => {
  const listener = await makeNetwork({}).listen(async ({ path, query, host }) => {
    if (path === "/bad") throw new Error("bad");
    return { status: 201, headers: { "x-a": "b" }, body: `${path} ${query.get("code") ?? ""} ${host}` };
  });
  const at = `127.0.0.1:${listener.port}`;
  const response = await send(get(`http://${at}/callback?code=1`));
  expect([response.status, response.headers["x-a"], await text(response)]).toEqual([201, "b", `/callback 1 ${at}`]);
  expect((await send(get(`http://${at}/bad`))).status).toBe(500);
  await listener.close();
  await expect(send(get(`http://${at}/`))).rejects.toMatchObject({ code: "ECONNREFUSED" });
});

test("localhost and the names below it are this machine, without asking a name server", async () => {
  const [, port = ""] = (await serve(echo())).split(":");
  for (const name of ["localhost", "agents.localhost", "no-such-name-anywhere.localhost."])
    expect((await send(get(`http://${name}:${port}/`))).status).toBe(200);
});

test("an encoding that we can't undo is told without the service's own word for it", async () => {
  const encodedAs = (name: string) =>
    serve(http.createServer((_, outgoing) => outgoing.setHeader("content-encoding", name).end("x")));
  await expect(send(get(`http://${await encodedAs("key-of-a-test")}/`))).rejects.toThrow(
    /^the answer is encoded in a way, which we didn't ask for$/u,
  );
  await expect(send(get(`http://${await encodedAs("deflate")}/`))).rejects.toThrow("is encoded as deflate, which we");
});

test("an answer that is encoded more than three times is not decoded", async () => {
  const times = (count: number) =>
    serve(
      http.createServer((_, outgoing) => {
        let body = Buffer.from("ferry");
        for (let at = 0; at < count; at++) body = zlib.gzipSync(body);
        outgoing.setHeader("content-encoding", Array<string>(count).fill("gzip").join(", ")).end(body);
      }),
    );
  expect(await text(await send(get(`http://${await times(3)}/`)))).toBe("ferry");
  await expect(send(get(`http://${await times(4)}/`))).rejects.toThrow("is encoded 4 times over, which we didn't ask for");
});

test.each(["http://user:s3cret@", "http://user:s3cret@proxy:99999", "user:s3cret@proxy:3128"])(
  "a proxy that is none, %s, is told without its password",
  async (proxy) => {
    const { send: proxied } = makeNetwork({ HTTPS_PROXY: proxy });
    const error = await proxied(get("https://agents.example.com/")).catch((thrown: unknown) => thrown);
    expect(inspect(error)).toContain("HTTPS_PROXY is no address of a proxy");
    expect(inspect(error)).not.toContain("s3cret");
  },
);

test("of an answer that is no HTTP no byte is in the error", async () => {
  const key = "key-that-comes-back";
  const there = await serveBytes(`HTTP/1.1 200 OK\r\ncontent-length: ${key}\r\n\r\n`);
  const error = await send(get(`http://${there}/`)).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ kind: "unavailable", code: expect.stringMatching(/^HPE_/u) as string });
  const all = inspect(error, { depth: 9, showHidden: true, maxArrayLength: null });
  for (const form of [key, Buffer.from("key-that").toString("hex").replace(/../gu, "$& ").trim()])
    expect(all).not.toContain(form);
});
