import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import http from "node:http";
import net from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { directTransport } from "../../src/host/network/direct.ts";
import { listen } from "../../src/host/network/listener.ts";
import { serve } from "../support/http-server.ts";

const isRoot = process.platform === "linux" && process.getuid?.() === 0;
const [ours, theirs, systems] = [1001, 1002, 999];

/** Answers one request after the other, and says on stdout what was asked. */
const program = String.raw`
use Socket;
socket(my $s, PF_INET, SOCK_STREAM, 0); bind($s, sockaddr_in(0, inet_aton($ARGV[0]))); listen($s, 5); $| = 1;
print((sockaddr_in(getsockname($s)))[0], "\n");
while (accept(my $c, $s)) { sysread($c, my $asked, 9999); print $asked; syswrite($c, "HTTP/1.1 204 No Content\r\n\r\n"); close $c }`;

/** What another user's service is told. */
async function listenAs(uid: number, address = "127.0.0.1"): Promise<{ readonly port: string; readonly lines: string[] }> {
  const child = spawn("/usr/bin/perl", ["-e", program, address], {
    uid,
    gid: uid,
    cwd: "/",
    env: {},
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  const lines: string[] = [];
  const reader = createInterface(child.stdout);
  const [port] = (await once(reader, "line")) as [string];
  reader.on("line", (line) => lines.push(line));
  return { port, lines };
}

let children: ReturnType<typeof spawn>[];
beforeEach(() => void (children = []));
afterEach(() => Promise.all(children.map((child) => (child.kill("SIGKILL"), once(child, "close")))));

const ask = (port: string, uid: number, host = "127.0.0.1") =>
  directTransport(undefined, uid)(
    { method: "GET", url: `http://${host}:${port}/`, headers: { "x-api-key": "secret" } },
    new AbortController().signal,
  );

test.runIf(isRoot)("a port that another person has by now is told nothing", async () => {
  const { port, lines } = await listenAs(theirs);
  await expect(ask(port, ours)).rejects.toMatchObject({
    kind: "auth",
    message: `what listens at 127.0.0.1:${port} is a program of another user of this computer: it gets no key`,
  });
  expect(lines).toEqual([]);
  // Its own user calls it, and root, who trusts everybody.
  for (const uid of [theirs, 0]) expect((await ask(port, uid)).status).toBe(204);
});

test.runIf(isRoot)("nor at any other loopback address", async () => {
  const { port, lines } = await listenAs(theirs, "127.0.0.2");
  await expect(ask(port, ours, "127.0.0.2")).rejects.toMatchObject({ kind: "auth" });
  expect(lines).toEqual([]);
});

test.runIf(isRoot)("a service that the system runs for everyone is called", async () => {
  const { port } = await listenAs(systems);
  expect((await ask(port, ours)).status).toBe(204);
});

test("whoever connects and asks for nothing is sent away, and the browser's answer arrives", async () => {
  const listener = await listen(async () => ({ status: 200, headers: {}, body: "here" }));
  const idle = net.connect(listener.port, "127.0.0.1");
  await once(idle, "connect");
  expect(await (await fetch(`http://127.0.0.1:${listener.port}/`)).text()).toBe("here");
  idle.resume();
  await once(idle, "close");
  await listener.close();
});

test("our own server is called", async () => {
  const address = await serve(http.createServer((_, outgoing) => outgoing.writeHead(204).end()));
  expect((await ask(address.split(":")[1] ?? "", ours)).status).toBe(204);
});
