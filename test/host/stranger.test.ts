import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import http from "node:http";
import net from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { directTransport } from "../../src/host/network/direct.ts";
import { holderOf, isNarrow, readTables } from "../../src/host/network/peer.ts";
import { makeSend } from "../../src/host/network/send.ts";
import { listen } from "../../src/host/network/listener.ts";
import { serve } from "../support/http-server.ts";

const isRoot = process.platform === "linux" && process.getuid?.() === 0;
const [ours, theirs, systems, nobody] = [1001, 1002, 999, 65_534];

/** Opens a port at the address it is given, and says which. */
const opened = String.raw`
use Socket qw(:DEFAULT :addrinfo IPPROTO_IPV6 IPV6_V6ONLY); use Fcntl; $| = 1;
my (undef, $at) = getaddrinfo($ARGV[0], 0, {flags => AI_NUMERICHOST, socktype => SOCK_STREAM});
my $s;
sub place { my ($port) = @_; my $family = $at->{family};
  socket($s, $family, SOCK_STREAM, 0); setsockopt($s, SOL_SOCKET, SO_REUSEADDR, 1);
  setsockopt($s, IPPROTO_IPV6, IPV6_V6ONLY, 1) if $ARGV[2];
  my $host = $family == AF_INET ? (sockaddr_in($at->{addr}))[1] : (Socket::unpack_sockaddr_in6($at->{addr}))[1];
  bind($s, $family == AF_INET ? pack_sockaddr_in($port, $host) : Socket::pack_sockaddr_in6($port, $host)) && listen($s, 5) }
place($ARGV[1]); my $name = getsockname($s);
my $port = $at->{family} == AF_INET ? (sockaddr_in($name))[0] : (Socket::unpack_sockaddr_in6($name))[0];
print "$port\n";
`;

/** Answers one request after the other, and says on stdout what was asked. */
const program = String.raw`${opened}
while (accept(my $c, $s)) { sysread($c, my $asked, 9999); print $asked; syswrite($c, "HTTP/1.1 204 No Content\r\n\r\n"); close $c }`;

/** Opens its port for two milliseconds and closes it for as long, over and over; whoever comes in between is listened to. */
const blinking = String.raw`${opened}
for (;;) {
  vec(my $wanted = "", fileno($s), 1) = 1;
  my $c; my $came = select($wanted, undef, undef, 0.002) > 0 && accept($c, $s);
  close $s;
  if ($came) { sysread($c, my $asked, 9999); print $asked; close $c }
  select(undef, undef, undef, 0.002);
  1 until place($port);
}`;

/** Never takes a connection: the system makes them, and keeps them until somebody does. */
const waiting = String.raw`${opened} sleep 1 while 1`;

