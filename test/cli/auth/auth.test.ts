import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Config, type HostEntry, readConfig, updateConfig } from "../../../src/cli/config/config.ts";
import type { Prompt } from "../../../src/host/host.ts";
import { ferry } from "../../support/ferry.ts";
import { gitIn } from "../../support/git.ts";
import { makeTestService, type TestService } from "../../support/service.ts";
import { makeWorld, type World } from "../../support/world.ts";

const [a, b] = ["https://a.example.com", "https://b.example.com"] as const;

let world: World;
let services: Map<string, TestService>;
beforeEach(async () => {
  world = makeWorld();
  services = new Map([
    [a, await makeTestService()],
    [b, await makeTestService()],
  ]);
  for (const [url, { send, key }] of services) {
    world.services.set(url, send);
    await ferry(world.next({}, { stdin: key }), "login", "--host", url, "--with-token");
  }
});
afterEach(async () => {
  for (const service of services.values()) await service.close();
  await world.dispose();
});

const status = async () => {
  const { code, stdout, stderr } = await ferry(world.next(), "auth", "status", "--json");
  return { code, stderr, rows: JSON.parse(stdout) as Record<string, unknown>[] };
};

test("status tells for each login who, which workspace, which scopes, where the key is, and that it works", async () => {
  const { code, rows } = await status();
  expect(code).toBe(0);
  expect(rows).toEqual(
    [b, a].map((url, at) => ({
      name: url.slice("https://".length),
      host: url,
      account: "ada@example.com",
      workspace: "test",
      scopes: ["all:all"],
      expires_at: null,
      key: "the keychain",
      default: at === 0,
      works: true,
      error: null,
    })),
  );
});

test("on a terminal status is a line for each thing told, broken between words", async () => {
  world.services.set(b, () => Promise.reject(new Error("the cable is out of the wall again")));
  const { stdout } = await ferry(world.next({}, { tty: true, columns: 40 }), "auth", "status");
  expect(stdout).toBe(`host:      b.example.com (default)
account:   ada@example.com
workspace: test
scopes:    –
key in:    the keychain
state:     the cable is out of the wall
           again

host:      a.example.com
account:   ada@example.com
workspace: test
scopes:    all:all
key in:    the keychain
state:     works
`);
});

test("status tells which doesn't work, and why, and the others all the same", async () => {
  world.services.set(a, async () => {
    throw new Error("the cable is out");
  });
  const { code, rows, stderr } = await status();
  expect(code).toBe(1);
  expect(rows.map(({ works }) => works)).toEqual([true, false]);
  expect(rows[1]).toMatchObject({ host: a, error: "the cable is out" });
  expect(stderr).toContain("1 of 2 logins failed: the cable is out");
});

test("status tells of FERRY_API_KEY, which goes to the host that is named alone", async () => {
  const { key = "" } = services.get(a) ?? {};
  const env = { FERRY_API_KEY: key, FERRY_HOST: a };
  await ferry(world.next(), "logout", "--host", a);
  const { code, stdout } = await ferry(world.next({ env }), "auth", "status", "--json", "--fields", "name,account,key,works");
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual([
    { name: "a.example.com", account: "ada@example.com", key: "FERRY_API_KEY", works: true },
    { name: "b.example.com", account: "ada@example.com", key: "the keychain", works: true },
  ]);
});

test("status says that FERRY_API_KEY without a host keeps commands from any, with and without a login", async () => {
  const env = { FERRY_API_KEY: services.get(a)?.key ?? "" };
  expect((await ferry(world.next({ env }), "whoami")).stderr).toContain("FERRY_API_KEY is set, but no host for it");
  const { code, stderr } = await ferry(world.next({ env }), "auth", "status");
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: "FERRY_API_KEY is set, but no host for it: commands refuse until FERRY_HOST or --host names one\n",
  });
  expect((await ferry(world.next({ env }), "auth", "status", "--host", a)).stderr).toBe("");
  for (const host of [a, b]) await ferry(world.next(), "logout", "--host", host);
  // At a terminal, too, where without the key it would be the embedded service.
  expect(await ferry(world.next({ env }, { tty: true }), "auth", "status")).toEqual({
    code: 4,
    stdout: "",
    stderr: "ferry: not logged in to any host; FERRY_API_KEY is set, but no host for it\n  hint: set FERRY_HOST\n",
  });
});

