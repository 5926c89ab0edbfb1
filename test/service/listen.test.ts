import { once } from "node:events";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../src/host/clock.ts";
import type { App } from "../../src/service/app.ts";
import { type Listener, listen, type Patience, patience } from "../../src/service/listen.ts";
import { makeTestClock } from "../support/clock.ts";

let folder: string;
let socketPath: string;
const listeners: Listener[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ferry-listen-"));
  socketPath = join(folder, "s.sock");
});
afterEach(async () => {
  await Promise.all(listeners.splice(0).map((listener) => listener.close()));
  await rm(folder, { recursive: true });
});

async function start(app: App, clock = systemClock, limits?: Patience): Promise<Listener> {
  const listener = await listen(app, { socket: socketPath }, clock, limits);
  listeners.push(listener);
  return listener;
}

function ask(options: { method?: string; path?: string; headers?: Record<string, string> } = {}): ClientRequest {
  return request({ socketPath, agent: false, ...options });
}

async function replyOf(sent: ClientRequest): Promise<IncomingMessage> {
  const [reply] = (await once(sent, "response")) as [IncomingMessage];
  return reply;
}

describe("a request", () => {
  test("comes with its method, address, headers and body, and the answer with its own", async () => {
    await start(async (received) => {
      const { pathname, search } = new URL(received.url);
      const body = await received.text();
      return Response.json(
        { method: received.method, pathname, search, body, x: received.headers.get("x-x") },
        { status: 201, headers: { "x-y": "z" } },
      );
    });
    const sent = ask({ method: "POST", path: "/a%2Fb?c=d", headers: { "x-x": "y" } });
    sent.end("höhe");
    const reply = await replyOf(sent);
    expect([reply.statusCode, reply.headers["x-y"]]).toEqual([201, "z"]);
    expect(JSON.parse(await text(reply))).toEqual({ method: "POST", pathname: "/a%2Fb", search: "?c=d", body: "höhe", x: "y" });
  });

  test("may claim any host: nothing is decided by it", async () => {
    await start(async ({ url }) => new Response(url));
    expect(await text(await replyOf(ask({ path: "/x", headers: { host: "evil.example" } }).end()))).toBe("http://localhost/x");
  });

  test("with an address that is none is 400", async () => {
    await start(() => Promise.reject(new Error("not reached")));
    const connection = connect(socketPath);
    connection.end("GET nonsense HTTP/1.1\r\nhost: x\r\n\r\n");
    expect(await text(connection)).toMatch(/^HTTP\/1\.1 400 /u);
  });

  test("with 16 KiB of headers is refused", async () => {
    await start(async () => new Response("ok"));
    expect((await replyOf(ask({ headers: { "x-x": "x".repeat(17_000) } }).end())).statusCode).toBe(431);
  });

  test.each([8, 20, 100])("whose body is refused gets the answer, however much it sends: %d MiB", async (size) => {
    await start(async ({ body }) => {
      await body?.cancel();
      return new Response("too much", { status: 413 });
    });
    const sent = ask({ method: "POST" });
    sent.end(Buffer.alloc(size * 1024 * 1024));
    const reply = await replyOf(sent);
    // Node's client tells of a broken pipe after it has the whole answer of any server that closes behind it.
    sent.on("error", () => undefined);
    expect([reply.statusCode, await text(reply)]).toEqual([413, "too much"]);
  });
});

describe("a connection that begins a request and doesn't end it", () => {
  const hasty: Patience = { headersTimeout: 100, requestTimeout: 200, connectionsCheckingInterval: 20 };
  const half = "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nhalf";

  test.each([
    ["nothing", ""],
    ["half a head", half.slice(0, 20)],
    ["half a body", half],
  ])("is closed after %s, and others are served", async (_, sent) => {
    await start(async (received) => new Response(await received.text()), systemClock, hasty);
    const connection = connect(socketPath);
    connection.write(sent);
    expect(await text(connection)).toMatch(/^HTTP\/1\.1 408 /u);
    expect((await replyOf(ask().end())).statusCode).toBe(200);
  });

  test("is closed also where its body isn't read since the request was refused", async () => {
    await start(() => Promise.resolve(new Response("no", { status: 401 })), systemClock, hasty);
    const connection = connect(socketPath);
    connection.write(half);
    expect(await text(connection)).toMatch(/^HTTP\/1\.1 408 /u);
  });

  test("has seconds for it, not minutes", () => {
    expect(patience).toEqual({ headersTimeout: 10_000, requestTimeout: 20_000, connectionsCheckingInterval: 2_000 });
  });

  test("whose answer takes longer than that is none", async () => {
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (answer = resolve));
    await start(() => held.then(() => new Response("late")), systemClock, hasty);
    const other = connect(socketPath);
    const sent = ask().end();
    // The other one's patience is over when it is closed.
    await text(other);
    answer();
    expect(await text(await replyOf(sent))).toBe("late");
  });
});

