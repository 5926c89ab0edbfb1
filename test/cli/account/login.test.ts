import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Send } from "../../../src/host/host.ts";
import { ferry } from "../../support/ferry.ts";
import { answer, makeSeedService, type SeedService } from "../../support/seed-service.ts";
import { makeTestService, type TestService } from "../../support/service.ts";
import { makeWorld, type World } from "../../support/world.ts";

const url = "https://agents.example.com";

let world: World;
let service: TestService;
beforeEach(async () => {
  world = makeWorld();
  service = await makeTestService();
  world.services.set(url, service.send);
});
afterEach(async () => {
  await service.close();
  await world.dispose();
});

const logIn = (key: string, env = {}) =>
  ferry(world.next({ env }, { stdin: `${key}\n` }), "login", "--host", url, "--with-token");

test("a piped key is verified, stored, and then used", async () => {
  expect(await logIn(service.key)).toEqual({
    code: 0,
    stdout: "",
    stderr:
      "logged in to agents.example.com as ada@example.com, workspace test\nthe key is in the keychain; its scopes: all:all\n",
  });
  expect([...world.keychain.items.values()]).toEqual([service.key]);
  expect(readFileSync(join(world.folder, "config", "config.json"), "utf8")).not.toContain(service.key);
  expect(await ferry(world.next(), "whoami", "--json", "--fields", "host,user")).toEqual({
    code: 0,
    stdout: `${JSON.stringify({ host: url, user: { id: service.user.id, name: "Ada", email: "ada@example.com" } })}\n`,
    stderr: "",
  });
});

test("in JSON a login names the key by its id, and a logout the same", async () => {
  const [made] = (await service.store.keys.list({})).items;
  const json = async (stdin: string, ...args: string[]) =>
    JSON.parse((await ferry(world.next({}, { stdin }), ...args, "--host", url, "--json")).stdout) as Record<string, unknown>;
  expect(await json(`${service.key}\n`, "login", "--with-token")).toEqual({
    ...{ host: url, account: "ada@example.com", workspace: "test", scopes: ["all:all"] },
    ...{ key_id: made?.id, store: "keychain" },
  });
  expect(await json("", "logout")).toMatchObject({ key_id: made?.id, deleted: true, broken_off: [] });
});

test("whoami says that a key never expires only where the service says so", async () => {
  await logIn(service.key);
  expect((await ferry(world.next(), "whoami")).stdout).toMatch(/^key expires: +never$/mu);
  world.services.set(url, async (request) => {
    const { status, headers, body } = await service.send(request);
    const info = JSON.parse(await text(Readable.from(body))) as { key: { expires_at?: unknown } };
    delete info.key.expires_at;
    return { ...answer(status, info), headers };
  });
  expect((await ferry(world.next(), "whoami")).stdout).toMatch(/^key expires: +–$/mu);
});

test("a service that judges the parameters before the key: a key that it refuses is none", async () => {
  const seed = makeSeedService();
  const strict: Send = async (request) =>
    new URL(request.url).search === "" ? seed.send(request) : answer(400, { error: "unknown parameter" });
  world.services.set(url, strict);
  expect(await logIn("wrong-key")).toMatchObject({ code: 4, stdout: "" });
  expect(world.keychain.items.size).toBe(0);
  expect((await logIn(seed.key)).code).toBe(0);
});

test("--with-token on a terminal asks for the key unseen", async () => {
  const there = world.next({}, { tty: true });
  there.prompt.expect("API key for agents.example.com:", service.key);
  expect(await ferry(there, "login", "--host", url, "--with-token")).toMatchObject({ code: 0, stdout: "" });
  expect([...world.keychain.items.values()]).toEqual([service.key]);
  const { code, stderr } = await ferry(world.next({}, { tty: true }), "login", "--host", url, "--with-token", "--no-input");
  expect([code, stderr.split("\n")[0]]).toEqual([4, "ferry: a login needs a person at a terminal"]);
});

test("one that the service refuses is not stored", async () => {
  const { code, stderr } = await logIn("wrong");
  expect(code).toBe(4);
  expect(stderr).not.toContain("logged in");
  expect(world.keychain.items.size).toBe(0);
  expect((await ferry(world.next(), "whoami", "--host", url)).code).toBe(4);
});

test("logout forgets it here and says that it was not revoked; also while the service is down", async () => {
  await logIn(service.key);
  world.services.delete(url);
  expect(await ferry(world.next(), "logout")).toEqual({
    code: 0,
    stdout: "",
    stderr: expect.stringMatching(
      /^logged out of agents\.example\.com \(ada@example\.com\); the key key_[0-9a-z]{16} was not revoked there\n$/u,
    ) as string,
  });
  expect(world.keychain.items.size).toBe(0);
  expect((await ferry(world.next(), "whoami", "--host", url)).stderr).toContain("not logged in to agents.example.com");
});

test("logout where nobody is logged in says so, on a terminal too", async () => {
  const expected = { code: 4, stdout: "", stderr: "ferry: not logged in anywhere\n" };
  expect(await ferry(world.next(), "logout")).toEqual(expected);
  expect(await ferry(world.next({}, { tty: true }), "logout")).toEqual(expected);
  expect((await ferry(world.next(), "logout", "--host", url)).stderr).toBe("ferry: not logged in to agents.example.com\n");
});

