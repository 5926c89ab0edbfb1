import { afterEach, beforeEach, expect, test } from "vitest";
import { ferry } from "../../support/ferry.ts";
import { json } from "../../support/login-server.ts";
import { makeSeedService } from "../../support/seed-service.ts";
import { makeTestService, type TestService } from "../../support/service.ts";
import { makeWorld, type World } from "../../support/world.ts";

const url = "https://agents.example.com";

let world: World;
let service: TestService;
beforeEach(async () => {
  service = await makeTestService();
  world = makeWorld({ env: { FERRY_HOST: url, FERRY_API_KEY: service.key } });
  world.services.set(url, service.send);
});
afterEach(async () => {
  await service.close();
  await world.dispose();
});

test("create prints the key alone on stdout, which works until it is revoked", async () => {
  const { code, stdout, stderr } = await ferry(
    world.next(),
    "key",
    "create",
    "ci",
    "--scopes",
    "sessions:read",
    "--expires",
    "90d",
  );
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ferry_[\w-]{43}\n$/u);
  expect(stderr).toMatch(/^the key ci \(key_\w+\) is shown this once\n$/u);
  const there = () => world.next({ env: { FERRY_API_KEY: stdout.trim() } });
  expect((await ferry(there(), "session", "list")).code).toBe(0);
  expect((await ferry(there(), "repo", "list")).code).toBe(4);
  expect(await ferry(world.next(), "key", "revoke", "ci", "--yes")).toMatchObject({ code: 0, stdout: "" });
  expect((await ferry(there(), "session", "list")).code).toBe(4);
});

test("a key for longer than a date can tell is a wrong usage, and none is made", async () => {
  expect(await ferry(world.next(), "key", "create", "ci", "--scopes", "sessions:read", "--expires", "99999999999d")).toEqual({
    code: 2,
    stdout: "",
    stderr:
      "ferry: option '--expires <duration>' argument '99999999999d' is invalid. The longest is 1000000d.\n  hint: see ferry key create --help\n",
  });
  expect((await service.store.keys.list({})).items).toHaveLength(1);
});

test("nor for one that would never work", async () => {
  expect(await ferry(world.next(), "key", "create", "ci", "--scopes", "sessions:read", "--expires", "0d")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("argument '0d' is invalid. A key that never works is none.") as string,
  });
  expect((await service.store.keys.list({})).items).toHaveLength(1);
});

test("in JSON the key is there when secrets are asked for; else nothing is made that would be lost", async () => {
  const create = (...more: string[]) => ferry(world.next(), "key", "create", "ci", "--scopes", "all:all", "--json", ...more);
  expect((await create()).code).toBe(2);
  expect((await service.store.keys.list({})).items).toHaveLength(1);
  expect((JSON.parse((await create("--show-secrets")).stdout) as { secret: string }).secret).toMatch(/^ferry_/u);
});

test("list tells what each can do and whether it works", async () => {
  await service.makeKey({ name: "old", scopes: ["sessions:read", "all:read"], revoked_at: "2026-01-01T00:00:00.000Z" });
  await service.makeKey({ name: "past", expires_at: "2025-12-31T00:00:00.000Z" });
  await service.makeKey({ name: "future", expires_at: "2027-12-31T00:00:00.000Z" });
  const { stdout } = await ferry(world.next(), "key", "list");
  const rows = stdout
    .trim()
    .split("\n")
    .map((line) => line.split("\t").slice(1, 4));
  expect(rows).toEqual([
    ["future", "all:all", "works until 2027-12-31"],
    ["past", "all:all", "expired"],
    ["old", "sessions:read,all:read", "revoked"],
    ["test", "all:all", "works"],
  ]);
});

test("revoke wants a yes, and one key", async () => {
  await service.makeKey({ name: "twin" });
  await service.makeKey({ name: "twin" });
  expect((await ferry(world.next(), "key", "revoke", "test")).code).toBe(2);
  expect(await ferry(world.next(), "key", "revoke", "twin", "-y")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("twin could be several keys") as string,
  });
  expect((await ferry(world.next(), "key", "revoke", "nobody", "-y")).code).toBe(5);
});

test("a key of the three resources may not look at keys, and is told what to do", async () => {
  const key = await service.makeKey({ scopes: ["sessions:all", "code-providers:all", "repositories:all"] });
  const { code, stderr } = await ferry(world.next({ env: { FERRY_API_KEY: key } }), "key", "list");
  expect(code).toBe(4);
  expect(stderr).toContain("hint: put a key that has all:all into FERRY_API_KEY: the portal makes one");
});

test("a scope that there is none of is named before anything is asked of the service", async () => {
  world.services.clear();
  const { code, stderr } = await ferry(world.next(), "key", "create", "x", "--scopes", "everything");
  expect(code).toBe(2);
  expect(stderr).toContain('there is no scope "everything"');
});

test("a service that makes keys only in its portal: told plainly", async () => {
  const seed = makeSeedService();
  world.services.set(url, seed.send);
  expect(await ferry(world.next({ env: { FERRY_API_KEY: seed.key } }), "key", "list")).toEqual({
    code: 1,
    stdout: "",
    stderr:
      "ferry: agents.example.com makes and revokes keys only in its portal\n  hint: look for its API or developer settings\n",
  });
});

test.each([
  ["an escape sequence", "ferry_\u001b]0;pwned\u0007"],
  ["a line break", "ferry_a\nferry_b"],
  ["nothing", " "],
])("a secret with %s in it reaches no terminal: it can be no key", async (_, secret) => {
  world.services.set(url, async (request) => {
    const response = await service.send(request);
    if (request.method !== "POST") return response;
    await response.cancel();
    return json(201, { id: "key_1", name: "ci", scopes: ["all:all"], secret });
  });
  const { code, stdout, stderr } = await ferry(world.next(), "key", "create", "ci", "--scopes", "all:all");
  expect({ code, stdout }).toEqual({ code: 6, stdout: "" });
  expect(stderr).toMatch(/^ferry: the service made a key that can be none: it .+\n {2}hint: ferry key revoke key_1\n$/u);
});
