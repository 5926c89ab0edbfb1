import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { run } from "../../../src/cli/run.ts";
import { ferry } from "../../support/ferry.ts";
import { commitFiles, makeRepository, type TestGit } from "../../support/git.ts";
import { makeSeedService, type SeedService } from "../../support/seed-service.ts";
import { makeWorld, type World } from "../../support/world.ts";

const url = "https://agents.example.com";

let world: World;
let service: SeedService;
let git: TestGit;

beforeEach(() => {
  service = makeSeedService();
  world = makeWorld({ env: { FERRY_HOST: url, FERRY_API_KEY: service.key } });
  world.services.set(url, service.send);
  git = makeRepository(join(world.folder, "repo"));
  commitFiles(git, { a: "a" });
  addSession("ses_abcd1111", "fix/login", 1);
  addSession("ses_abcd2222", "main-two", 3);
  addSession("ses_wxyz3333", "twice", 2);
  addSession("ses_wxyz4444", "twice", 0);
});
afterEach(() => world.dispose());

function addSession(id: string, branch_name: string, day: number, more: Record<string, unknown> = {}): void {
  service.sessions.push({
    id,
    branch_name,
    status: "active",
    agent_status: "idle",
    title: id,
    created_at: `2026-01-0${day + 1}T00:00:00.000Z`,
    ...more,
  });
}

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function chosen(...argv: readonly string[]): Promise<unknown> {
  const { code, stdout, stderr } = await ferry(
    world.next({ cwd: git.folder }),
    "session",
    "view",
    ...argv,
    "--json",
    "--fields",
    "id",
  );
  return code === 0
    ? (JSON.parse(stdout) as { id: string }).id
    : { code, ...(JSON.parse(stderr) as { error: { message: string; details?: string[] } }).error };
}

describe("a session is named by", () => {
  test.each([
    ["its id", "ses_abcd1111", "ses_abcd1111"],
    ["the start of it", "ses_abcd1", "ses_abcd1111"],
    ["the start without the prefix", "abcd2", "ses_abcd2222"],
    ["its branch", "fix/login", "ses_abcd1111"],
    ["its address in the portal", `${url}/sessions/ses_wxyz3333?tab=x`, "ses_wxyz3333"],
    ["- for the newest", "-", "ses_abcd2222"],
  ])("%s", async (_, given, id) => {
    expect(await chosen(given)).toBe(id);
  });

  test("an id that begins with a dash, after --", async () => {
    addSession("-odd/id?x", "odd", 4);
    const { stdout } = await ferry(world.next(), "session", "view", "--json", "--fields", "id", "--", "-odd/id?x");
    expect(stdout).toBe('{"id":"-odd/id?x"}\n');
  });
});

test("what could be several is exit 2 with the candidates, what is none exit 5", async () => {
  expect(await chosen("abcd")).toMatchObject({
    code: 2,
    message: '"abcd" could be several sessions',
    details: expect.arrayContaining([expect.stringContaining("ses_abcd1111")]) as string[],
  });
  expect(await chosen("twice")).toMatchObject({ code: 2 });
  expect(await chosen("nothing")).toMatchObject({ code: 5, message: 'agents.example.com has no session "nothing"' });
});

test("an address that names no session is exit 2", async () => {
  for (const path of ["/sessions/%zz", "/%zz", "/"])
    expect(await chosen(`${url}${path}`)).toMatchObject({ code: 2, message: `this address names no session: ${url}${path}` });
});

test.each(["s", "ses", "ses_", "ses_abc", "wxy"])(
  "%s is too little of an id to name one, though only one may begin so",
  async (given) => {
    service.sessions.splice(1);
    expect(await chosen(given)).toMatchObject({
      code: 5,
      hint: expect.stringMatching(/^see ferry session list/u) as string,
    });
  },
);

describe("an address is of the host that it lies on", () => {
  const other = "https://other.example.com";
  const loggedIn = () => ({ ...world.host.env, FERRY_HOST: "", FERRY_API_KEY: "" });
  const edit = async (world: World, address: string) => ferry(world, "session", "edit", address, "--model", "m");

  test("and isn't looked for on another one that is named", async () => {
    const { code, stderr } = await edit(world.next(), `${other}/sessions/ses_abcd1111?key=secret`);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        "ferry: this address is of other.example.com, and the host is agents.example.com\n  hint: name the session by its id, or the host that it is of: --host\n",
    });
    expect(service.calls.filter((call) => call.startsWith("PATCH"))).toEqual([]);
  });

  test("also where the user is logged in to it, but names another", async () => {
    world.services.set(other, makeSeedService({ key: "other-key" }).send);
    const login = world.next({ env: loggedIn() }, { stdin: "other-key\n" });
    expect((await ferry(login, "login", "--host", other, "--with-token")).code).toBe(0);
    expect((await edit(world.next(), `${other}/sessions/ses_abcd1111`)).code).toBe(2);
    expect(service.calls.filter((call) => call.startsWith("PATCH"))).toEqual([]);
    const none = await edit(world.next({ env: loggedIn() }), `${url}/sessions/ses_abcd1111`);
    expect(none).toMatchObject({
      code: 4,
      stderr: `ferry: this address is of agents.example.com, and you are logged in to other.example.com\n  hint: log in there if you trust it: ferry login --host ${url}\n`,
    });
  });

  test("or of the host whose portal it lies in, as that one says", async () => {
    world.services.set(url, async (request) => {
      if (!request.url.endsWith("/api/v1/cli")) return service.send(request);
      const info = { service: { name: "x" }, portal_url: "https://portal.example.com/app" };
      const headers = { "content-type": "application/json" };
      return { status: 200, headers, body: bytes(JSON.stringify(info)), cancel: async () => undefined };
    });
    expect(await chosen("https://portal.example.com/app/sessions/ses_abcd1111")).toBe("ses_abcd1111");
    expect(await chosen("https://portals.example.com/app/sessions/ses_abcd1111")).toMatchObject({ code: 2 });
  });
});

