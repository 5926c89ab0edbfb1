import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FerryError, NoAnswerError, ReaderGoneError } from "../../../src/base/errors.ts";
import type { SendResponse } from "../../../src/host/host.ts";
import { ferry } from "../../support/ferry.ts";
import { json, text } from "../../support/login-server.ts";
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

test("a name whose key is revoked already is not suggested again", async () => {
  await service.makeKey({ name: "ci", revoked_at: "2026-01-01T00:00:00.000Z" });
  expect(await ferry(world.next(), "key", "revoke", "ci", "-y")).toEqual({
    code: 5,
    stdout: "",
    stderr: 'ferry: the key "ci" of agents.example.com is revoked already\n  hint: ferry key list\n',
  });
  const { stderr } = await ferry(world.next(), "key", "revoke", "ci", "-y", "--host", "agents.example.com");
  expect(stderr).toContain("hint: ferry key list --host agents.example.com\n");
});

test("a key of the three resources may not look at keys, and is told what to do", async () => {
  const key = await service.makeKey({ scopes: ["sessions:all", "code-providers:all", "repositories:all"] });
  const { code, stderr } = await ferry(world.next({ env: { FERRY_API_KEY: key } }), "key", "list");
  expect(code).toBe(4);
  expect(stderr).toContain("hint: put a key that has all:read into FERRY_API_KEY: the portal makes one");
});

test("a scope that there is none of is named before anything is asked of the service", async () => {
  world.services.clear();
  const { code, stderr } = await ferry(world.next(), "key", "create", "x", "--scopes", "everything");
  expect(code).toBe(2);
  expect(stderr).toContain('there is no scope "everything"');
});

test("nor is one made whose name is blank", async () => {
  expect(await ferry(world.next(), "key", "create", " ", "--scopes", "sessions:read")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("ferry: a key needs a name\n") as string,
  });
  expect((await service.store.keys.list({})).items).toHaveLength(1);
});

test("who ends the key of this very login is told so, before and after", async () => {
  expect((await ferry(world.next(), "key", "revoke", "test")).stderr).toContain(
    "Revoke the key test of agents.example.com, which this login uses?",
  );
  await service.makeKey({ name: "other" });
  expect((await ferry(world.next(), "key", "revoke", "other", "-y")).stderr).not.toContain("of this login");
  const env = { FERRY_API_KEY: await service.makeKey({ name: "mine" }) };
  expect(await ferry(world.next({ env }), "key", "revoke", "mine", "-y")).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(
      "it was the key of this login, and commands for agents.example.com are refused now: set FERRY_API_KEY to another key\n",
    ) as string,
  });
});

test("a stored login whose key is ended by itself is told how to get another", async () => {
  const key = await service.makeKey({ name: "mine" });
  const env = { FERRY_API_KEY: "", FERRY_HOST: url };
  await ferry(world.next({ env }, { stdin: key }), "login", "--with-token");
  const { code, stderr } = await ferry(world.next({ env }), "key", "revoke", "mine", "-y");
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining(`: ferry login --host ${url}\n`) as string });
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

test("a gateway that sends all calls to its sign-in page is no service without keys", async () => {
  const headers = { location: "https://sso.example/login" };
  world.services.set(url, async () => ({ ...text(302, "", headers) }));
  const { code, stderr } = await ferry(world.next(), "key", "revoke", "nightly", "-y");
  expect([code, stderr]).toEqual([
    1,
    "ferry: agents.example.com redirects to https://sso.example; the key is not sent there\n" +
      "  hint: check the host's address, and ask whoever runs the service\n",
  ]);
});

