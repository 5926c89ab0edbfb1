import { execFile } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Callback, openCallback } from "../../src/auth/browser/callback.ts";
import { makeRefuse } from "../../src/auth/browser/refuse.ts";
import { makeStartPage } from "../../src/auth/browser/start.ts";
import type { LoopbackHandler, LoopbackRequest } from "../../src/host/host.ts";
import { listen } from "../../src/host/network/listener.ts";
import { peerOf } from "../../src/host/network/peer.ts";
import { makeForeignLogin } from "../support/foreign-login.ts";

const binding = { verifier: "v", challenge: "c", state: "the-state" };
const target = "https://agents.example.com/authorize?state=the-state";

let said: string[];
let callback: Callback;
let ask: (change?: Partial<LoopbackRequest>) => Promise<{ status: number; location: string | undefined }>;
beforeEach(async () => {
  said = [];
  const refuse = makeRefuse(async (what) => void said.push(what));
  const start = makeStartPage(() => new Uint8Array(16), refuse);
  let handle: LoopbackHandler | undefined;
  const listening = async (handler: LoopbackHandler) => listen((handle = handler));
  callback = await openCallback({ listen: listening }, { binding, start, refuse }, { issuer: "x" });
  const { host } = new URL(callback.redirectUri);
  const request: LoopbackRequest = { method: "GET", path: start.path, query: new URLSearchParams(), host, peer: "unknown" };
  ask = async (change) => {
    const { status, headers = {} } = (await handle?.({ ...request, ...change })) ?? { status: 0 };
    return { status, location: headers["location"] };
  };
});
afterEach(() => callback.close());

const led = { status: 303, location: target };
const refused = { status: 400, location: undefined };

