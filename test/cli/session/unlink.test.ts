import { beforeEach, expect, test } from "vitest";
import { ferry } from "../../support/ferry.ts";
import { type TestGit } from "../../support/git.ts";
import { freshRepository, useLocalService } from "../../support/local.ts";
import { makeSeedService } from "../../support/seed-service.ts";

const world = useLocalService();
let git: TestGit;
beforeEach(() => {
  git = freshRepository(world, { a: "1\n" });
});

const here = (...argv: string[]) => ferry(world.next({ cwd: git.folder }), ...argv);
const remembered = () => git("for-each-ref", "--format=%(refname)", "refs/ferry");

test("the refs that remember the session go with the link; the commits stay", async () => {
  await here("run", "echo two > a");
  const head = git("rev-parse", "HEAD");
  expect(remembered()).not.toBe("");
  const { stderr } = await here("session", "unlink");
  expect(stderr).toMatch(
    /^main is no longer linked to \S+\nits last pull can't be taken back by ferry pull --undo any more; .*\n$/u,
  );
  expect({ refs: remembered(), head: git("rev-parse", "HEAD") }).toEqual({ refs: "", head });
});

test("where there was no pull to take back, nothing is said of it", async () => {
  await here("run", "--pull", "none", "echo two > a");
  expect((await here("session", "unlink")).stderr).toMatch(/^main is no longer linked to \S+\n$/u);
});

test("commits that no branch has are told, with how to keep them", async () => {
  await here("run", "echo two > a");
  const head = git("rev-parse", "HEAD");
  git("reset", "--quiet", "--hard", "HEAD^");
  expect((await here("session", "unlink")).stderr).toContain(`git branch NAME ${head.slice(0, 12)}`);
});

test("where another branch is linked too, that one goes on as before", async () => {
  await here("run", "echo two > a");
  const [, session = ""] = /linked to (\S+)/u.exec((await here("session", "link", "-")).stderr) ?? [];
  git("switch", "--quiet", "-c", "other");
  await here("session", "link", session);
  await here("session", "unlink");
  git("switch", "--quiet", "main");
  expect((await here("pull")).stderr).toContain("nothing new");
  expect(remembered()).not.toBe("");
});

test("the link's own service is asked, whichever is named, and a key for that one doesn't go along", async () => {
  const other = makeSeedService();
  world.services.set("https://agents.example.com", other.send);
  await here("run", "echo two > a");
  const env = { FERRY_HOST: "https://agents.example.com", FERRY_API_KEY: other.key };
  const { code, stderr } = await ferry(world.next({ cwd: git.folder, env }), "session", "unlink");
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringMatching(/^main is no longer linked to \S+\nits last pull can't be taken back .*\n$/u) as string,
  });
  expect({ refs: remembered(), calls: other.calls }).toEqual({ refs: "", calls: [] });
});