/** What another user's service is told. */
async function listenAs(
  uid: number,
  { address = "127.0.0.1", does = program, port: wanted = "0", alone = false } = {},
): Promise<Listening> {
  const child = spawn("/usr/bin/perl", ["-e", does, address, wanted, alone ? "1" : ""], {
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
  return { port, lines, child };
}

interface Listening {
  readonly port: string;
  readonly lines: string[];
  readonly child: ReturnType<typeof spawn>;
}

let children: ReturnType<typeof spawn>[];
beforeEach(() => void (children = []));
afterEach(() => Promise.all(children.map((child) => (child.kill("SIGKILL"), once(child, "close")))));

const ask = (port: string, uid: number, host = "127.0.0.1", isInside = false) =>
  makeSend(
    directTransport(undefined, async () => (uid === 0 ? undefined : { uid, isInside })),
    () => host,
  )({ method: "GET", url: `http://${host}:${port}/`, headers: { "x-api-key": "secret" }, idleTimeout: 30_000 });

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

test.runIf(isRoot).each(["127.0.0.2", "::1", "::"])("nor at any other loopback address: %s", async (address) => {
  const { port, lines } = await listenAs(theirs, { address });
  const host = address === "127.0.0.2" ? address : "[::1]";
  await expect(ask(port, ours, host)).rejects.toMatchObject({ kind: "auth" });
  if (address === "::") await expect(ask(port, ours)).rejects.toMatchObject({ kind: "auth" });
  expect(lines).toEqual([]);
  expect((await ask(port, theirs, host)).status).toBe(204);
});

test.runIf(isRoot)("nor one that is opened and closed all the time, which nobody listens at when it is looked at", async () => {
  const { port, lines } = await listenAs(theirs, { does: blinking });
  const ends = new Map<unknown, number>();
  for (let count = 0; count < 400; count++) {
    const end: unknown = await ask(port, ours).catch((error: unknown) => (error as { kind?: string }).kind);
    ends.set(end, (ends.get(end) ?? 0) + 1);
  }
  expect(lines).toEqual([]);
  // It did come through now and then: else nothing was tried.
  expect(ends.get("auth")).toBeGreaterThan(0);
  expect([...ends.keys()].filter((end) => end !== "auth" && end !== "unavailable")).toEqual([]);
});

test.runIf(isRoot)("what nobody has taken yet is judged by who listens", async () => {
  const { port } = await listenAs(theirs, { does: waiting });
  await expect(ask(port, ours)).rejects.toMatchObject({ kind: "auth" });
});

test.runIf(isRoot)("nor is it ours where the kernel's table, which comes in pieces, lacks who listens", async () => {
  const { port } = await listenAs(theirs, { does: waiting });
  const socket = net.connect(Number(port), "127.0.0.1");
  await once(socket, "connect");
  // As older kernels have what nobody has taken yet: it is root's.
  const readings = ["nobody listens", "nobody listens", "all"];
  const read = async () => {
    const rows = (await readTables()) ?? [];
    const untold = rows.map((row) => (row.owner === undefined && row.state !== "0A" ? { ...row, uid: 0 } : row));
    return readings.shift() === "all" ? untold : untold.filter(({ state }) => state !== "0A");
  };
  expect(await holderOf(socket, { uid: ours, isInside: false }, read)).toBe("other");
  expect(await holderOf(socket, { uid: ours, isInside: false }, read)).toBe("unknown");
  socket.destroy();
});

test.runIf(isRoot)("what another person has at the same port of another address keeps nobody from our own", async () => {
  const { port } = await listenAs(theirs, { address: "127.0.0.2" });
  const server = http.createServer((_, outgoing) => outgoing.writeHead(204).end());
  server.listen({ port: Number(port), host: "127.0.0.1" });
  await once(server, "listening");
  expect((await ask(port, ours)).status).toBe(204);
  server.closeAllConnections();
  server.close();
});

test.runIf(isRoot)("in a user namespace, where everybody of outside is nobody, that is no service of the system's", async () => {
  const { port, lines } = await listenAs(nobody);
  await expect(ask(port, ours, "127.0.0.1", true)).rejects.toMatchObject({
    kind: "auth",
    message: `whose program listens at 127.0.0.1 can't be known in here: it gets no key`.replace(
      "127.0.0.1",
      `127.0.0.1:${port}`,
    ),
  });
  // Nor where we are nobody ourselves.
  await expect(ask(port, nobody, "127.0.0.1", true)).rejects.toMatchObject({ kind: "auth" });
  expect(lines).toEqual([]);
  expect((await ask(port, ours)).status).toBe(204);
});

test.runIf(process.platform === "linux")("a user namespace is known by its map", () => {
  const real = spawnSync("unshare", ["--user", "--map-root-user", "cat", "/proc/self/uid_map"], { encoding: "utf8" });
  expect([isNarrow("         0          0 4294967295\n"), isNarrow("0 1001 1\n"), isNarrow("")]).toEqual([false, true, true]);
  if (real.status === 0) expect(isNarrow(real.stdout)).toBe(true);
});

test.runIf(isRoot)("a service that is busy is ours, though another person listens at the same port of IPv6", async () => {
  const ourOwn = await listenAs(ours);
  await listenAs(theirs, { address: "::", port: ourOwn.port, alone: true });
  ourOwn.child.kill("SIGSTOP");
  const asked = ask(ourOwn.port, ours);
  // Its refusal would come before anybody has taken the connection.
  asked.catch(() => undefined);
  const other = net.connect(Number(ourOwn.port), "127.0.0.1");
  await once(other, "connect");
  other.destroy();
  ourOwn.child.kill("SIGCONT");
  expect((await asked).status).toBe(204);
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
