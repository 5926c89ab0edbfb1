import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ferry } from "../support/ferry.ts";
import { gitIn, makeRepository, type TestGit } from "../support/git.ts";
import { makeSeedService, type SeedService } from "../support/seed-service.ts";
import { makeWorld, type World } from "../support/world.ts";

const urls = ["https://a.example", "https://b.example", "https://c.example", "https://d.example"] as const;
const [a, b, c, d] = urls;

let world: World;
let git: TestGit;
let services: Map<string, SeedService>;

beforeEach(() => {
  world = makeWorld({ env: { FERRY_CREDENTIAL_STORE: "file" } });
  services = new Map(urls.map((url) => [url, makeSeedService({ key: `key of ${url}`.replaceAll(" ", "-") })]));
  for (const [url, { send }] of services) world.services.set(url, send);
  makeRepository(join(world.folder, "repo"));
  git = gitIn(join(world.folder, "repo"));
});
afterEach(() => world.dispose());

/** Logs in with the service's own key. */
async function login(url: string): Promise<void> {
  const inner = world.next({}, { stdin: services.get(url)?.key ?? "" });
  const { code, stderr } = await ferry(inner, "login", "--host", url, "--with-token");
  expect(stderr).toContain("logged in to");
  expect(code).toBe(0);
}

/** Which service a command in the repository calls. */
async function called(argv: readonly string[] = [], env: Record<string, string> = {}): Promise<string | undefined> {
  for (const { calls } of services.values()) calls.length = 0;
  await ferry(world.next({ cwd: git.folder, env }), "session", "list", ...argv);
  return urls.find((url) => (services.get(url)?.calls.length ?? 0) > 0);
}

describe("the first that names a host decides", () => {
  beforeEach(async () => {
    for (const url of [a, b, c, d]) await login(url);
  });

  test("--host, FERRY_HOST, git config, the last login", async () => {
    expect(await called()).toBe(d);
    git("config", "ferry.host", c);
    expect(await called()).toBe(c);
    expect(await called([], { FERRY_HOST: a })).toBe(a);
    expect(await called(["--host", b], { FERRY_HOST: a })).toBe(b);
  });

  test("a name is enough for one that was logged in to", async () => {
    expect(await called(["--host", "b.example"])).toBe(b);
    expect(await called(["--host", "B.Example/"])).toBe(b);
  });

  test("a link that goes before the last login is told by the commands that it leads elsewhere, and by a login", async () => {
    git("config", "branch.main.ferrySession", "0001");
    git("config", "branch.main.ferryHost", b);
    const here = { cwd: git.folder };
    const told = "host: b.example, since this branch is linked to a session on it; the last login is d.example\n";
    expect((await ferry(world.next(here), "session", "list")).stderr).toBe(`${told}no sessions\n`);
    expect((await ferry(world.next(here), "session", "list", "--host", d)).stderr).toBe("no sessions\n");
    const inner = world.next(here, { stdin: services.get(c)?.key ?? "" });
    expect((await ferry(inner, "login", "--host", c, "--with-token")).stderr).toContain(
      "commands here go to b.example all the same, since this branch is linked to a session on it: --host c.example names this login\n",
    );
    await login(b);
    expect((await ferry(world.next(here), "session", "list")).stderr).toBe("no sessions\n");
    git("config", "branch.main.ferryHost", "https://unknown.example");
    const again = world.next(here, { stdin: services.get(c)?.key ?? "" });
    expect(await ferry(again, "login", "--host", c, "--with-token")).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("commands here don't go there yet, since this branch is linked") as string,
    });
  });

  test("what begins a session says it once, in its own first line", async () => {
    git("config", "branch.main.ferrySession", "0001");
    git("config", "branch.main.ferryHost", b);
    const { stderr } = await ferry(world.next({ cwd: git.folder }), "session", "start");
    const told = "host: b.example, since this branch is linked to a session on it; the last login is d.example";
    expect(stderr.split("\n").filter((line) => line.startsWith("host: "))).toEqual([told]);
  });

  test("the link's host counts for every command, whoami says why, and logout ends a login whatever the branch is linked to", async () => {
    git("config", "branch.main.ferrySession", "0001");
    git("config", "branch.main.ferryHost", b);
    expect(await called()).toBe(b);
    const here = { cwd: git.folder };
    const { stderr } = await ferry(world.next(here), "whoami");
    expect(stderr).toContain("host: b.example, since this branch is linked to a session on it");
    expect((await ferry(world.next({ cwd: world.folder }), "whoami")).stderr).toBe("");
    const named = await ferry(world.next({ ...here, env: { FERRY_HOST: a } }), "whoami");
    expect(named.stderr).toBe("host: a.example, since FERRY_HOST names it\n");
    expect((await ferry(world.next(here), "whoami", "--host", a)).stderr).toBe("");
    expect((await ferry(world.next(here), "logout")).stderr).toContain("logged out of d.example");
  });

  test("the link's host comes before the git config's, for commands that take a session", async () => {
    git("config", "branch.main.ferrySession", "0001");
    git("config", "branch.main.ferryHost", b);
    git("config", "ferry.host", c);
    for (const { calls } of services.values()) calls.length = 0;
    const { code, stderr } = await ferry(world.next({ cwd: git.folder }), "session", "view");
    expect({ code, calls: services.get(b)?.calls }).toEqual({ code: 5, calls: ["GET /api/v1/sessions/0001"] });
    expect(stderr).toMatch(/^ferry: /u);
  });
});

