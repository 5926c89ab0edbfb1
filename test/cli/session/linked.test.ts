import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
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
  for (const [id, branch_name] of [
    ["ses_abcd2222", "main-two"],
    ["ses_wxyz3333", "three"],
  ])
    service.sessions.push({ id, branch_name, status: "active", created_at: "2026-01-01T00:00:00.000Z" });
});
afterEach(() => world.dispose());

const here = (...argv: readonly string[]) => ferry(world.next({ cwd: git.folder }), ...argv);

test("tail without a session outside of a repository says that there is none", async () => {
  const { code, stderr } = await ferry(world.next(), "tail");
  expect([code, stderr.split("\n")[0]]).toEqual([
    2,
    `ferry: no session is named, and ${world.folder} is not in a git repository`,
  ]);
});

test.each(["diff", "tail"])("%s without a session in a branch that is linked to none says so", async (verb) => {
  expect((await here(verb)).stderr).toMatch(/^ferry: no session is named, and this branch is linked to none\n/u);
});

test("say takes none but by its flag, and says so", async () => {
  const { code, stderr } = await here("say", "go on");
  expect([code, stderr.trimEnd().split("\n").at(-1)]).toEqual([
    2,
    "  hint: name one (its id, a branch, or - for the newest): ferry say --session SESSION TEXT",
  ]);
});

describe("a link to a session of another service than the one that is named is told as that,", () => {
  const link = (host: string): void => {
    git("config", "branch.main.ferrySession", "ses_there");
    git("config", "branch.main.ferryHost", host);
  };

  interface Case {
    readonly by: "--host" | "FERRY_HOST";
    readonly linked: string;
    readonly asked: string;
    readonly hint: string;
  }
  test.each<Case>([
    { by: "FERRY_HOST", linked: "local", asked: url, hint: "--host local, or unset FERRY_HOST" },
    { by: "--host", linked: "local", asked: url, hint: "--host local" },
    // Nobody is sent, with a key, to a host that a repository's configuration names.
    { by: "FERRY_HOST", linked: "https://b.example", asked: "local", hint: "unset FERRY_HOST" },
    { by: "--host", linked: "https://b.example", asked: "local", hint: "leave --host out" },
  ])("by $by: $asked in place of $linked", async ({ by, linked, asked, hint }) => {
    link(linked);
    service.calls.length = 0;
    const env = { FERRY_HOST: by === "FERRY_HOST" ? asked : "" };
    const [there, other] = [linked, asked].map((host) => host.replace("https://", ""));
    const said = `this branch is linked to ses_there on ${there}, and ${by} names ${other}`;
    for (const verb of [["pull"], ["diff"], ["events"], ["tail"], ["session", "view"], ["say", "go on"]])
      expect(
        await ferry(world.next({ cwd: git.folder, env }), ...verb, ...(by === "--host" ? ["--host", asked] : [])),
      ).toMatchObject({ code: 5, stderr: `ferry: ${said}\n  hint: for that one: ${hint}; for one on ${other}, name it\n` });
    expect(service.calls).toEqual([]);
  });

  test("and one where the user is logged in names that login", async () => {
    const other = "https://b.example";
    const theirs = makeSeedService();
    world.services.set(other, theirs.send);
    const env = { FERRY_CREDENTIAL_STORE: "file", FERRY_API_KEY: "", FERRY_HOST: "" };
    await ferry(world.next({ env }, { stdin: theirs.key }), "login", "--host", other, "--with-token");
    link(other);
    expect((await here("session", "view")).stderr).toContain(
      "hint: for that one: --host b.example, or unset FERRY_HOST; for one on",
    );
  });

  test("and a hook says the same", async () => {
    link("local");
    expect((await here("hook", "run", "post-merge")).stderr).toBe(
      "ferry: the commits of ses_there were not pulled: this branch is linked to ses_there on local, and FERRY_HOST names agents.example.com\n",
    );
  });

  test("but one that is named otherwise is asked for there", async () => {
    link("local");
    expect((await here("session", "view", "ses_wxyz3333", "--jq", ".id")).stdout).toBe("ses_wxyz3333\n");
  });
});

describe("a local branch that is linked to a session names it,", () => {
  const link = (branch: string, session: string, host?: string): void => {
    git("config", `branch.${branch}.ferrySession`, session);
    if (host !== undefined) git("config", `branch.${branch}.ferryHost`, host);
  };

  test.each([
    ["its address", url],
    ["its name", "agents.example.com"],
    ["none", undefined],
  ])("with the host by %s", async (_, host) => {
    link("h1", "ses_wxyz3333", host);
    expect(await here("session", "view", "h1", "--jq", ".id")).toMatchObject({ code: 0, stdout: "ses_wxyz3333\n" });
    expect((await here("session", "list", "--branch", "h1", "--jq", ".[].id")).stdout).toBe("ses_wxyz3333\n");
    const closed = ["session", "list", "--branch", "h1", "--status", "closed", "--jq", ".[].id"];
    expect((await here(...closed)).stdout).toBe("");
  });

  test("but not one of another host, nor one that is gone, and a session's own branch goes before it", async () => {
    link("h1", "ses_wxyz3333", "https://other.example.com");
    expect(await here("session", "view", "h1")).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(/^ferry: \S+ has no session "h1"\n/u) as string,
    });
    link("h2", "ses_gone", url);
    expect(await here("session", "view", "h2")).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(/^ferry: \S+ has no session "h2"\n/u) as string,
    });
    link("main-two", "ses_wxyz3333", url);
    expect((await here("session", "view", "main-two", "--jq", ".id")).stdout).toBe("ses_abcd2222\n");
  });
});