describe("a stream", () => {
  test("goes out piece by piece, as it is made", async () => {
    let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
    await start(async () => streamOf((controller) => (stream = controller)));
    const sent = ask().end();
    while (stream === undefined) await systemClock.sleep(1);
    stream.enqueue(Buffer.from("one"));
    const reply = await replyOf(sent);
    expect(String((await once(reply, "data"))[0])).toBe("one");
    stream.enqueue(Buffer.from("two"));
    expect(String((await once(reply, "data"))[0])).toBe("two");
    stream.close();
  });

  test("that nobody reads is not made any further", async () => {
    let made = 0;
    const piece = Buffer.alloc(64 * 1024);
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        made += 1;
        controller.enqueue(piece);
      },
    });
    await start(async () => new Response(body));
    const reply = await replyOf(ask().end());
    reply.pause();
    let before = -1;
    // The buffers of sockets and streams fill up; then nothing more may be made.
    for (let still = 0; still < 20; before = made) {
      await systemClock.sleep(10);
      still = made === before ? still + 1 : 0;
    }
    expect(made * piece.length).toBeLessThan(8 * 1024 * 1024);
    reply.destroy();
  });

  test("whose client goes away is ended, and the signal says so", async () => {
    let cancelled: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (cancelled = resolve));
    let signal = new AbortController().signal;
    const listener = await start(async (received) => {
      signal = received.signal;
      return streamOf((controller) => controller.enqueue(Buffer.from("x")), cancelled);
    });
    const reply = await replyOf(ask().end());
    expect(listener.open()).toBe(1);
    reply.destroy();
    await ended;
    expect(signal.aborted).toBe(true);
    expect(listener.open()).toBe(0);
  });

  test("whose source breaks is cut, not ended", async () => {
    await start(async () => streamOf((controller) => controller.error(new Error("disk"))));
    const sent = ask().end();
    await expect(replyOf(sent).then(text)).rejects.toMatchObject({ code: "ECONNRESET" });
  });
});

describe("the end", () => {
  test("ends streams, and lets the other answers be finished", async () => {
    let finish: () => void = () => undefined;
    const listener = await start(async ({ url, signal }) => {
      const open = (controller: ReadableStreamDefaultController<Uint8Array>) => {
        controller.enqueue(Buffer.from("x"));
        signal.addEventListener("abort", () => controller.close());
      };
      if (url.endsWith("/stream")) return streamOf(open, undefined, "text/event-stream");
      await new Promise<void>((resolve) => (finish = resolve));
      return new Response("finished");
    });
    const stream = await replyOf(ask({ path: "/stream" }).end());
    const waiting = replyOf(ask({ path: "/wait" }).end());
    while (listener.open() < 2) await systemClock.sleep(1);
    const closed = listener.close();
    expect(await text(stream)).toBe("x");
    await expect(replyOf(ask().end())).rejects.toMatchObject({
      code: expect.stringMatching(/^(ENOENT|ECONNREFUSED)$/u) as string,
    });
    finish();
    expect(await text(await waiting)).toBe("finished");
    await closed;
  });

  test("does not wait for connections that are kept but idle", async () => {
    let finish: () => void = () => undefined;
    const clock = makeTestClock();
    const listener = await start(async ({ url }) => {
      if (url.endsWith("/wait")) await new Promise<void>((resolve) => (finish = resolve));
      return new Response("ok");
    }, clock);
    const agent = new Agent({ keepAlive: true });
    const kept = (path: string) => replyOf(request({ socketPath, agent, path }).end());
    const waiting = kept("/wait");
    await text(await kept("/"));
    while (listener.open() !== 1) await systemClock.sleep(1);
    const began = systemClock.elapsed();
    const closed = listener.close();
    finish();
    await text(await waiting);
    await closed;
    // Node gives up an idle connection after five seconds.
    expect(systemClock.elapsed() - began).toBeLessThan(4000);
    agent.destroy();
  });

  test("waits five seconds for an answer that doesn't come, not longer", async () => {
    const clock = makeTestClock();
    const listener = await start(() => new Promise(() => undefined), clock);
    const sent = ask().end();
    const cut = once(sent, "error");
    while (listener.open() < 1) await systemClock.sleep(1);
    const closed = listener.close();
    clock.advance(5000);
    await closed;
    expect(await cut).toMatchObject([{ code: "ECONNRESET" }]);
  });
});

describe("places", () => {
  const app: App = async () => new Response("ok");

  test("the socket is this user's alone, and takes a dead one's place", async () => {
    await writeFile(socketPath, "left behind");
    await start(app);
    expect(((await stat(socketPath)).mode & 0o777).toString(8)).toBe("600");
    expect((await replyOf(ask().end())).statusCode).toBe(200);
  });

  test.each(["127.0.0.1", "localhost", "::1"])("TCP on %s", async (address) => {
    const listener = await listen(app, { address, port: 0 }, systemClock);
    listeners.push(listener);
    expect(await (await fetch(listener.address)).text()).toBe("ok");
  });

  test("a port that is taken is named", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as { port: number };
    await expect(listen(app, { address: "127.0.0.1", port }, systemClock)).rejects.toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining(`the service can't listen on 127.0.0.1:${port}: `) as string,
    });
    other.close();
  });
});

function streamOf(
  begin: (controller: ReadableStreamDefaultController<Uint8Array>) => void,
  cancel: () => void = () => undefined,
  type = "application/octet-stream",
): Response {
  return new Response(new ReadableStream<Uint8Array>({ start: begin, cancel }), { headers: { "content-type": type } });
}