describe("what a repository names selects only a host that the user logged in to", () => {
  test.each([
    ["ferry.host", "https://evil.example"],
    ["ferry.host", "http://evil.example"],
    ["ferry.host", "https://me:secret@evil.example"],
    ["branch.main.ferryHost", "https://evil.example"],
  ])("%s = %s", async (name, value) => {
    await login(a);
    git("config", name, value);
    git("config", "branch.main.ferrySession", "0001");
    const { code, stderr } = await ferry(world.next({ cwd: git.folder }), "session", "view");
    expect(code).toBe(4);
    expect(stderr).toContain("which you aren't logged in to");
    expect(stderr).not.toContain("secret");
    expect(stderr).toContain(`name one that you know: --host ${a.slice("https://".length)}\n`);
  });
});

describe("two services at one host, told apart by the case of a path alone", () => {
  const [upper, lower] = ["https://h.example/Team", "https://h.example/team"] as const;
  beforeEach(async () => {
    for (const url of [upper, lower]) services.set(url, makeSeedService({ key: `key-of-${url}` }));
    world.services.set("https://h.example", (request) => {
      const url = request.url.startsWith(`${upper}/`) ? upper : lower;
      const send = services.get(url)?.send ?? Promise.reject.bind(Promise);
      return send({ ...request, url: request.url.replace(url, "https://h.example") });
    });
    for (const url of [upper, lower]) await login(url);
  });

  test.each(["h.example/Team", "H.Example/Team/", " h.example/Team", upper])(
    "--host '%s' is that one's login alone",
    async (name) => {
      expect((await ferry(world.next(), "auth", "token", "--host", name)).stdout).toBe(`key-of-${upper}\n`);
      expect((await ferry(world.next(), "auth", "switch", name)).stderr).toMatch(/^now h\.example\/Team as /u);
      expect((await ferry(world.next(), "logout", "--host", name)).stderr).toMatch(/^logged out of h\.example\/Team /u);
      expect((await ferry(world.next(), "auth", "token", "--host", name)).code).toBe(4);
    },
  );

  test("what names neither is neither", async () => {
    for (const argv of [
      ["whoami", "--host", "h.example/TEAM"],
      ["logout", "--host", "h.example/TEAM"],
      ["auth", "switch", "h.example/TEAM"],
    ])
      expect((await ferry(world.next(), ...argv)).stderr).toMatch(/^ferry: not logged in (?:as or )?to h\.example\/TEAM\n/u);
  });

  test("a session's address is looked for where it lies", async () => {
    for (const { calls } of services.values()) calls.length = 0;
    await ferry(world.next(), "session", "view", `${upper}/sessions/ses_1`);
    expect([services.get(upper)?.calls.length !== 0, services.get(lower)?.calls]).toEqual([true, []]);
  });
});

test.each(["LOCAL", "Local", " local ", "local/", "lOCAL//"])("'%s' is the embedded service, never an address", async (name) => {
  const env = { FERRY_API_KEY: "secret" };
  const asked: string[] = [];
  world.services.set("https://local", ({ url }) => (asked.push(url), Promise.reject(new Error("asked"))));
  for (const [change, argv] of [
    [{ env }, ["--host", name]],
    [{ env: { ...env, FERRY_HOST: name } }, []],
  ] as const) {
    expect((await ferry(world.next(change), "logout", ...argv)).stderr).toBe("ferry: the embedded service has no login\n");
    expect((await ferry(world.next(change), "login", ...argv)).stderr).toBe("ferry: the embedded service needs no login\n");
    expect((await ferry(world.next(change), "auth", "status", ...argv)).stderr).toContain(
      "local, the embedded service, needs no login",
    );
  }
  expect(asked).toEqual([]);
});

