import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { updateConfig } from "../../src/cli/config/config.ts";
import type { Host, SecretStore } from "../../src/host/host.ts";
import { listen } from "../../src/host/network/listener.ts";
import { ferry } from "../support/ferry.ts";
import { type ForeignLogin, makeForeignLogin } from "../support/foreign-login.ts";
import { type LoginServer, makeLoginServer } from "../support/login-server.ts";
import { type World } from "../support/world.ts";

let scene: ForeignLogin;
let world: World;
let server: LoginServer;
beforeEach(() => {
  scene = makeForeignLogin();
  ({ world, server } = scene);
});
afterEach(() => world.dispose());

describe("two logins at once", () => {
  test("for two hosts: each takes its own code", async () => {
    const other = makeLoginServer("https://b.example");
    world.services.set(other.origin, other.send);
    const one = (of: LoginServer) => {
      const there = world.next({}, { tty: true, listen, browse: (url) => void fetch(of.approve(url)) });
      there.prompt.ignore("Or paste");
      return ferry(there, "login", "--host", of.origin);
    };
    const results = await Promise.all([one(server), one(other)]);
    expect(results.map(({ code }) => code)).toEqual([0, 0]);
    const { stdout } = await ferry(world.next(), "auth", "status", "--json");
    expect((JSON.parse(stdout) as { name: string; works: boolean }[]).map(({ name, works }) => [name, works]).sort()).toEqual([
      ["agents.example.com", true],
      ["b.example", true],
    ]);
  });

  test("for two hosts: the first is told that commands go to the other, and why", async () => {
    const another = { url: "https://b.example", account: "ada", store: "file" as const };
    const change = (host: Host): Host => {
      const write = async (text: string | Uint8Array): Promise<void> => {
        await host.terminal.stderr.write(text);
        if (String(text).startsWith("logged in to"))
          await updateConfig(host, (config) => ({ ...config, hosts: [another, ...config.hosts] }));
      };
      return { ...host, terminal: { ...host.terminal, stderr: { ...host.terminal.stderr, write } } };
    };
    const { stderr } = await scene.login(scene.approve, { change, columns: 200 });
    expect(stderr).toContain(
      "commands here go to b.example all the same, since it was logged in to last: --host agents.example.com",
    );
  });

  test("for the same host: both end well, and of the two keys the one that is kept is valid", async () => {
    const results = await Promise.all([scene.login(), scene.login()]);
    expect(results.map(({ code }) => code)).toEqual([0, 0]);
    expect((await ferry(world.next(), "whoami")).code).toBe(0);
    expect([...server.revoked, ...world.keychain.items.values()].sort()).toEqual(["key-1", "key-2"]);
  });

  test("the one done while the other stores its key: that one takes its place, and ends its key", async () => {
    const { reached, release, change } = holdingTheKey();
    const slow = scene.login(scene.approve, { change });
    await reached;
    expect((await scene.login()).code).toBe(0);
    release();
    expect((await slow).code).toBe(0);
    expect([...world.keychain.items.values()]).toEqual(["key-1"]);
    expect(server.revoked).toEqual(["key-2"]);
  });

  test("one while a logout waits for its revocation: the new login stays", async () => {
    await scene.login();
    const { reached, release } = holdFirst("/revoke");
    const out = ferry(world.next(), "logout");
    await reached;
    expect((await scene.login()).code).toBe(0);
    release();
    expect((await out).code).toBe(0);
    expect((await ferry(world.next(), "whoami")).code).toBe(0);
    expect([...world.keychain.items.values()]).toEqual(["key-2"]);
    expect(new Set(server.revoked)).toEqual(new Set(["key-1"]));
  });

  test("one that another ferry takes for dead ends, and says so", async () => {
    const { reached, release, change } = holdingTheKey();
    const slow = scene.login(scene.approve, { change: (host) => change({ ...host, pid: 999_999_999 }) });
    await reached;
    await scene.login();
    release();
    const { code, stderr } = await slow;
    expect(code).toBe(6);
    expect(stderr).toContain("ferry: another ferry took this login for one that was broken off\n  hint: log in again\n");
    expect([...world.keychain.items.values()]).toEqual(["key-2"]);
    expect(server.revoked).toEqual(["key-1"]);
  });
});

/** Holds the first call of the server's path until it is told. */
function holdFirst(path: string): { reached: Promise<void>; release: () => void } {
  const { reached, reach, released, release } = gate();
  server.answers.set(path, async (request) => {
    server.answers.delete(path);
    reach();
    await released;
    return server.send(request);
  });
  return { reached, release };
}

/** Holds a login that is about to store its key until it is told. */
function holdingTheKey(): { reached: Promise<void>; release: () => void; change: (host: Host) => Host } {
  const { reached, reach, released, release } = gate();
  const held = (store: SecretStore): SecretStore => ({
    ...store,
    async setPassword(...given) {
      // What is probed before the browser opens is no key.
      const isKey = given[1].startsWith(server.origin);
      if (isKey) reach();
      if (isKey) await released;
      await store.setPassword(...given);
    },
  });
  return { reached, release, change: (host) => ({ ...host, secrets: { keychain: () => held(host.secrets.keychain()) } }) };
}

function gate(): { reached: Promise<void>; reach: () => void; released: Promise<void>; release: () => void } {
  let [reach, release] = [(): void => undefined, (): void => undefined];
  const reached = new Promise<void>((resolve) => (reach = resolve));
  const released = new Promise<void>((resolve) => (release = resolve));
  return { reached, reach, released, release };
}
