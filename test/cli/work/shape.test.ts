import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { ferry } from "../../support/ferry.ts";
import { commitFiles, makeRepository, type TestGit } from "../../support/git.ts";
import { serveLocally } from "../../support/local.ts";
import { makeWorld, type World } from "../../support/world.ts";

let world: World;
let service: { stop(): Promise<void> };
let git: TestGit;
let count = 0;

beforeAll(async () => {
  world = makeWorld();
  service = await serveLocally(world);
});
afterAll(async () => {
  await service.stop();
  await world.dispose();
});

/** A session that made `hi.txt` and, with it, `dist/out.js`. */
beforeEach(async () => {
  git = makeRepository(join(world.folder, `repo${++count}`));
  commitFiles(git, { a: "1\n" }, "first");
  git("config", "user.name", "Ada");
  git("config", "user.email", "ada@example.com");
  expect(await here("run", "--pull", "none", "echo hi > hi.txt; mkdir dist; echo 1 > dist/out.js")).toMatchObject({ code: 0 });
});

const here = (...argv: string[]) => ferry(world.next({ cwd: git.folder }), ...argv);

test("--signoff, --trailer and --reset-author change the commits that come, and nothing comes twice", async () => {
  const flags = ["--signoff", "--trailer", "Reviewed-by: Bo", "--trailer", "Issue: 4", "--reset-author"];
  const dry = await here("pull", "--dry-run", "--json", ...flags);
  expect(JSON.parse(dry.stdout)).toMatchObject({ applied: false, exactness: "rebuilt" });
  expect((await here("pull", ...flags)).code).toBe(0);
  expect(git("log", "-1", "--format=%an%n%B")).toMatch(
    /^Ada\n[\s\S]*Ferry-Session: .*\nSigned-off-by: .* <.*@.*>\nReviewed-by: Bo\nIssue: 4\s*$/u,
  );
  expect((await here("pull")).stderr).toBe("nothing new\n");
});

test("what is no trailer, and flags that don't go together, are exit 2", async () => {
  for (const flags of [
    ["--trailer", "no colon"],
    ["--trailer", "Key:"],
    ["--trailer", "Key: a\nOther: b"],
    ["--trailer", ""],
    ["--undo", "--signoff"],
    ["--continue", "--trailer", "A: b"],
    ["--abort", "--reset-author"],
  ])
    expect((await here("pull", ...flags)).code).toBe(2);
});