test("a locked keychain is said of each login, and exits 4", async () => {
  world.keychain.trouble = "locked";
  const { code, rows } = await status();
  expect(code).toBe(4);
  expect(rows.map(({ error }) => error)).toEqual(["the keychain is locked", "the keychain is locked"]);
});

test("status without a login exits 4 with the way to one", async () => {
  await ferry(world.next(), "logout", "--host", a);
  await ferry(world.next(), "logout", "--host", b);
  expect(await ferry(world.next(), "auth", "status")).toEqual({
    code: 4,
    stdout: "",
    stderr: "ferry: not logged in to any host\n  hint: ferry login --host URL\n",
  });
  expect(await ferry(world.next({}, { tty: true }), "auth", "status")).toMatchObject({
    code: 0,
    stderr: "local, the embedded service, needs no login\n",
  });
  const env = { FERRY_HOST: "local", FERRY_API_KEY: "k" };
  const told = "local, the embedded service, needs no login\n";
  expect(await ferry(world.next({ env }), "auth", "status")).toEqual({ code: 0, stdout: "", stderr: told });
  expect((await ferry(world.next({ env }), "auth", "status", "--json")).stdout).toBe("[]\n");
});

test("token prints the key, and in JSON only when secrets are asked for", async () => {
  const key = services.get(b)?.key;
  expect(await ferry(world.next(), "auth", "token")).toEqual({ code: 0, stdout: `${key ?? ""}\n`, stderr: "" });
  expect(await ferry(world.next(), "auth", "token", "--json")).toMatchObject({ code: 2, stdout: "" });
  expect(JSON.parse((await ferry(world.next(), "auth", "token", "--json", "--show-secrets")).stdout)).toEqual({
    host: b,
    token: key,
  });
  expect((await ferry(world.next(), "auth", "token", "--host", "local")).code).toBe(2);
  const empty = { env: { FERRY_CONFIG_DIR: join(world.folder, "empty") } };
  // That the embedded service was used makes no login.
  await world.host.files.write(join(world.folder, "data", "key"), "x", 0o600);
  expect((await ferry(world.next(empty, { tty: true }), "auth", "token")).stderr).toContain(
    "hint: log in: ferry login --host URL\n",
  );
  const nobody = world.next(empty);
  expect(await ferry(nobody, "auth", "token")).toEqual({
    code: 4,
    stdout: "",
    stderr:
      'ferry: not logged in, and no host is named\n  hint: set FERRY_HOST and FERRY_API_KEY, or pipe a key to "ferry login --host URL --with-token"\n',
  });
});

test("FERRY_API_KEY is not told to belong to a host that a repository names", async () => {
  const git = gitIn(world.folder);
  git("init", "--quiet");
  git("config", "ferry.host", "a.example.com");
  const there = { env: { FERRY_API_KEY: "elsewhere" } };
  expect(await ferry(world.next(there), "auth", "token")).toEqual({
    code: 2,
    stdout: "",
    stderr: "ferry: FERRY_API_KEY is set, but no host for it\n  hint: set FERRY_HOST\n",
  });
  expect((await ferry(world.next(there), "auth", "token", "--host", b)).stdout).toBe("elsewhere\n");
});

test("switch takes the one that is named, or the other of two", async () => {
  expect((await ferry(world.next(), "auth", "switch", "a.example.com")).stderr).toBe("now a.example.com as ada@example.com\n");
  expect((await status()).rows[0]).toMatchObject({ host: a, default: true });
  await ferry(world.next(), "auth", "switch");
  expect((await status()).rows[0]).toMatchObject({ host: b, default: true });
  expect((await ferry(world.next(), "auth", "switch", "c.example.com")).code).toBe(5);
});