describe("an empty word is not one left out", () => {
  const linked = async (): Promise<World> => {
    await ferry(world.next({ cwd: git.folder }), "session", "link", "abcd1");
    return world.next({ cwd: git.folder });
  };

  test.each([
    [["session", "close", "-y", ""], "SESSION"],
    [["session", "cancel", ""], "SESSION"],
    [["tail", ""], "SESSION"],
    [["pull", ""], "SESSION"],
    [["message", "send", "", "hello"], "SESSION"],
    [["say", "hello", "--session", ""], "--session"],
    [["say", "hello", "--session="], "--session"],
    [["run", "--repo", "", "hello"], "--repo"],
    [["--host", "", "session", "view"], "--host"],
    [["session", "view", "--host", ""], "--host"],
    [["-C", "", "session", "view"], "-C"],
    [["repo", "view", ""], "REPOSITORY"],
    [["repo", "delete", "-y", ""], "REPOSITORY"],
    [["provider", "delete", "-y", ""], "PROVIDER"],
    [["key", "revoke", "-y", ""], "KEY"],
    [["auth", "switch", ""], "LOGIN"],
    [["api", "GET", ""], "PATH"],
  ])("%j is exit 2, and nothing is asked of the service", async (argv, name) => {
    const there = await linked();
    const before = service.calls.length;
    expect(await ferry(there, ...argv)).toEqual({
      code: 2,
      stdout: "",
      stderr: `ferry: ${name} is empty\n  hint: was it a variable that isn't set?\n`,
    });
    expect(service.calls).toHaveLength(before);
  });

  test("but an empty variable of the environment counts as none", async () => {
    await linked();
    world = world.next({ env: { FERRY_SESSION: "" } });
    expect(await chosen()).toBe("ses_abcd1111");
  });
});