describe("a key that is made and doesn't get out", () => {
  const create = (there: World, ...more: string[]) => ferry(there, "key", "create", "ci", "--scopes", "all:all", ...more);
  /** A world whose stdout takes nothing. */
  const failing = (failure: Error): World => {
    const there = world.next();
    const { terminal } = there.host;
    const stdout = { ...terminal.stdout, write: () => Promise.reject(failure) };
    return { ...there, host: { ...there.host, terminal: { ...terminal, stdout } } };
  };
  const secrets = ["--json", "--show-secrets"];
  const keys = async () => (await service.store.keys.list({})).items.filter(({ name }) => name === "ci");
  /** Answers a POST itself, after the service took it. */
  const answering = (answer: () => SendResponse): void =>
    void world.services.set(url, async (request) => {
      const response = await service.send(request);
      if (request.method !== "POST") return response;
      await response.cancel();
      return answer();
    });

  test.each([
    ["no reader", new ReaderGoneError("nobody reads the output any more"), 1],
    ["a full disk", new FerryError("failure", "can't write the output: no space left on device"), 1],
    ["Ctrl-C before a reader took it", new FerryError("interrupted", "interrupted"), 130],
  ])("is revoked: %s", async (_, failure, exit) => {
    for (const more of [[], secrets]) {
      const { code, stderr } = await create(failing(failure), ...more);
      const [key] = await keys();
      expect([code, stderr]).toEqual([
        exit,
        expect.stringContaining(`${failure.message}; so the key ci (${key?.id ?? ""}) is revoked`),
      ]);
    }
    expect(await keys()).toMatchObject([
      { revoked_at: expect.any(String) as string },
      { revoked_at: expect.any(String) as string },
    ]);
  });

  test("or, where it can't be revoked, told", async () => {
    world.services.set(url, async (request) => (request.method === "DELETE" ? text(500, "") : service.send(request)));
    const { code, stderr } = await create(failing(new ReaderGoneError("nobody reads the output any more")), "--host", url);
    const id = (await keys())[0]?.id ?? "";
    expect([code, stderr]).toEqual([
      1,
      `ferry: nobody reads the output any more; the key ci (${id}) was made and is lost\n  hint: ferry key revoke ${id} --host ${url}\n`,
    ]);
  });

  test("told, too, where Ctrl-C comes while it is being revoked", async () => {
    const controller = new AbortController();
    world.services.set(url, async (request) => {
      if (request.method !== "DELETE") return service.send(request);
      controller.abort(new FerryError("interrupted", "interrupted"));
      return text(500, "");
    });
    const there = failing(new FerryError("failure", "can't write the output: no space left on device"));
    const { code, stderr } = await create({ ...there, host: { ...there.host, interrupt: controller.signal } });
    const id = (await keys())[0]?.id ?? "";
    expect([code, stderr]).toEqual([130, expect.stringContaining(`the key ci (${id}) was made and is lost`)]);
  });

  test.each([
    ["a field that there is none of", ["--show-secrets", "--fields", "id,nope,secret"], "there is no field nope"],
    ["fields without the key", ["--show-secrets", "--fields", "id"], "would be left out and lost"],
    ["secrets cut", ["--fields", "id,secret"], "would be cut and lost"],
  ])("is not even made: %s", async (_, more, says) => {
    const { code, stderr } = await create(world.next(), ...more);
    expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
    expect(await keys()).toEqual([]);
  });

  test("nor where standard output is closed, nor by the call itself with secrets cut", async () => {
    expect(await create(world.next({}, { closed: true }))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("closed") as string,
    });
    const call = await ferry(world.next(), "api", "POST", "api-keys", "-f", "name=ci");
    expect(call).toMatchObject({ code: 2, stderr: expect.stringContaining("would be cut and lost") as string });
    expect(await keys()).toEqual([]);
  });

  test.each([
    ["leaves it out", [...secrets, "--jq", ".id"], 2, "--jq left the new key out; so the key ci "],
    ["tells its length alone", [...secrets, "--jq", ".secret | length"], 2, "--jq left the new key out; so the key ci "],
    ["fails", [...secrets, "--jq", '.secret | error("x")'], 1, "; so the key ci "],
  ])("is revoked where --jq %s", async (_, more, exit, says) => {
    const { code, stderr } = await create(world.next(), ...more);
    expect([code, (await keys())[0]?.revoked_at]).toEqual([exit, expect.any(String)]);
    expect(stderr).toContain(says);
  });

  test("and kept where --jq gives it in another form", async () => {
    const { code, stdout } = await create(world.next(), ...secrets, "--fields", "secret", "--jq", ".secret | @base64");
    expect([code, Buffer.from(stdout, "base64").toString()]).toEqual([0, expect.stringMatching(/^ferry_/u)]);
    expect(await keys()).toMatchObject([{ revoked_at: null }]);
  });

  const noAnswer = (sent: boolean) => (): never => {
    throw new NoAnswerError("agents.example.com: the connection was cut", { sent, code: "ECONNRESET" });
  };
  const look = "a key that was made all the same is in: ferry key list";

  test.each([
    ["is cut", noAnswer(true)],
    ["is a gateway's", () => text(502, "")],
    ["leads elsewhere, when it is done", () => text(303, "", { location: `${url}/api/v1/gone` })],
    ["has no id", () => json(201, { name: "ci", secret: "s" })],
    ["is half of one", () => text(201, '{"id":"key_1","secret":"abc', { "content-type": "application/json" })],
  ])("may be there where the answer %s: that is said", async (_, answer) => {
    answering(answer);
    const { code, stderr } = await create(world.next());
    expect([code === 0, stderr]).toEqual([false, expect.stringContaining(`\n  hint: ${look}\n`)]);
  });

  test("and on Ctrl-C", async () => {
    const there = world.next();
    answering(() => {
      there.interrupt();
      throw there.host.interrupt.reason;
    });
    expect(await create(there)).toEqual({ code: 130, stdout: "", stderr: `ferry: interrupted\n  hint: ${look}\n` });
  });

  test.each([
    ["is a refusal", () => json(403, { error: "no" })],
    ["is none: it never got there", noAnswer(false)],
    ["is that it is too early", () => text(425, "")],
  ])("isn't spoken of where the answer %s", async (_, answer) => {
    world.services.set(url, async (request) => (request.method === "POST" ? answer() : service.send(request)));
    const there = world.next();
    const sleep = () => Promise.reject(new FerryError("unavailable", "no patience"));
    const { code, stderr } = await create({ ...there, host: { ...there.host, clock: { ...there.host.clock, sleep } } });
    expect([code === 0, stderr]).toEqual([false, expect.not.stringContaining("all the same")]);
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
  expect(stderr).toMatch(
    /^ferry: the service made a key that can be none: it .+; the key ci \(key_1\) was made and is lost\n {2}hint: ferry key revoke key_1\n$/u,
  );
});
