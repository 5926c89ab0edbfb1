import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { ferry } from "../../support/ferry.ts";
import { commitFiles, type TestGit } from "../../support/git.ts";
import { freshRepository, useLocalService } from "../../support/local.ts";

const world = useLocalService();
let git: TestGit;
let base: string;
let head: string;

beforeEach(async () => {
  const files = Array.from({ length: 30 }, (_, at) => [`old${at}.txt`, `${at}\n`] as const);
  git = freshRepository(world, Object.fromEntries(files));
  base = git("rev-parse", "HEAD");
  expect(await here("run", "--pull", "none", "echo hi > hi.txt")).toMatchObject({ code: 0 });
  head = (JSON.parse((await here("session", "view", "--json")).stdout) as { head_commit: string }).head_commit;
});

const here = (...argv: string[]) => ferry(world.next({ cwd: git.folder }), ...argv);

test("--undo takes the last pull back, and the commits come again", async () => {
  await here("pull");
  expect(git("rev-parse", "HEAD")).toBe(head);
  const { code, stderr } = await here("pull", "--undo");
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: `back from ${head.slice(0, 12)} to ${base.slice(0, 12)} (1 file); ferry pull brings it again\n`,
  });
  expect({ head: git("rev-parse", "HEAD"), status: git("status", "--porcelain") }).toEqual({ head: base, status: "" });
  expect(existsSync(join(git.folder, "hi.txt"))).toBe(false);
  await here("pull");
  expect(git("rev-parse", "HEAD")).toBe(head);
});

test("--fields: what this verdict hasn't is null", async () => {
  const { code, stdout, stderr } = await here("pull", "--fields", "applied,left_behind");
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '{"applied":true,"left_behind":null}\n', stderr: "" });
  expect(git("rev-parse", "HEAD")).toBe(head);
});

/** A git that does this in a shell before anything else. */
function gitThatFirst(script: string): Record<string, string> {
  const program = join(world.folder, "own", "git");
  mkdirSync(dirname(program), { recursive: true });
  writeFileSync(program, `#!/bin/sh\n${script}\nPATH=$OLD_PATH exec git "$@"\n`, { mode: 0o755 });
  const { PATH: path = "" } = world.host.env;
  return { PATH: `${dirname(program)}:${path}`, OLD_PATH: path };
}

test("nothing new: git is started three times", async () => {
  await here("pull");
  const log = join(world.folder, "git-starts");
  const env = { ...world.host.env, ...gitThatFirst(`echo "$*" >> ${log}`) };
  const { code, stderr } = await ferry(world.next({ cwd: git.folder, env }), "pull");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "nothing new\n" });
  const starts = readFileSync(log, "utf8").trim().split("\n");
  const asked = ["config", "for-each-ref", "rev-parse"];
  expect(starts.map((words) => asked.find((each) => words.includes(` ${each} `))).toSorted()).toEqual(asked);
});

test("where the working copy is and what its branch is linked to is asked for at once", async () => {
  await here("pull");
  const met = join(world.folder, "met");
  execFileSync("mkfifo", [met]);
  // Neither goes on before the other is there.
  const script = `case "$*" in *--show-toplevel*) : < ${met};; *branch*ferry*) : > ${met};; esac`;
  const env = { ...world.host.env, ...gitThatFirst(script) };
  expect(await ferry(world.next({ cwd: git.folder, env }), "pull")).toMatchObject({ code: 0, stderr: "nothing new\n" });
});

test("--undo where something came on top: nothing changes, exit 3", async () => {
  await here("pull");
  const mine = commitFiles(git, { "mine.txt": "m\n" }, "mine");
  expect((await here("pull", "--undo")).code).toBe(3);
  expect(git("rev-parse", "HEAD")).toBe(mine);
});

test("--undo tells with --dry-run, and takes --branch", async () => {
  await here("pull", "--branch", "review");
  expect((await here("pull", "--undo")).code).toBe(3);
  const told = await here("pull", "--undo", "--branch", "review", "--dry-run");
  expect({ code: told.code, stderr: told.stderr }).toEqual({
    code: 0,
    stderr: "would take review away, which the pull had made\n",
  });
  expect(git("rev-parse", "review")).toBe(head);
  expect((await here("pull", "--undo", "--branch", "review")).code).toBe(0);
  expect(git("branch", "--list", "review")).toBe("");
  expect((await here("pull", "--undo", "--park")).code).toBe(2);
});

test("the way back names the session where the branch isn't linked to it, and works as it is printed", async () => {
  git("switch", "--quiet", "--create", "other");
  const { id } = JSON.parse((await here("session", "view", "-", "--json")).stdout) as { id: string };
  const as = async (...argv: string[]) => (await here(...argv)).stderr.split("; undo with: ferry ")[1]?.trim().split(" ") ?? [];
  const undoOther = await as("pull", id);
  expect(undoOther).toEqual(["pull", "--undo", id.slice(0, 12)]);
  expect(await here(...undoOther)).toMatchObject({ code: 0 });
  const tree = `${git.folder}-tree`;
  const undoTree = await as("pull", id, "--worktree", tree, "--branch", "third");
  expect(undoTree).toEqual(["-C", tree, "pull", "--undo", id.slice(0, 12)]);
  expect(await here(...undoTree)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("; third, which the pull had made, stays; ferry pull brings it again\n") as string,
  });
  expect([git("rev-parse", "third"), git("rev-parse", "other")]).toEqual([base, base]);
});

test("--branch lands there and leaves the checkout alone", async () => {
  const { code, stderr } = await here("pull", "--branch", "review");
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: `1 commit (${head.slice(0, 12)}) onto review at ${base.slice(0, 12)}; undo with: ferry pull --undo --branch review\n`,
  });
  expect(git("rev-parse", "review")).toBe(head);
  expect({ head: git("rev-parse", "HEAD"), branch: git("branch", "--show-current") }).toEqual({ head: base, branch: "main" });
});

test("a series that leaves less than half of the files comes only with --yes", async () => {
  await here("say", "git rm -q 'old*' && git commit -qm gone");
  await here("session", "wait");
  const refused = await here("pull");
  expect({ code: refused.code, head: git("rev-parse", "HEAD") }).toEqual({ code: 3, head: base });
  expect(refused.stderr).toContain("--yes");
  expect((await here("pull", "--yes")).code).toBe(0);
  expect(existsSync(join(git.folder, "old0.txt"))).toBe(false);
});

test("--allow-symlinks lets a link out of the repository through, and says so", async () => {
  await here("run", "--pull", "none", "ln -s ../elsewhere out");
  const refused = await here("pull");
  expect({ code: refused.code, hint: refused.stderr.includes("ferry pull --allow-symlinks") }).toEqual({ code: 1, hint: true });
  const { code, stderr } = await here("pull", "--allow-symlinks");
  expect({ code, told: stderr.includes("note: links that leave the repository: out to ../elsewhere") }).toEqual({
    code: 0,
    told: true,
  });
  expect(readlinkSync(join(git.folder, "out"))).toBe("../elsewhere");
});
