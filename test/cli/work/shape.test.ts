import { beforeEach, expect, test } from "vitest";
import { ferry } from "../../support/ferry.ts";
import { type TestGit } from "../../support/git.ts";
import { freshRepository, useLocalService } from "../../support/local.ts";

const world = useLocalService();
let git: TestGit;

/** A session that made `hi.txt` and, with it, `dist/out.js`. */
beforeEach(async () => {
  git = freshRepository(world, { a: "1\n" });
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
    ["--exclude", "../x"],
    ["--exclude", ":(odd)x"],
    ["--exclude", ""],
    ["--undo", "--exclude", "x"],
    ["--skip", "--exclude", "x"],
    ["--undo", "--signoff"],
    ["--continue", "--trailer", "A: b"],
    ["--abort", "--reset-author"],
    // What node makes of bytes that aren't UTF-8.
    ["--trailer", "R: Jos\uFFFD"],
    ["--exclude", "inv\uFFFD"],
    ["--branch", "b\uFFFD"],
    ["--worktree", "../w\uFFFD"],
  ])
    expect((await here("pull", ...flags)).code).toBe(2);
});

test("--exclude leaves paths out, in the diff too, and says so; with --worktree and --watch as well", async () => {
  const diff = await here("diff", "--exclude", "dist", "--name-only");
  expect({ code: diff.code, stdout: diff.stdout }).toEqual({ code: 0, stdout: "hi.txt\n" });
  expect(diff.stderr).toContain(
    "note: approximate: dist/out.js is left out; later changes of it will conflict: give --exclude again\n",
  );
  expect((await here("diff", "--exclude", "../x")).code).toBe(2);
  const there = await here("pull", "--exclude", "dist", "--worktree", "../there", "--branch", "there", "--signoff");
  expect({
    code: there.code,
    told: there.stderr.includes("1 commit (") && there.stderr.includes(", approximate, onto there"),
  }).toEqual({
    code: 0,
    told: true,
  });
  expect(git("diff", "--name-only", "main", "there")).toBe("hi.txt");
  await here("session", "close", "--yes");
  const watched = await here("pull", "--exclude", "dist", "--watch", "--json");
  expect(JSON.parse(watched.stdout.split("\n")[0] ?? "")).toMatchObject({ applied: true, exactness: "approximate", files: 1 });
  expect(git("diff", "--name-only", "HEAD~", "HEAD")).toBe("hi.txt");
});

test("what would change nothing isn't said to have come, and comes again after --undo", async () => {
  const none = await here("pull", "--exclude", "dist", "--exclude", "hi.txt");
  expect({ code: none.code, stdout: none.stdout }).toEqual({ code: 0, stdout: "" });
  expect(none.stderr).toContain("\nnothing came: 1 commit would change nothing here; undo with: ferry pull --undo\n");
  expect((await here("pull")).stderr).toBe("nothing new\n");
  const undone = await here("pull", "--undo");
  expect(undone.stderr).toBe("no file changes, and its commits come again with the next ferry pull\n");
  await here("say", "echo 2 > dist/out.js");
  await here("session", "wait");
  const some = await here("pull", "--exclude", "dist");
  const id = git("rev-parse", "HEAD").slice(0, 12);
  const base = git("rev-parse", "HEAD~").slice(0, 12);
  expect(some.stderr).toContain(
    `\n1 commit (${id}), approximate, onto main at ${base}; 1 more commit would change nothing here; undo with: ferry pull --undo\n`,
  );
});

test("ferry diff shows links that leave the repository only with --allow-symlinks", async () => {
  await here("run", "--pull", "none", "ln -s ../elsewhere out");
  expect((await here("diff", "--name-only")).code).toBe(1);
  expect((await here("diff", "--name-only", "--allow-symlinks")).stdout).toBe("out\n");
});