test.each([
  [["a@x.example"], "a@x.example"],
  [["ad@example.com", "--host", "https://me:secret@nowhere.example"], "ad@example.com at https://…@nowhere.example"],
  [["wsp_4h2k9w3m7p5x1c8d"], "wsp_4h2k9w3m7p5x1c8d"],
  [["0b1e7f3a-52c4-4d8e-9a6f-1c2d3e4f5a6b"], "0b1e7f3a-52c4-4d8e-9a6f-1c2d3e4f5a6b"],
  [[`ferry_${"aB3-".repeat(10)}aB3`], "…"],
  [[`${"aB3-".repeat(10)}@x.example`], "…@x.example"],
  [["me:secret@a.example.com"], "…@a.example.com"],
  [["https://secret@a.example.com"], "https://…@a.example.com"],
  [["ada\u001b[2J@x.example"], "ada␛[2J@x.example"],
])("switch says back what %j names and nobody is logged in as, but no key", async (argv, said) => {
  const { code, stderr } = await ferry(world.next(), "auth", "switch", ...argv);
  expect([code, stderr]).toEqual([5, `ferry: not logged in as or to ${said}\n  hint: ferry auth status\n`]);
});

test("switch takes a host by its name, whatever another service calls its accounts", async () => {
  await updateConfig(world.host, (config) => ({
    ...config,
    hosts: config.hosts.map((entry) => (entry.url === b ? { ...entry, account: "a.example.com" } : entry)),
  }));
  expect((await ferry(world.next(), "auth", "switch", "a.example.com")).stderr).toBe("now a.example.com as ada@example.com\n");
});

test("a login that is renewed while a person chooses stays as it is by then; one that is ended isn't brought back", async () => {
  const choosing = (meanwhile: (config: Config) => Config) => {
    const there = world.next({}, { tty: true });
    there.prompt.expect("Which login?", "a.example.com");
    const select: Prompt["select"] = async (question, choices) => {
      await updateConfig(there.host, meanwhile);
      return there.prompt.select(question, choices);
    };
    const host = { ...there.host, prompt: { ...there.prompt, select } };
    return ferry({ ...there, host }, "auth", "switch", "ada@example.com");
  };
  const renew = (entry: HostEntry): HostEntry => (entry.url === a ? { ...entry, item: "new", keyId: "key_new" } : entry);
  expect((await choosing((config) => ({ ...config, hosts: config.hosts.map(renew) }))).code).toBe(0);
  expect((await readConfig(world.host)).hosts[0]).toMatchObject({ url: a, item: "new", keyId: "key_new" });

  const end = (config: Config): Config => ({ ...config, hosts: config.hosts.filter(({ url }) => url !== a) });
  expect(await choosing(end)).toEqual({
    code: 4,
    stdout: "",
    stderr:
      "ferry: another ferry ended the login to a.example.com as ada@example.com meanwhile\n  hint: see what there is now: ferry auth status\n",
  });
  expect((await readConfig(world.host)).hosts.map(({ url }) => url)).toEqual([b]);
});

test("switch says that a key of the environment goes before the login", async () => {
  const there = world.next({ env: { ...world.host.env, FERRY_HOST: "a.example.com", FERRY_API_KEY: "another" } });
  expect((await ferry(there, "auth", "switch", "a.example.com")).stderr).toBe(
    "now a.example.com as ada@example.com\nFERRY_API_KEY is set and wins over it where a host is named\n",
  );
});

test("switch says where commands go all the same", async () => {
  const there = world.next({ env: { ...world.host.env, FERRY_HOST: "b.example.com" } });
  expect((await ferry(there, "auth", "switch", "a.example.com")).stderr).toBe(
    "now a.example.com as ada@example.com\n" +
      "commands here go to b.example.com all the same, since FERRY_HOST names it: --host a.example.com names this login\n",
  );
});

test("switch asks where several are meant, and names them where there is nobody to ask", async () => {
  const there = world.next({}, { tty: true });
  there.prompt.expect("Which login?", "a.example.com");
  expect((await ferry(there, "auth", "switch", "ada@example.com")).code).toBe(0);
  expect(await ferry(world.next(), "auth", "switch", "ada@example.com")).toMatchObject({
    code: 2,
    stderr:
      "ferry: which login is meant?\n  a.example.com as ada@example.com\n  b.example.com as ada@example.com\n  hint: name a host, an account, or a workspace or its id; --host beside one of the latter\n",
  });
});