describe("left out, it is", () => {
  test("FERRY_SESSION's", async () => {
    world = world.next({ env: { FERRY_SESSION: "wxyz4" } });
    expect(await chosen()).toBe("ses_wxyz4444");
  });

  test("the linked one, which link and unlink set and take away", async () => {
    expect((await ferry(world.next({ cwd: git.folder }), "session", "link", "abcd1")).stderr).toBe(
      "main is linked to ses_abcd1111 on agents.example.com\n",
    );
    expect(await chosen()).toBe("ses_abcd1111");
    expect([git("config", "branch.main.ferrySession"), git("config", "branch.main.ferryHost")]).toEqual(["ses_abcd1111", url]);
    expect((await ferry(world.next({ cwd: git.folder }), "session", "unlink")).code).toBe(0);
    expect(await chosen()).toMatchObject({ code: 2 });
    expect((await ferry(world.next({ cwd: git.folder }), "session", "unlink")).code).toBe(5);
  });

  test("on a detached HEAD the one linked to it, while it is detached", async () => {
    git("checkout", "--quiet", "--detach");
    await ferry(world.next({ cwd: git.folder }), "session", "link", "abcd2");
    expect(await chosen()).toBe("ses_abcd2222");
    git("checkout", "--quiet", "main");
    expect(await chosen()).toMatchObject({ code: 2 });
    git("checkout", "--quiet", "--detach");
    expect(await chosen()).toMatchObject({ code: 2 });
  });

  test("the one whose branch this is, where it is one", async () => {
    git("checkout", "--quiet", "-b", "fix/login");
    expect(await chosen()).toBe("ses_abcd1111");
    git("checkout", "--quiet", "-b", "twice");
    expect(await chosen()).toMatchObject({ code: 2, message: "the branch twice could be several sessions" });
  });

  test("among several of that branch the one whose repository a remote is of", async () => {
    service.repositories.push(
      { id: "r1", full_name: "acme/shop", clone_url: "https://gitlab.example/acme/shop.git" },
      { id: "r2", full_name: "acme/other", clone_url: "https://gitlab.example/acme/other.git" },
    );
    addSession("ses_1", "work", 5, { repository_id: "r1" });
    addSession("ses_2", "work", 6, { repository_id: "r2" });
    git("checkout", "--quiet", "-b", "work");
    git("remote", "add", "up", "git@gitlab.example:Acme/Shop.git");
    expect(await chosen()).toBe("ses_1");
    git("remote", "set-url", "up", "work-alias:acme/other");
    expect(await chosen()).toBe("ses_2");
  });

  test("among the candidates, those of this repository, and how many others there are", async () => {
    service.repositories.push({ id: "r1", full_name: "acme/shop", clone_url: "https://gitlab.example/acme/shop.git" });
    git("remote", "add", "origin", "https://gitlab.example/acme/shop.git");
    addSession("ses_ours5555", "elsewhere", 0, { repository_id: "r1" });
    expect(await chosen()).toMatchObject({
      code: 2,
      details: [expect.stringContaining("ses_ours5555\tacme/shop\telsewhere"), "and 4 others: ferry session list"],
    });
    const there = world.next({ cwd: git.folder }, { tty: true });
    there.prompt.expect("Which session?", "ours5555");
    expect((await ferry(there, "session", "view")).stdout).toContain("ses_ours5555");
  });

  test("a link to what is gone says what takes it away", async () => {
    git("config", "branch.main.ferrySession", "ses_gone");
    git("config", "branch.main.ferryHost", url);
    expect(await ferry(world.next({ cwd: git.folder }), "session", "view")).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(
        /^ferry: \S+ has no session ses_gone, which this branch is linked to\n {2}hint: name another one, or: ferry session unlink\n$/u,
      ) as string,
    });
  });

  test("on a terminal a choice is one line of it", async () => {
    service.repositories.push({ id: "r1", full_name: "acme/shop" });
    const title = "Mend the form that a login begins with";
    addSession("ses_long5555", "a/branch/of/theirs", 1, { repository_id: "r1", title });
    const there = world.next({ cwd: git.folder }, { tty: true, columns: 30 });
    const [shown, chosen, found]: [string[], string[], string[]] = [[], [], []];
    const select: typeof there.prompt.select = (question, choices) => {
      shown.push(...choices.map(({ name }) => name));
      chosen.push(...choices.map(({ short = "" }) => short));
      found.push(...choices.map(({ text = "" }) => text));
      return there.prompt.select(question, choices);
    };
    there.prompt.expect("Which session?", "wxyz3333");
    await run(["session", "view"], { ...there.host, prompt: { ...there.prompt, select } });
    expect(shown.every((name) => name.length <= 28)).toBe(true);
    // Of what has no room all else goes before the title.
    expect(shown).toContain("long5555  Mend the form tha…");
    // A search finds what was cut, and the id as it is written elsewhere.
    expect(found.filter((text) => text.includes("ses_wxyz3333"))).toHaveLength(1);
    expect(found.filter((text) => text.includes(`acme/shop a/branch/of/theirs active ${title}`))).toHaveLength(1);
    // Behind its question, which the prompt's own mark stands before.
    expect(chosen.every((short) => short !== "" && `? Which session? ${short}`.length <= 30)).toBe(true);
  });

  test("the candidates stand in columns, as the choice does", async () => {
    service.sessions.length = 0;
    addSession("ses_abcd1111", "fix/login", 1, { title: "Mend the login" });
    addSession("ses_abcd222233", "日本", 3, { status: "closed", title: "" });
    expect((await ferry(world.next({ cwd: git.folder }), "session", "view")).stderr.split("\n").slice(1, 3)).toEqual([
      "  ses_abcd222233  日本       closed  –",
      "  ses_abcd1111    fix/login  active  Mend the login",
    ]);
    const there = world.next({ cwd: git.folder }, { tty: true });
    const shown: string[] = [];
    const select: typeof there.prompt.select = async (_, choices) => {
      shown.push(...choices.map(({ name }) => name));
      return choices[0]?.value as never;
    };
    await run(["session", "view"], { ...there.host, prompt: { ...there.prompt, select } });
    expect(shown).toEqual(["abcd2222  日本       closed  –", "abcd1111  fix/login  active  Mend the login"]);
  });

  test("on a terminal a choice, else exit 2 with the candidates", async () => {
    const there = world.next({ cwd: git.folder }, { tty: true });
    there.prompt.expect("Which session?", "wxyz3333");
    expect((await ferry(there, "session", "view")).stdout).toContain("ses_wxyz3333");
    expect(await chosen()).toMatchObject({
      code: 2,
      details: expect.arrayContaining([expect.stringContaining("ses_wxyz3333")]) as string[],
    });
    expect(await ferry(world.next({ cwd: git.folder }, { tty: true }), "session", "view", "--no-input")).toMatchObject({
      code: 2,
    });
  });
});

test("outside of a repository everything works but what needs one", async () => {
  expect((await ferry(world.next(), "session", "view", "abcd1")).code).toBe(0);
  expect((await ferry(world.next(), "session", "link", "abcd1")).code).toBe(5);
});