test("FERRY_API_KEY: login says that it wins, logout that it is still there", async () => {
  expect((await logIn(service.key, { FERRY_API_KEY: "x" })).stderr).toContain("FERRY_API_KEY is set and wins over it");
  expect((await ferry(world.next({ env: { FERRY_API_KEY: "x" } }), "logout", "--host", url)).stderr).toContain(
    "FERRY_API_KEY is still set",
  );
  expect((await ferry(world.next({ env: { FERRY_API_KEY: "x" } }), "logout", "--host", url)).stderr).toBe(
    "ferry: not logged in to agents.example.com\n  hint: FERRY_API_KEY is set: commands use that key until it is unset\n",
  );
  expect((await ferry(world.next({ env: { FERRY_API_KEY: "x" } }), "logout")).stderr).toBe(
    "ferry: not logged in anywhere\n  hint: FERRY_API_KEY is set: commands use that key where a host is named\n",
  );
});

test("who has a key in the environment and no terminal is told that it needs no login", async () => {
  const there = world.next({ env: { FERRY_API_KEY: "x", FERRY_HOST: url } });
  expect(await ferry(there, "login")).toEqual({
    code: 4,
    stdout: "",
    stderr:
      "ferry: a login needs a person at a terminal\n  hint: FERRY_API_KEY is set: commands use that key without a login, where FERRY_HOST or --host names the host\n",
  });
});

test("FERRY_API_KEY beside another FERRY_HOST is not this login's: neither login nor logout says so", async () => {
  const env = { FERRY_API_KEY: "x", FERRY_HOST: "https://other.example" };
  expect((await logIn(service.key, env)).stderr).not.toContain("FERRY_API_KEY");
  expect((await ferry(world.next({ env }), "logout", "--host", url)).code).toBe(0);
  expect((await ferry(world.next({ env }), "logout", "--host", url)).stderr).toBe("ferry: not logged in to agents.example.com\n");
});

test("a revoked key is told by the next command, and kept", async () => {
  const key = await service.makeKey({ revoked_at: "2026-01-01T00:00:00.000Z" });
  await logIn(service.key);
  for (const name of world.keychain.items.keys())
    await world.keychain.setPassword(...(name.split("\0") as [string, string]), key);
  const { code, stderr } = await ferry(world.next(), "whoami");
  expect(code).toBe(4);
  expect(stderr).toContain("hint:");
  expect([...world.keychain.items.values()]).toEqual([key]);
});

test("a locked keychain is not a missing login", async () => {
  await logIn(service.key);
  world.keychain.trouble = "locked";
  expect(await ferry(world.next(), "whoami")).toEqual({ code: 4, stdout: "", stderr: "ferry: the keychain is locked\n" });
});

describe("without a terminal and without a key on stdin", () => {
  test("exit 4 at once, with the ways out", async () => {
    expect(await ferry(world.next(), "login", "--host", url)).toEqual({
      code: 4,
      stdout: "",
      stderr: `ferry: a login needs a person at a terminal\n  hint: set FERRY_HOST and FERRY_API_KEY, or pipe a key to "ferry login --host ${url} --with-token"\n`,
    });
  });

  test("without a host exit 2, and the embedded service needs none", async () => {
    for (const flags of [[], ["--with-token"], ["--device"]])
      expect(await ferry(world.next(), "login", ...flags)).toEqual({
        code: 2,
        stdout: "",
        stderr: "ferry: no host to log in to\n  hint: name it: --host https://agents.example.com\n",
      });
    expect((await ferry(world.next(), "login", "--host", "ftp://x")).stderr).toBe(
      'ferry: "ftp://x" is no address of a host\n  hint: write it as https://x\n',
    );
    expect((await ferry(world.next(), "login", "--with-token", "--host", "local")).stderr).toBe(
      "ferry: the embedded service needs no login\n",
    );
  });
});

test("on a terminal it asks for host and key", async () => {
  const there = world.next({}, { tty: true });
  there.prompt.expect("Address of the service:", "agents.example.com");
  there.prompt.expect("API key for agents.example.com:", service.key);
  expect((await ferry(there, "login")).code).toBe(0);
  expect(there.prompt.open).toEqual([]);
  // Return alone is the service of the login that there is.
  const again = world.next({}, { tty: true });
  again.prompt.expect("Address of the service:", "");
  again.prompt.expect("API key for agents.example.com:", service.key);
  expect((await ferry(again, "login")).code).toBe(0);
});

describe("a service that has only the seed", () => {
  let seed: SeedService;
  beforeEach(() => {
    seed = makeSeedService();
    world.services.set(url, seed.send);
  });

  test("says whether the key works, and not whose it is", async () => {
    expect((await logIn(seed.key)).stderr).toMatch(/^logged in to agents\.example\.com\n/u);
    expect((await logIn("wrong")).code).toBe(4);
    expect(JSON.parse((await ferry(world.next(), "whoami", "--json")).stdout)).toEqual({ host: url, account: "key" });
  });
});
