import { beforeEach, expect, test } from "vitest";
import { unbroken } from "../../../src/cli/output/prose.ts";
import { ferry } from "../../support/ferry.ts";
import { commitFiles, type TestGit, writeFile } from "../../support/git.ts";
import { freshRepository, useLocalService } from "../../support/local.ts";
import { parkedTree } from "../../support/parking.ts";

const world = useLocalService();
let git: TestGit;
let session: string;

/** A session whose one commit doesn't fit. */
beforeEach(async () => {
  git = freshRepository(world, { a: "1\n" });
  git("config", "user.name", "Ada");
  git("config", "user.email", "ada@example.com");
  expect(await here("run", "--pull", "none", "echo theirs > a")).toMatchObject({ code: 0 });
  session = (JSON.parse((await here("session", "view", "--json")).stdout) as { id: string }).id.slice(0, 12);
  commitFiles(git, { a: "mine\n" }, "mine");
});

const here = (...argv: string[]) => ferry(world.next({ cwd: git.folder }), ...argv);
const inTree = (...argv: string[]) => ferry(world.next({ cwd: parkedTree(git).folder }), ...argv);

test("a conflict names the ways on; parked, its worktree; continued there, what came and how to undo it", async () => {
  const plain = await here("pull");
  expect(plain.code).toBe(3);
  expect(plain.stderr).toContain("ferry pull --park");
  const parked = await here("pull", "--park");
  const tree = parkedTree(git);
  expect(parked.code).toBe(3);
  expect(parked.stderr.split(`parked in ${tree.folder}`)).toHaveLength(2);
  // Before its only commit there is none to be counted.
  expect(parked.stderr).toContain(`parked in ${tree.folder}; resolve it there, git add, then ferry pull --continue`);
  expect(await here("pull")).toMatchObject({ code: 3, stderr: expect.stringContaining("is parked in") as string });
  writeFile(tree, "a", "both\n");
  expect(await inTree("pull", "--continue")).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("still has its conflict") as string,
  });
  tree("add", "a");
  const base = git("rev-parse", "HEAD");
  const done = await inTree("pull", "--continue");
  const tip = git("rev-parse", "HEAD").slice(0, 12);
  expect({ code: done.code, stderr: done.stderr }).toEqual({
    code: 0,
    stderr: `1 commit (${tip}) onto main at ${base.slice(0, 12)}; undo with: ferry -C ${git.folder} pull --undo ${session} --branch main\n`,
  });
  expect(git("status", "--porcelain")).toBe("");
  expect((await here("pull")).stderr).toBe("nothing new\n");
  // As it is told, from the folder that is gone.
  const undo = ["-C", git.folder, "pull", "--undo", session, "--branch", "main"];
  expect((await ferry(world.next({ cwd: tree.folder }), ...undo)).code).toBe(0);
  expect(git("rev-parse", "HEAD")).toBe(base);
});

test("given up from within its worktree, the way back to it begins elsewhere", async () => {
  await here("pull", "--park");
  expect((await inTree("pull", "--abort", "--yes")).stderr).toBe(
    `the parked pull of ${session} is given up; ferry -C ${git.folder} pull tries it again\n`,
  );
});

test("while it is parked a diff says where, and how to go on; one that it doesn't need says so beside it", async () => {
  expect((await here("diff")).stderr).toContain("a pull can stop at it: ferry pull --park");
  await here("pull", "--park");
  const tree = parkedTree(git);
  const told = {
    code: 3,
    stdout: "",
    stderr: expect.stringMatching(
      `^ferry: a pull of this session is parked in ${tree.folder}, at commit \\w+ \\(.*\\)\n {2}hint: resolve it there, git add, then ferry pull --continue \\(--skip .*, --abort .*\\)\n$`,
    ) as string,
  };
  expect(await here("diff")).toEqual(told);
  expect(await inTree("diff", session)).toEqual(told);
  expect(JSON.parse((await here("diff", "--json")).stderr)).toMatchObject({ error: { code: "parked", kind: "attention" } });
  git("revert", "--no-edit", "HEAD");
  expect(await here("diff", "--name-only")).toEqual({
    code: 0,
    stdout: "a\n",
    stderr: `in the way of the pull: parked in ${tree.folder}\n`,
  });
});