test("where it isn't known who asks, it leads there once; a second time is refused, and told once", async () => {
  callback.startAt(target);
  expect([await ask(), await ask(), await ask()]).toEqual([led, refused, refused]);
  expect(said).toEqual([expect.stringMatching(/^this login's address was opened twice, .* --no-browser$/u)]);
});

test("another user's program is refused, and told; our own browser still gets there, also on a reload", async () => {
  callback.startAt(target);
  expect([await ask({ peer: "other" }), await ask({ peer: "self" }), await ask({ peer: "self" })]).toEqual([refused, led, led]);
  expect(said).toEqual(["another user of this computer asked for this login's address, and was refused"]);
});

test("nothing before there is where to lead, on another path, by another Host or another method", async () => {
  expect(await ask()).toEqual(refused);
  callback.startAt(target);
  for (const change of [{ path: "/start/" }, { path: "/start/x" }, { host: "evil.example" }, { method: "HEAD" }])
    expect(await ask(change)).toEqual(refused);
  expect([await ask(), said]).toEqual([led, []]);
});

test("who has hung up gets nothing, and spends nothing", async () => {
  callback.startAt(target);
  expect([await ask({ peer: "gone" }), await ask(), said]).toEqual([refused, led, []]);
});

describe("an answer to the login with the right state", () => {
  const answer = { path: "/callback", query: new URLSearchParams({ code: "abc", state: "the-state", iss: "x" }) };

  test("another user's program is refused, and told once; it ends nothing", async () => {
    const denied = { ...answer, query: new URLSearchParams({ error: "access_denied", state: "the-state", iss: "x" }) };
    expect([await ask({ ...answer, peer: "other" }), await ask({ ...denied, peer: "other" })]).toEqual([refused, refused]);
    expect(said).toEqual([
      "an answer to this login came from a program of another user of this computer, and was refused: if that was your own browser, paste the address that it ended at",
    ]);
  });

  test("one of whom it isn't known any more, since he hung up, is refused", async () => {
    expect([await ask({ ...answer, peer: "gone" }), said]).toEqual([refused, []]);
  });

  test.each(["self", "unknown"] as const)("%s is heard", async (peer) => {
    const asked = ask({ ...answer, peer });
    expect((await callback.next()).parameters.get("code")).toBe("abc");
    callback.finish("done");
    expect((await asked).status).toBe(200);
  });

  test("a wrong state of another user's program is told nobody", async () => {
    const query = new URLSearchParams({ code: "abc", state: "x", iss: "x" });
    expect([await ask({ ...answer, query, peer: "other" }), said]).toEqual([refused, []]);
  });
});

test("over the net it says nothing to who follows, and is kept nowhere", async () => {
  const answer = await fetch(callback.startAt(target), { redirect: "manual" });
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    location: target,
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
  });
});

const isRoot = process.platform === "linux" && process.getuid?.() === 0;

test.runIf(isRoot)(
  "a real program of another user that has the true address can neither deny the login nor bring a code",
  async () => {
    const scene = makeForeignLogin();
    const got: string[] = [];
    const open = async (url: string): Promise<void> => {
      const query = new URL(url).searchParams;
      for (const answer of ["error=access_denied", "code=theirs"])
        got.push(
          await askAs(
            stranger,
            `${query.get("redirect_uri") ?? ""}?${answer}&state=${query.get("state") ?? ""}&iss=${scene.server.origin}`,
          ),
        );
      scene.approve(url);
    };
    const { code, stderr } = await scene.login(undefined, {
      env: { SSH_TTY: "/dev/pts/1", BROWSER: "there %s" },
      change: (host) => ({ ...host, browser: { open } }),
    });
    expect([code, got]).toEqual([0, ["HTTP/1.1 400 Bad Request", "HTTP/1.1 400 Bad Request"]]);
    expect(stderr.split("an answer to this login came from a program of another user")).toHaveLength(2);
    await scene.world.dispose();
  },
);

test.runIf(isRoot)("a real program of another user is refused in the middle of a login, which goes on", async () => {
  const scene = makeForeignLogin();
  const got: string[] = [];
  const open = async (url: string): Promise<void> => {
    got.push(await askAs(stranger, url));
    const ours = await fetch(url, { redirect: "manual" });
    scene.approve(ours.headers.get("location") ?? "");
  };
  const { code, stderr } = await scene.login(undefined, { change: (host) => ({ ...host, browser: { open } }) });
  expect([code, got]).toEqual([0, ["HTTP/1.1 400 Bad Request"]]);
  expect(stderr).toContain("another user of this computer asked for this login's address, and was refused\n");
  await scene.world.dispose();
});

const stranger = 1002;

/** The status that a process of that user gets there. Bash asks, since where this Node lies another user may not look. */
async function askAs(uid: number, url: string): Promise<string> {
  const { hostname, port, host, pathname, search } = new URL(url);
  const program = String.raw`exec 3<>"/dev/tcp/$1/$2"; printf 'GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n' "$4" "$3" >&3; cat <&3`;
  const argv = ["-c", program, "ask", hostname, port, host, `${pathname}${search}`];
  const { stdout } = await promisify(execFile)("/bin/bash", argv, { uid, gid: uid, cwd: "/", env: { PATH: "/usr/bin:/bin" } });
  return stdout.split("\r\n", 1).join("");
}

describe.runIf(process.platform === "linux")("whose process asks", () => {
  test("a browser of our own is known as such", async () => {
    const peers: string[] = [];
    const listener = await listen(async ({ peer }) => {
      peers.push(peer);
      return { status: 200, headers: {}, body: "" };
    });
    await fetch(`http://127.0.0.1:${listener.port}/`);
    await listener.close();
    expect(peers).toEqual(["self"]);
  });

  test.each([
    ["hung up", (theirs: Socket) => theirs.destroy(), "end"],
    ["broke the connection off", (theirs: Socket) => theirs.resetAndDestroy(), "close"],
  ] as const)("who %s is gone, whatever his name was", async (_, leave, left) => {
    const server = createServer({ allowHalfOpen: true });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const theirs = connect((server.address() as AddressInfo).port, "127.0.0.1");
    const [ours] = (await once(server, "connection")) as [Socket];
    expect(await peerOf(ours)).toBe("self");
    const ends = endsOf(ours);
    ours.on("error", () => undefined).resume();
    leave(theirs);
    await new Promise((done) => ours.once(left, done));
    expect([await peerOf(ends), await peerOf({ ...ends, remotePort: undefined })]).toEqual(["gone", "gone"]);
    ours.destroy();
    await once(server.close(), "close");
  });
});

function endsOf({ localAddress, localPort, remoteAddress, remotePort }: Socket) {
  return { localAddress, localPort, remoteAddress, remotePort };
}
