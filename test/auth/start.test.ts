import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Callback, openCallback } from "../../src/auth/browser/callback.ts";
import { makeStartPage } from "../../src/auth/browser/start.ts";
import type { LoopbackHandler, LoopbackRequest } from "../../src/host/host.ts";
import { listen } from "../../src/host/network/listener.ts";
import { makeForeignLogin } from "../support/foreign-login.ts";

const binding = { verifier: "v", challenge: "c", state: "the-state" };
const target = "https://agents.example.com/authorize?state=the-state";

let said: string[];
let callback: Callback;
let ask: (change?: Partial<LoopbackRequest>) => Promise<{ status: number; location: string | undefined }>;
beforeEach(async () => {
  said = [];
  const start = makeStartPage(
    () => new Uint8Array(16),
    async (what) => void said.push(what),
  );
  let handle: LoopbackHandler | undefined;
  const listening = async (handler: LoopbackHandler) => listen((handle = handler));
  callback = await openCallback({ listen: listening }, { binding, start }, { issuer: "x" });
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

test("over the net it says nothing to who follows, and is kept nowhere", async () => {
  const answer = await fetch(callback.startAt(target), { redirect: "manual" });
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    location: target,
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
  });
});

const isRoot = process.platform === "linux" && process.getuid?.() === 0;

test.runIf(isRoot)("a real program of another user is refused in the middle of a login, which goes on", async () => {
  const scene = makeForeignLogin();
  const got: string[] = [];
  const open = async (url: string): Promise<void> => {
    got.push(await askAs(nobody, url));
    const ours = await fetch(url, { redirect: "manual" });
    scene.approve(ours.headers.get("location") ?? "");
  };
  const { code, stderr } = await scene.login(undefined, { change: (host) => ({ ...host, browser: { open } }) });
  expect([code, got]).toEqual([0, ["HTTP/1.1 400 Bad Request"]]);
  expect(stderr).toContain("another user of this computer asked for this login's address, and was refused\n");
  await scene.world.dispose();
});

const nobody = 65_534;

/** The status that a process of that user gets there. Bash asks, since where this Node lies another user may not look. */
async function askAs(uid: number, url: string): Promise<string> {
  const { hostname, port, host, pathname } = new URL(url);
  const program = String.raw`exec 3<>"/dev/tcp/$1/$2"; printf 'GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n' "$4" "$3" >&3; cat <&3`;
  const argv = ["-c", program, "ask", hostname, port, host, pathname];
  const { stdout } = await promisify(execFile)("/bin/bash", argv, { uid, gid: uid, cwd: "/", env: { PATH: "/usr/bin:/bin" } });
  return stdout.split("\r\n", 1).join("");
}

test.runIf(process.platform === "linux")("a browser of our own is known as such", async () => {
  const peers: string[] = [];
  const listener = await listen(async ({ peer }) => {
    peers.push(peer);
    return { status: 200, headers: {}, body: "" };
  });
  await fetch(`http://127.0.0.1:${listener.port}/`);
  await listener.close();
  expect(peers).toEqual(["self"]);
});
