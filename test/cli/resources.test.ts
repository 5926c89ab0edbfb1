import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ferry, type FerryResult } from "../support/ferry.ts";
import { commitFiles, makeRepository } from "../support/git.ts";
import { makeTestService, type TestService } from "../support/service.ts";
import { makeWorld, type World, type WorldOptions } from "../support/world.ts";

const url = "https://agents.example.com";
const token = "glpat-abcdefghijkl1234";

let world: World;
let service: TestService;
beforeEach(async () => {
  service = await makeTestService();
  world = makeWorld({ env: { FERRY_HOST: url, FERRY_API_KEY: service.key, GITLAB_TOKEN: token } });
  world.services.set(url, service.send);
});
afterEach(async () => {
  expect(service.errors).toEqual([]);
  await service.close();
  await world.dispose();
});

const call = (argv: readonly string[], options: WorldOptions = {}): Promise<FerryResult> =>
  ferry(world.next({}, options), ...argv);
const json = async (...argv: readonly string[]): Promise<unknown> => {
  const { code, stdout, stderr } = await call([...argv, "--json"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as unknown;
};
const createProvider = ["provider", "create", "--name", "work", "--token-env", "GITLAB_TOKEN"] as const;

describe("provider", () => {
  test("its token comes from stdin, a variable or a hidden prompt, and is never shown", async () => {
    const made = await json(...createProvider);
    expect(made).toMatchObject({
      name: "work",
      platform: "gitlab",
      base_url: "https://gitlab.com",
      metadata: { token: "<redacted>" },
    });
    expect((await call(["provider", "create", "--name", "b", "--token-stdin"], { stdin: `${token}\n` })).code).toBe(0);
    const there = world.next({}, { tty: true });
    there.prompt.expect("Access token for https://gitlab.com:", token);
    expect((await ferry(there, "provider", "create", "--name", "c")).code).toBe(0);
    expect(await json("provider", "list", "--fields", "name")).toEqual([{ name: "c" }, { name: "b" }, { name: "work" }]);
    for (const argv of [
      ["provider", "list", "--json"],
      ["provider", "view", "work"],
      ["provider", "view", "work", "--show-secrets", "--json"],
    ])
      expect((await call(argv)).stdout).not.toContain(token);
  });

  test("one with a line break, or that is no ASCII, is refused before anything is sent, and isn't said back", async () => {
    for (const [given, why] of [
      ["half-of\nit", "has a line break in it"],
      ["half of", "has a blank in it"],
      ["gl-ü", "has a character that is not ASCII"],
    ] as const) {
      const { code, stderr } = await call(["provider", "create", "--name", "odd", "--token-stdin"], { stdin: `${given}\n` });
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: `ferry: the access token of standard input ${why}\n  hint: copy it again, as one word\n`,
      });
    }
    expect((await call([...createProvider, "--token-stdin"], { stdin: "x\n" })).code).toBe(2);
    expect(await json("provider", "list")).toEqual([]);
  });

  test("without a terminal and a token: exit 2, and there is no flag for it", async () => {
    expect(await call(["provider", "create", "--name", "x"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--token-stdin") as string,
    });
    expect((await call(["provider", "create", "--token", token])).code).toBe(2);
    expect((await call(["provider", "create", "--name", "x", "--token-env", "NOT_SET"])).stderr).toBe(
      "ferry: the variable that --token-env names holds no access token\n",
    );
  });

  test("edit changes what is given; a new address needs the token again", async () => {
    await json(...createProvider);
    expect(await json("provider", "edit", "work", "--name", "job")).toMatchObject({ name: "job" });
    expect((await call(["provider", "edit", "job"])).code).toBe(2);
    expect((await call(["provider", "edit", "job", "--base-url", "https://other.example"])).stderr).toContain(
      "the access token is missing",
    );
  });
});

describe("repo", () => {
  beforeEach(() => {
    const git = makeRepository(join(world.folder, "repo"));
    commitFiles(git, { a: "a" });
    git("remote", "add", "origin", "https://me:secret@gitlab.example/acme/shop.git");
    git("update-ref", "refs/remotes/origin/main", "HEAD");
    git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main");
  });
  const here = ["-C", "repo"];

  test("create without arguments reads the remote, leaves its password behind, and view finds it again", async () => {
    const made = await json(...here, "repo", "create");
    expect(made).toMatchObject({
      full_name: "acme/shop",
      name: "shop",
      clone_url: "https://gitlab.example/acme/shop.git",
      default_branch: "main",
      platform: "git",
      enabled: true,
    });
    expect(await json(...here, "repo", "view")).toEqual(made);
    expect(await json("repo", "view", "Acme/Shop")).toEqual(made);
  });

  test("a list is a table of tabs in a pipe; a limit says that there is more", async () => {
    for (const name of ["a", "b", "c"]) await json("repo", "create", "--clone-url", `https://x.example/acme/${name}.git`);
    const { stdout } = await call(["repo", "list"]);
    expect(stdout.split("\n").map((line) => line.split("\t")[1])).toEqual(["acme/c", "acme/b", "acme/a", undefined]);
    const limited = await call(["repo", "list", "--limit", "2"]);
    expect(limited.stdout.trimEnd().split("\n")).toHaveLength(2);
    expect(limited.stderr).toContain("there is more than these 2");
    expect((await json("repo", "list")) as unknown[]).toHaveLength(3);
  });

  test("delete asks for the name on a terminal, and takes nothing from stdin for a yes", async () => {
    await json("repo", "create", "--clone-url", "https://x.example/acme/a.git");
    expect(await call(["repo", "delete", "acme/a"], { stdin: "y\n" })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--yes") as string,
    });
    const answered = (typed: string) => {
      const there = world.next({}, { tty: true });
      there.prompt.expect("Take acme/a out of agents.example.com? Type acme/a to confirm:", typed);
      return ferry(there, "repo", "rm", "acme/a");
    };
    expect(await answered("y")).toMatchObject({ code: 130, stderr: "ferry: not done: that is not acme/a\n" });
    expect((await answered("acme/a")).code).toBe(0);
    await json("repo", "create", "--clone-url", "https://x.example/acme/a.git");
    expect((await call(["repo", "delete", "acme/a", "--yes"])).stderr).toBe("acme/a is no longer in agents.example.com\n");
    expect((await call(["repo", "view", "acme/a"])).code).toBe(5);
  });

  test("edit enables and disables", async () => {
    await json("repo", "create", "--clone-url", "https://x.example/acme/a.git", "--disabled");
    expect(await json("repo", "edit", "acme/a", "--enable")).toMatchObject({ enabled: true });
    expect((await call(["repo", "edit", "acme/a", "--enable", "--disable"])).code).toBe(2);
  });

  test("two that a remote could be of: candidates, nothing guessed", async () => {
    await json("repo", "create", "--clone-url", "https://gitlab.example/acme/shop.git");
    await json("repo", "create", "--clone-url", "https://gitlab.example:8443/acme/shop.git");
    const { code, stderr } = await call([...here, "repo", "view"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^ferry: the remotes match several repositories\n( {2}rep_\w+ {2}acme\/shop\n){2} {2}hint: name one of them as REPOSITORY\n$/u,
    );
    expect((await call([...here, "session", "start"])).stderr).toContain("hint: name one of them with --repo\n");
  });
});

describe("session and messages", () => {
  let id: string;
  beforeEach(async () => {
    await json("repo", "create", "--clone-url", "https://x.example/acme/a.git");
    const { stdout } = await call(["session", "start", "--repo", "acme/a", "-m", "do it", "--json", "--fields", "id"]);
    ({ id } = JSON.parse(stdout) as { id: string });
  });

  test("where nobody named the session by its id, what is told of the message says which one has it, and where", async () => {
    const whose = `${id.slice(0, 12)} on agents.example.com: queued`;
    const told = async (...argv: string[]) => (await call(argv)).stderr.split(/[:,] (?:the|behind)/u)[0];
    await json("session", "edit", id, "--branch", "fix");
    expect(await told("message", "send", "-", "to the newest")).toBe(whose);
    expect(await told("message", "send", "fix", "to the branch")).toBe(whose);
    for (const named of [id, id.slice(4, 12), `${url}/sessions/${id}`]) {
      expect(await told("message", "send", named, "to it")).toBe("queued");
      expect(await told("say", "--session", named, "to it")).toBe("queued");
    }
    const preset = (...argv: string[]) => ferry(world.next({ env: { FERRY_SESSION: id } }), ...argv);
    expect((await preset("say", "to the preset one")).stderr.startsWith(whose)).toBe(true);
    expect(await preset("say", "hi", "--quiet")).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("say tells whether it was taken or queued; list shows what was said", async () => {
    expect(await call(["say", "--session", id, "and", "this"])).toEqual({
      code: 0,
      stdout: "",
      stderr: "queued: the agent takes it when it is free\n",
    });
    writeFileSync(join(world.folder, "more.md"), "from a file\n");
    expect(await json("message", "send", id, "-F", "more.md")).toMatchObject({
      type: "user_message",
      status: "queued",
      payload: { message: "from a file\n" },
    });
    expect((await call(["message", "send", "-", "-F", "-"], { stdin: "from stdin" })).code).toBe(0);
    await service.sessions.finishTurn(id, "done");
    const { stdout } = await call(["message", "list", id]);
    expect(stdout.split("\n").map((line) => line.split("\t").slice(1).join("|"))).toEqual([
      "user|completed|do it",
      "user|processing|and this",
      "user|queued|from a file",
      "user|queued|from stdin",
      "agent|completed|done",
      "",
    ]);
  });

  test("events are lines, or one JSON a line; types and the newest alone on request", async () => {
    await service.sessions.finishTurn(id, "done\u001b[2J");
    expect((await call(["events", id])).stdout).toMatch(/do it[\s\S]*done␛\[2J/u);
    const { stdout } = await call(["events", id, "--json", "--type", "agent_message", "--fields", "type"]);
    expect(stdout).toBe('{"type":"agent_message"}\n');
    expect(await call(["events", id, "--limit", "1", "--json", "--fields", "type"])).toMatchObject({
      stdout: '{"type":"agent_message"}\n',
      stderr: "these are the newest 1 of 2 events\n",
    });
    expect((await call(["events", id, "--since", "yesterday"])).code).toBe(2);
    expect((await call(["events", id, "--since", "2030-01-01"])).stdout).toBe("");
  });

  test("a type or a status that is neither ours nor in the data is exit 2 with those that are", async () => {
    for (const verb of ["events", "tail"]) {
      const { code, stdout, stderr } = await call([verb, id, "--type", "agent_mesage"]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toMatch(
        /^ferry: there is no event type agent_mesage\n {2}the event types are user_message, .*\n {2}hint: did you mean agent_message\?\n$/u,
      );
    }
    expect(await call(["session", "list", "--status", "bogus"])).toEqual({
      code: 2,
      stdout: "",
      stderr: "ferry: there is no status bogus\n  the statuses are active, finished, closed, merged, failed\n",
    });
  });

  test("a list names the repositories, and whole ids in a pipe", async () => {
    const { stdout } = await call(["session", "list"]);
    expect(stdout.split("\t").slice(0, 4)).toEqual([id, "acme/a", "active", "working"]);
    const narrow = (await call(["session", "list"], { tty: true, columns: 40 })).stdout.trimEnd().split("\n");
    expect(narrow.map((line) => line.split(/ {2,}/u))).toEqual([
      ["ID", "STATUS", "AGENT", "TITLE"],
      [id.slice(4, 12), "active", "working", "–"],
    ]);
  });

  test("a key that may not see repositories lists sessions with the ids of theirs", async () => {
    const key = await service.makeKey({ scopes: ["sessions:read"] });
    const { code, stdout } = await ferry(world.next({ env: { FERRY_HOST: url, FERRY_API_KEY: key } }), "session", "list");
    expect({ code, repository: stdout.split("\t")[1] }).toEqual({
      code: 0,
      repository: expect.stringMatching(/^rep_/u) as string,
    });
  });

  test("cancel says what it stopped", async () => {
    await call(["say", "--session", id, "and this"]);
    expect((await call(["session", "cancel", id, "--queued"])).stderr).toBe("stopped: do it; dropped: 1 message that waited\n");
    const again = await call(["session", "cancel", id]);
    expect(again).toMatchObject({ code: 0, stderr: "nothing was running\n" });
    expect(again.stdout).toContain(id);
  });

  test("close says what it stopped; a session that is closed can be closed again", async () => {
    const first = await call(["session", "close", id]);
    expect(first).toMatchObject({ code: 0, stderr: "stopped: do it\n" });
    expect(await call(["session", "close", id])).toEqual({ ...first, stderr: "already closed\n" });
    const events = (await call(["events", id, "--json", "--type", "session_closed"])).stdout;
    expect(events.trimEnd().split("\n")).toHaveLength(1);
  });

  test("edit, cancel, close", async () => {
    expect(await json("session", "edit", id, "--branch", "fix/x", "--no-auto-commit")).toMatchObject({
      branch_name: "fix/x",
      auto_commit: false,
    });
    expect((await call(["session", "edit", id])).code).toBe(2);
    expect((await call(["session", "cancel", id, "--queued"])).code).toBe(0);
    expect(await json("session", "close", id, "--finished")).toMatchObject({ status: "finished" });
    expect(await json("session", "list", "--status", "active")).toEqual([]);
    expect(await json("session", "list", "--branch", "fix/x", "--repo", "acme/a", "--fields", "status")).toEqual([
      { status: "finished" },
    ]);
  });
});

test("--verbose traces each request on stderr, and never the key", async () => {
  const { stderr, stdout } = await call(["whoami", "-v"]);
  expect(stderr).toContain("GET https://agents.example.com/api/v1/cli");
  expect(stderr + stdout).not.toContain(service.key);
});

test("what the service sends can't reach the terminal's controls", async () => {
  await json("repo", "create", "--clone-url", "https://x.example/acme/a.git", "--full-name", "acme/\u001b]0;title\u0007\u202e");
  const { stdout } = await call(["repo", "list"], { tty: true });
  expect(stdout).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/u);
});

test.each(["https://x\u001b[31m.test", "https://x\t.test", "https://x.test\n"])(
  "%j is no provider's address",
  async (address) => {
    const { code, stderr } = await call([...createProvider, "--base-url", address]);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("is no address\n") as string });
  },
);

test("an address with a user or password in it is no provider's, and what names no repository is said without it", async () => {
  const told = "--base-url holds no user name or password";
  for (const address of ["https://u:SECRET@host.example", "https://SECRET@host.example/api", "u:SECRET@host.example"])
    for (const argv of [createProvider, ["provider", "edit", "work", "--token-env", "GITLAB_TOKEN"]]) {
      const { code, stdout, stderr } = await call([...argv, "--base-url", address]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toContain(`ferry: ${told}\n`);
      expect(stderr).not.toContain("SECRET");
    }
  const { code, stderr } = await call(["repo", "view", "https://u:SECRET@host.example/acme/shop.git"]);
  expect({ code, stderr }).toEqual({
    code: 5,
    stderr: "ferry: agents.example.com has no repository https://…@host.example/acme/shop.git\n  hint: ferry repo list\n",
  });
});
