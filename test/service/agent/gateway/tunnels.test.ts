import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeNetwork } from "../../../../src/host/network.ts";
import { destinationOf, isOutside } from "../../../../src/service/agent/gateway/destination.ts";
import { type Gateway, makeGateways } from "../../../../src/service/agent/gateway/gateways.ts";

let folder: string;
let far: Server;
let gateway: Gateway;
let resolved: string[];
let called: string[];
/** Whether this machine has a proxy; what it was asked for. */
let proxy: "none" | "there" | "refuses";
let asked: string[];

/** Where names lead; the addresses for documentation (RFC 5737) stand for the echo server here. */
const names: Readonly<Record<string, readonly string[]>> = {
  "files.example": ["203.0.113.5"],
  "inside.example": ["127.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1"],
  "half.example": ["127.0.0.1", "203.0.113.6"],
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ferry-tunnels-"));
  resolved = [];
  called = [];
  proxy = "none";
  asked = [];
  far = createServer((socket) => void socket.pipe(socket)).listen(0, "127.0.0.1");
  await once(far, "listening");
  const { port } = far.address() as AddressInfo;
  const reach = {
    resolve: (host: string) => {
      resolved.push(host);
      return names[host] === undefined ? Promise.reject(new Error("no such name")) : Promise.resolve(names[host]);
    },
    async connect(address: string, wanted: number) {
      called.push(`${address}:${wanted}`);
      const socket = connect(port, "127.0.0.1");
      await once(socket, "connect");
      return socket;
    },
    proxied(host: string) {
      const dig = () => {
        asked.push(host);
        return proxy === "refuses" ? Promise.reject(new Error("407")) : Promise.resolve(connect(port, "127.0.0.1"));
      };
      return Promise.resolve(proxy === "none" ? undefined : dig);
    },
  };
  const network = Object.keys(names).map((host) => ({ host, port: 443 }));
  gateway = await makeGateways(folder, makeNetwork({}).send, reach).open("sbx_1", {
    accesses: [],
    network: [...network, { host: "gone.example", port: 443 }],
    box: { tools: [], call: () => Promise.reject(new Error("there are no tools")) },
    unreachable: () => undefined,
    version: "0",
  });
});

afterEach(async () => {
  await gateway.close();
  far.close();
  await rm(folder, { recursive: true });
});

/** What comes of a request: all that is answered up to a word. */
async function ask(request: string, until: string): Promise<string> {
  const socket = connect(join(gateway.folder, "hosts.sock"));
  socket.write(request);
  let said = "";
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    said += chunk.toString("latin1");
    if (said.includes(until)) break;
  }
  return said;
}
const tunnel = (to: string) => ask(`CONNECT ${to} HTTP/1.1\r\nhost: ${to}\r\n\r\nhello`, "hello");

test("a listed host is connected to at the address that was looked at, in any case of its name", async () => {
  expect(await tunnel("Files.Example:443")).toMatch(/^HTTP\/1\.1 200 .*\r\n\r\nhello$/u);
  expect(resolved).toEqual(["files.example"]);
  expect(called).toEqual(["203.0.113.5:443"]);
});

test("what isn't listed, or leads to this machine, is refused without a call", async () => {
  for (const to of ["files.example:22", "other.example:443", "127.0.0.1:443", "[::1]:443", "files.example.:443", "x"])
    expect(await tunnel(to)).toMatch(/^HTTP\/1\.1 403 .*(isn't one of those)/su);
  expect(resolved).toEqual([]);
  expect(await tunnel("inside.example:443")).toMatch(/^HTTP\/1\.1 403 .*no address that may be reached/su);
  expect(await tunnel("gone.example:443")).toMatch(/^HTTP\/1\.1 403 .*can't be resolved/su);
  expect(called).toEqual([]);
  expect(await tunnel("half.example:443")).toMatch(/hello$/u);
  expect(called).toEqual(["203.0.113.6:443"]);
});

test("where this machine has a proxy that makes the connection, also to a name that only the proxy knows", async () => {
  proxy = "there";
  expect(await tunnel("files.example:443")).toMatch(/hello$/u);
  expect(await tunnel("Gone.example:443")).toMatch(/hello$/u);
  expect(asked).toEqual(["files.example:443", "gone.example:443"]);
  expect(called).toEqual([]);
  // It is asked for nothing that isn't listed, nor for what leads to this machine.
  expect(await tunnel("other.example:443")).toMatch(/^HTTP\/1\.1 403 /u);
  expect(await tunnel("inside.example:443")).toMatch(/^HTTP\/1\.1 403 .*no address that may be reached/su);
  expect(asked).toHaveLength(2);
  proxy = "refuses";
  expect(await tunnel("files.example:443")).toMatch(/^HTTP\/1\.1 403 .*this machine's proxy makes no connection/su);
});

test("anything but a tunnel is refused", async () => {
  expect(await ask("GET http://files.example/ HTTP/1.1\r\nhost: files.example\r\n\r\n", "alone")).toMatch(/^HTTP\/1\.1 403 /u);
  expect(called).toEqual([]);
});

test("a host is named with its port, or that of https", () => {
  expect(
    ["a.example", "A.example:80", "a.example:0", "a.example:65536", "-a", "a/b", "a:b", "", "[::1]:80"].map(destinationOf),
  ).toEqual([{ host: "a.example", port: 443 }, { host: "a.example", port: 80 }, ...Array.from({ length: 7 }, () => undefined)]);
});

test.each([
  ...["127.0.0.1", "127.8.8.8", "0.0.0.0", "169.254.169.254", "224.0.0.1", "255.255.255.255", "100.100.100.200", "168.63.129.16"],
  ...[
    "::1",
    "::",
    "fe80::1",
    "ff02::1",
    "::ffff:127.0.0.1",
    "::ffff:a9fe:a9fe",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "fd00:ec2::254",
  ],
])("%s is not outside", (address) => {
  expect(isOutside(address)).toBe(false);
});

test.each(["203.0.113.5", "10.0.0.8", "2001:db8::1", "fd12::1", "::ffff:203.0.113.5"])("%s is", (address) => {
  expect(isOutside(address)).toBe(true);
});
