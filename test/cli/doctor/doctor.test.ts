import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { configPath } from "../../../src/cli/config/config.ts";
import type { Network, SendResponse } from "../../../src/host/host.ts";
import { listen } from "../../../src/host/network/listener.ts";
import { makeNetwork } from "../../../src/host/network.ts";
import { makeTestClock } from "../../support/clock.ts";
import { ferry } from "../../support/ferry.ts";
import { makeTestService, type TestService } from "../../support/service.ts";
import { makeWorld, type World, type WorldOptions } from "../../support/world.ts";

const url = "https://agents.example.com";

let world: World;
let service: TestService;
beforeEach(async () => {
  service = await makeTestService();
  world = makeWorld({ env: { DISPLAY: ":0" } });
  world.services.set(url, dated(Date.UTC(2026, 0, 1)));
});
afterEach(async () => {
  await service.close();
  await world.dispose();
});

/** The service, with the header that listeners add. */
function dated(time: number) {
  return async (request: Parameters<TestService["send"]>[0]): Promise<SendResponse> => {
    const response = await service.send(request);
    return { ...response, headers: { ...response.headers, date: new Date(time).toUTCString() } };
  };
}

interface Row {
  readonly name: string;
  readonly verdict: string;
  readonly says: string;
  readonly hint: string | null;
}

async function examine(env: Record<string, string> = {}, options: WorldOptions = {}, proxies: Partial<Network> = {}) {
  const network = makeNetwork({});
  const there = world.next({ env }, { listen, ...options });
  const { send } = there.host.network;
  const local = {
    ...there.host.network,
    ...proxies,
    send: (request: Parameters<typeof send>[0]) => (request.url.startsWith("http://127.") ? network.send : send)(request),
  };
  const { code, stdout, stderr } = await ferry({ ...there, host: { ...there.host, network: local } }, "doctor", "--json");
  const rows = JSON.parse(stdout) as Row[];
  return { code, stderr, row: (name: string) => rows.find((row) => row.name === name) };
}

const logIn = () => ferry(world.next({}, { stdin: service.key }), "login", "--host", url, "--with-token");

test("a broken config is told once, and a line for each check that it fails", async () => {
  mkdirSync(join(world.folder, "config"), { recursive: true });
  writeFileSync(configPath(world.host), "{");
  const { code, stdout, stderr } = await ferry(world.next({}, { listen }), "doctor");
  expect({ code, told: stdout.split("is no JSON").length - 1 }).toEqual({ code: 1, told: 1 });
  const [, ...others] = /checks failed: (.*)\n/u.exec(stderr)?.[1]?.split(", ") ?? [];
  const [first] = /^FAILED +(\S+) .* is no JSON/mu.exec(stdout)?.slice(1) ?? [];
  const lines = stdout.split("\n").filter((line) => line.endsWith(`  for the same reason as ${first}`));
  expect(lines.map((line) => /^FAILED +(.+?) {2}/u.exec(line)?.[1])).toEqual(others);
  expect(others).toContain("service");
});

test("an agent's setting that can't be read is named, with what takes it away", async () => {
  mkdirSync(join(world.folder, "config"), { recursive: true });
  const settings = { "agents.a.network": "x:99999" };
  writeFileSync(configPath(world.host), JSON.stringify({ version: 1, hosts: [], settings }));
  const { row } = await examine();
  expect(row("config")).toMatchObject({ verdict: "ok" });
  expect(row("agents")).toEqual({
    name: "agents",
    verdict: "warning",
    says: expect.stringMatching(/; agents\.a\.network: "x:99999" is no host that an agent may reach/u) as string,
    hint: "ferry config unset agents.a.network",
  });
});

test("where all is well, each says so", async () => {
  await logIn();
  const { code, stderr, row } = await examine();
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(row("service")).toMatchObject({
    verdict: "ok",
    says: "agents.example.com takes the key of ada@example.com (ferry 0.0.0)",
  });
  expect(row("keychain")).toMatchObject({ verdict: "ok", says: "a probe was written, read back and deleted" });
  expect(row("callback port")).toMatchObject({ verdict: "ok" });
  expect(row("clock")).toMatchObject({ verdict: "ok", says: "agrees with the service" });
  expect([...world.keychain.items.keys()]).toHaveLength(1);
});

