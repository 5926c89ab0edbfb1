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