test("--json: the verdict on stdout, the error on stderr, at each step", async () => {
  const parked = await here("pull", "--park", "--json");
  expect(parked.code).toBe(3);
  expect(JSON.parse(parked.stdout)).toMatchObject({
    applied: false,
    conflicts: ["a"],
    blocked_by: [expect.stringContaining("parked in") as string],
  });
  expect(JSON.parse(parked.stderr)).toMatchObject({ error: { code: "conflict" } });
  const blocked = await here("pull", "--json");
  expect(JSON.parse(blocked.stdout)).toMatchObject({
    applied: false,
    blocked_by: [expect.stringContaining("parked in") as string],
  });
  expect(JSON.parse(blocked.stderr)).toMatchObject({ error: { code: "parked" } });
  const skipped = await here("pull", "--skip", "--json");
  expect(skipped.code).toBe(0);
  expect(JSON.parse(skipped.stdout)).toMatchObject({
    applied: false,
    commits: [],
    notices: [expect.stringContaining("left out") as string],
  });
});

test("continued where the branch is linked to no session any more, the session is named to undo it", async () => {
  await here("pull", "--park");
  const tree = parkedTree(git);
  git("config", "--remove-section", "branch.main");
  writeFile(tree, "a", "both\n");
  tree("add", "a");
  expect((await here("pull", "--continue")).stderr).toMatch(new RegExp(`; undo with: ferry pull --undo ${session}\n$`, "u"));
  expect(await here("pull", "--undo", session)).toMatchObject({ code: 0 });
});

test("--park --fields: what this verdict hasn't is null", async () => {
  const { code, stdout, stderr } = await here("pull", "--park", "--fields", "applied,left_behind,blocked_by");
  expect({ code, picked: JSON.parse(stdout) as unknown }).toEqual({
    code: 3,
    picked: { applied: false, left_behind: null, blocked_by: [expect.stringContaining("parked in")] },
  });
  expect(JSON.parse(stderr)).toMatchObject({ error: { code: "conflict" } });
});

test("--abort says what it gave up; with nothing parked it is exit 5", async () => {
  await here("pull", "--park");
  expect(await here("pull", "--abort", session)).toMatchObject({
    code: 0,
    stderr: `the parked pull of ${session} is given up; ferry pull tries it again\n`,
  });
  expect((await here("pull", "--abort")).code).toBe(5);
});

test("the git hooks go on beside a parked pull, and tell of it", async () => {
  await here("pull", "--park");
  const hook = await here("hook", "run", "post-merge");
  expect(hook).toMatchObject({ code: 0, stderr: expect.stringContaining("is parked in") as string });
  git("config", "ferry.hookStrict", "true");
  expect((await here("hook", "run", "post-merge")).code).toBe(3);
});

test("--here stops as git does, in the words of git, and --skip leaves it out", async () => {
  const stopped = await here("pull", "--here");
  expect(stopped.code).toBe(3);
  expect(unbroken(stopped.stderr)).toEqual(
    expect.arrayContaining(["git add,", "git cherry-pick --continue;", "ferry pull --skip;", "git cherry-pick --abort"]),
  );
  expect(git("status", "--porcelain")).toBe("UU a");
  expect(await here("pull", "--continue")).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("git cherry-pick --continue") as string,
  });
  const skipped = await here("pull", "--skip");
  expect(skipped.code).toBe(0);
  expect(skipped.stderr).toContain("is left out\nferry pull brings what comes after it\n");
  expect(git("status", "--porcelain")).toBe("");
  expect((await here("pull")).stderr).toBe("nothing new\n");
});

test("flags that don't go together are exit 2", async () => {
  for (const flags of [
    ["--continue", "--skip"],
    ["--abort", "--dry-run"],
    ["--continue", "--park"],
    ["--skip", "--undo"],
    ["--here", "--branch", "x"],
  ])
    expect((await here("pull", ...flags)).code).toBe(2);
});