describe("the programs that ferry runs on", () => {
  test("are named, with where they lie", async () => {
    const { row } = await examine();
    expect(row("Node")).toEqual({
      name: "Node",
      verdict: "ok",
      says: `${process.versions.node} (${process.execPath})`,
      hint: null,
    });
    expect(row("git")).toMatchObject({ verdict: "ok", says: expect.stringMatching(/^\d+\.\d+\S* \(\/.*git\)$/u) as string });
  });

  test("where git is missing that is a failure, with the remedy", async () => {
    const { host } = world;
    const processes = { ...host.processes, find: (name: string) => (name === "git" ? none() : host.processes.find(name)) };
    const { code, stdout } = await ferry({ ...world, host: { ...host, processes } }, "doctor");
    expect(code).toBe(1);
    expect(stdout).toMatch(/^FAILED +git +is not installed, or not on PATH \(install git: /mu);
  });

  test("a Node that is too old is told", async () => {
    const folder = mkdtempSync(join(world.folder, "node-"));
    const old = join(folder, "node");
    writeFileSync(old, "#!/bin/sh\necho v18.4.0\n", { mode: 0o755 });
    const { stdout } = await ferry({ ...world, host: { ...world.host, self: [old, "ferry"] } }, "doctor");
    expect(stdout).toContain(`18.4.0 (${old}) (ferry needs Node 20.19 or newer: https://nodejs.org)`);
  });
});

async function none(): Promise<undefined> {
  return undefined;
}

test("for people a line each", async () => {
  const { stdout } = await ferry(world.next({}, { listen }), "doctor");
  expect(stdout).toContain("ok       proxy          none is set\n");
});

test("who isn't logged in is told, which is no failure", async () => {
  const { code, row } = await examine();
  expect(code).toBe(0);
  expect(row("service")).toMatchObject({ verdict: "warning", says: "not logged in to any" });
  expect(row("clock")).toMatchObject({ verdict: "skipped" });
});

describe("the keychain", () => {
  test.each([
    ["unavailable", "warning", 0],
    ["locked", "failed", 1],
    ["timeout", "failed", 1],
  ] as const)("%s is %s", async (trouble, verdict, code) => {
    world.keychain.trouble = trouble;
    const found = await examine();
    expect(found.code).toBe(code);
    expect(found.row("keychain")).toMatchObject({ verdict });
  });

  test.each(["locked", "timeout"] as const)("that is %s is no failure for who has all keys in the file", async (trouble) => {
    await ferry(
      world.next({ env: { FERRY_CREDENTIAL_STORE: "file" } }, { stdin: service.key }),
      "login",
      "--host",
      url,
      "--with-token",
    );
    world.keychain.trouble = trouble;
    const { code, row } = await examine();
    expect({ code, ...row("keychain") }).toMatchObject({
      code: 0,
      verdict: "warning",
      says: expect.stringMatching(/; your keys are in .*credentials\.json, but the next login would fail$/u) as string,
    });
  });

  test("that takes secrets and forgets them is found out", async () => {
    world.keychain.forgetful = true;
    expect((await examine()).row("keychain")).toMatchObject({
      verdict: "failed",
      says: "the keychain takes secrets and does not keep them",
    });
  });

  test("is found well by several that look at it at once", async () => {
    const verdicts = (await Promise.all([examine(), examine(), examine()])).map(({ row }) => row("keychain")?.verdict);
    expect(verdicts).toEqual(["ok", "ok", "ok"]);
    expect(world.keychain.items.size).toBe(0);
  });

  test("that isn't wanted is not touched", async () => {
    world.keychain.trouble = "locked";
    expect((await examine({ FERRY_CREDENTIAL_STORE: "file" })).row("keychain")).toMatchObject({ verdict: "ok" });
  });
});

describe("the sandbox", () => {
  const none = { FERRY_SANDBOX: "oci", FERRY_SANDBOX_ENGINE: "/nowhere/podman" };

  test("that can't be had is told with its remedy, and is no failure for who has another service", async () => {
    const { code, row } = await examine(none);
    expect(code).toBe(0);
    expect(row("sandbox")?.says).toMatch(
      /^none works here: oci: \/nowhere\/podman can't be run.*install podman.*only host local needs one$/u,
    );
  });

  test("that no variable may choose is as the service has it", async () => {
    const { row } = await examine({ FERRY_SANDBOX: "process" });
    expect(row("sandbox")).toMatchObject({
      verdict: "failed",
      says: `FERRY_SANDBOX can't be "process"`,
      hint: "it is auto, bwrap, unshare or oci; for no sandbox at all: ferry service start --sandbox process",
    });
  });
});

test("a clock that is two days off", async () => {
  await logIn();
  world.services.set(url, dated(Date.UTC(2026, 0, 3)));
  const { code, row } = await examine();
  expect(code).toBe(0);
  expect(row("clock")).toMatchObject({ verdict: "warning", says: "2 days off from the service: times will look wrong" });
});

test("a service that can't be reached fails once, without trying for long", async () => {
  await logIn();
  world.services.set(url, async () => {
    throw new Error("no route");
  });
  const { code, row, stderr } = await examine();
  expect(code).toBe(1);
  expect(row("service")).toMatchObject({ verdict: "failed", says: "no route" });
  expect(stderr).toContain("1 check failed: service");
  expect(row("clock")).toEqual({
    name: "clock",
    verdict: "skipped",
    says: "not compared: the service wasn't reached",
    hint: null,
  });
});

test.each<[Record<string, string>, WorldOptions, string]>([
  [{ SSH_CONNECTION: "1 2 3 4" }, {}, "none is opened here: this is an SSH session"],
  [{ DISPLAY: "" }, {}, "none is opened here: there is no display"],
  [{ BROWSER: "none" }, {}, "none is opened here: BROWSER is none"],
  [{}, { container: true }, "none is opened here: this is a container"],
  [{ BROWSER: "nowhere-browser -x:other" }, {}, "BROWSER names what isn't there: nowhere-browser, other"],
  [{ BROWSER: "/nonexistent %s:./nor-this" }, {}, "BROWSER names what isn't there: /nonexistent, ./nor-this"],
  [{ BROWSER: "/etc:/etc/passwd" }, {}, "BROWSER names what isn't there: /etc, /etc/passwd"],
  [{ PATH: "/nonexistent" }, {}, "xdg-open is not installed, so none may open"],
])("a browser with %j %j: %s", async (env, options, says) => {
  expect((await examine(env, options)).row("browser")).toMatchObject({ verdict: "warning", says });
});

test("in a CI job, where ferry login refuses, the remedy is the one that works there", async () => {
  const hint = 'set FERRY_HOST and FERRY_API_KEY, or pipe a key to "ferry login --host URL --with-token"';
  expect((await examine({ CI: "true" })).row("browser")).toMatchObject({ says: "none is opened here: this is a CI job", hint });
  expect((await examine({}, { container: true })).row("browser")?.hint).toMatch(/^ferry login prints the address/u);
});

test("a browser that BROWSER names is the one, over SSH and in a container, too", async () => {
  const script = join(world.folder, "browser.sh");
  writeFileSync(script, "#!/bin/sh\n", { mode: 0o755 });
  symlinkSync(script, join(world.folder, "link"));
  for (const named of [script, "./browser.sh", "/nonexistent:./link", "sh"]) {
    const env = { BROWSER: `${named}:other`, SSH_TTY: "/dev/pts/1", DISPLAY: "" };
    const { row } = await examine(env, { container: true });
    const says = `${named.replace(/^.*:/u, "")} opens pages (BROWSER)`;
    expect(row("browser")).toMatchObject({ verdict: "ok", says });
  }
});

test("a port that nobody may listen on", async () => {
  const listen = () => Promise.reject(new Error("listen EACCES: permission denied 127.0.0.1"));
  const { code, row } = await examine({}, { listen });
  expect(code).toBe(0);
  expect(row("callback port")).toMatchObject({
    verdict: "warning",
    says: "127.0.0.1 can't be listened on: listen EACCES: permission denied 127.0.0.1",
  });
});

test("a proxy is reached, and named without its password; what is none is a failure", async () => {
  const { row } = await examine({ HTTPS_PROXY: "http://me:secret@proxy:3128", NO_PROXY: "localhost" });
  expect(row("proxy")).toMatchObject({ verdict: "ok", says: "HTTPS_PROXY proxy:3128 can be reached; not for localhost" });
  expect((await examine({ HTTPS_PROXY: "proxy:3128" })).row("proxy")).toMatchObject({ verdict: "failed" });
  expect((await examine({ HTTPS_PROXY: "socks5://proxy" })).row("proxy")).toMatchObject({ verdict: "failed" });
  expect((await examine({ HTTP_PROXY: "http://proxy" })).row("proxy")?.says).toContain("HTTP_PROXY isn't used");
});

test("a proxy that isn't reached is a failure where the service is called through it alone", async () => {
  const reachProxy = () => Promise.reject(new Error("the proxy proxy:3128 (HTTPS_PROXY): connection refused (ECONNREFUSED)"));
  const dead = { HTTPS_PROXY: "http://proxy:3128", FERRY_HOST: "agents.example.com", FERRY_API_KEY: "k".repeat(20) };
  const tunnel = async () => () => Promise.reject(new Error("nothing goes through it"));
  const through = await examine(dead, {}, { reachProxy, tunnel });
  expect(through.row("proxy")).toMatchObject({ verdict: "failed" });
  const without = await examine(dead, {}, { reachProxy, tunnel: async () => undefined });
  expect(without.row("proxy")).toMatchObject({
    verdict: "warning",
    says: "the proxy proxy:3128 (HTTPS_PROXY): connection refused (ECONNREFUSED); agents.example.com is called without it",
  });
});

test("each line is there when it is known, whatever the next one waits for; a check that doesn't end is given up", async () => {
  await logIn();
  const clock = makeTestClock();
  const there = world.next();
  world.services.set(url, () => new Promise(() => undefined));
  const ended = ferry({ ...there, host: { ...there.host, clock } }, "doctor");
  await vi.waitFor(() => expect(there.terminal.written.stdout).toMatch(/^ok +proxy /mu), 20_000);
  expect(there.terminal.written.stdout).not.toContain("service");
  clock.advance(20_000);
  const { code, stdout } = await ended;
  expect(code).toBe(1);
  expect(stdout).toMatch(/^FAILED +service +not known after 20 s \(try again later\)$/mu);
});