describe("FERRY_API_KEY", () => {
  const key = { FERRY_API_KEY: "key-of-https://a.example" };

  test("goes to the host of --host or FERRY_HOST, also without a login", async () => {
    expect(await called(["--host", a], key)).toBe(a);
    expect(await called([], { ...key, FERRY_HOST: a })).toBe(a);
  });

  test("and wins over a stored one there", async () => {
    await login(b);
    const { code } = await ferry(world.next({ env: key }), "session", "list", "--host", b);
    expect(code).toBe(4);
  });

  test("is FERRY_HOST's alone where that is set: --host takes the login there, or is refused", async () => {
    const env = { FERRY_API_KEY: "key-of-https://a.example", FERRY_HOST: a };
    const { code, stderr } = await ferry(world.next({ env }), "session", "list", "--host", b);
    expect([code, services.get(b)?.calls]).toEqual([4, []]);
    expect(stderr).toBe(
      "ferry: not logged in to b.example\n  hint: ferry login --host https://b.example; FERRY_API_KEY is for FERRY_HOST alone\n",
    );
    await login(b);
    expect(await called(["--host", b], env)).toBe(b);
    services.get(b)?.calls.splice(0);
    const status = await ferry(world.next({ env }), "auth", "status", "--host", b, "--json");
    expect((JSON.parse(status.stdout) as { key: string }[]).map((row) => row.key)).not.toContain("FERRY_API_KEY");
    // By whatever name: a's own stays its own.
    expect(await called(["--host", `${a}/`], env)).toBe(a);
    expect(await called(["--host", a], { ...env, FERRY_HOST: "a.example" })).toBe(a);
  });

  test("goes nowhere else: without either it is exit 2", async () => {
    await login(b);
    git("config", "ferry.host", b);
    for (const { calls } of services.values()) calls.length = 0;
    const result = await ferry(world.next({ cwd: git.folder, env: key }), "session", "list");
    expect(result).toEqual({
      code: 2,
      stdout: "",
      stderr: "ferry: FERRY_API_KEY is set, but no host for it\n  hint: set FERRY_HOST\n",
    });
    expect(services.get(b)?.calls).toEqual([]);
  });

  test("set to nothing it is not set: the stored key is used", async () => {
    await login(b);
    expect(await called(["--host", b], { FERRY_API_KEY: "" })).toBe(b);
  });

  test.each([
    ["blank", " "],
    ["tabs and spaces", " \t "],
    ["a space in it", "key of a"],
    ["a space before it", " abc"],
    ["a trailing newline", "abc\n"],
    ["a trailing CRLF", "abc\r\n"],
    ["a non-ASCII character", "ключ"],
    ["a non-ASCII blank", "abc\u00a0"],
  ])("%s: it is refused before anything is sent", async (_, value) => {
    const { code, stderr } = await ferry(world.next({ env: { FERRY_API_KEY: value } }), "session", "list", "--host", a);
    expect({ code, calls: services.get(a)?.calls }).toEqual({ code: 4, calls: [] });
    expect(stderr).toContain("FERRY_API_KEY");
  });
});

test("nobody logged in and nobody to ask: exit 4 with the ways out", async () => {
  const { code, stderr } = await ferry(world, "session", "list");
  expect(code).toBe(4);
  expect(stderr).toContain(
    'set FERRY_HOST and FERRY_API_KEY, pipe a key to "ferry login --host URL --with-token", or name the embedded service: --host local',
  );
  expect((await ferry(world.next(), "session", "list", "--host", a)).stderr).toBe(
    "ferry: not logged in to a.example\n  hint: ferry login --host https://a.example, or set FERRY_API_KEY\n",
  );
});

test("a key goes out as the bearer where the service takes only that, and this is remembered", async () => {
  const service = makeSeedService({ header: "authorization" });
  world.services.set(a, service.send);
  const env = { FERRY_HOST: a, FERRY_API_KEY: service.key };
  expect((await ferry(world.next({ env }), "session", "list")).code).toBe(0);
  service.calls.length = 0;
  expect((await ferry(world.next({ env }), "session", "list")).code).toBe(0);
  expect(service.calls).toHaveLength(1);
});

describe("a home that takes no files", () => {
  const nowhere = join("/dev/null", "ferry");
  const env = { FERRY_HOST: a, FERRY_API_KEY: `key of ${a}`.replaceAll(" ", "-"), FERRY_STATE_DIR: nowhere };

  test("costs no command its success that needs none", async () => {
    expect(await ferry(world.next({ env }), "session", "list")).toEqual({ code: 0, stdout: "", stderr: "no sessions\n" });
  });

  test("is named by one that does", async () => {
    const { code, stderr } = await ferry(world.next({ env: { FERRY_CONFIG_DIR: nowhere } }), "config", "set", "sandbox", "auto");
    expect({ code, line: stderr.split("\n")[0] }).toEqual({
      code: 1,
      line: "ferry: can't write /dev/null: file already exists",
    });
  });
});
