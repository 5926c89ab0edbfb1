import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { ferry } from "../../support/ferry.ts";
import { commitFiles, gitBytes, type TestGit, writeFile } from "../../support/git.ts";
import { freshRepository, useLocalService } from "../../support/local.ts";
import { stateOf } from "../../support/state.ts";

const world = useLocalService({ env: { PAGER: "cat" } });
let git: TestGit;
beforeEach(() => {
  git = freshRepository(world, { a: "1\n2\n3\n", gone: "g\n", moves: "a\nb\nc\nd\ne\n" });
  git("config", "user.name", "Ada");
  git("config", "user.email", "ada@example.com");
});

const here = (...argv: string[]) => ferry(world.next({ cwd: git.folder }), ...argv);
const onTerminal = (...argv: string[]) => ferry(world.next({ cwd: git.folder }, { tty: true, columns: 60 }), ...argv);
const work = (script: string) => here("run", "--pull", "none", script);

test("is what the pull then changes, byte for byte, and writes nothing", async () => {
  await work("echo zwei > a; printf '\\0\\1bin' > bin; rm gone; git mv moves moved; printf 'no end\\r\\nhere' > n");
  const before = stateOf(git.folder);
  const { code, stdout, stderr } = await here("diff");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stateOf(git.folder)).toEqual(before);
  gitBytes(git.folder, ["apply", "--index"], { input: stdout });
  const applied = git("write-tree");
  git("reset", "--quiet", "--hard");
  await here("pull");
  expect(git("rev-parse", "HEAD^{tree}")).toBe(applied);
  expect(await here("diff")).toEqual({ code: 0, stdout: "", stderr: "nothing new\n" });
});

test("--name-only, --stat and --json", async () => {
  await work("echo zwei > a; printf '\\0' > bin; rm gone; git mv moves moved");
  expect((await here("diff", "--name-only")).stdout).toBe("a\nbin\ngone\nmoved\nmoves\n");
  expect((await here("diff", "--stat")).stdout).toMatch(/ moves => moved \| +0\n/u);
  expect((await here("diff", "--stat", "--name-only")).code).toBe(2);
  const { stdout } = await here("diff", "--json");
  expect(JSON.parse(stdout)).toMatchObject({
    commits: [{ sequence: 1 }],
    exactness: "exact",
    blocked_by: [],
    files: [
      { path: "a", status: "modified", additions: 1, deletions: 3, old_path: null, new_mode: "100644" },
      { path: "bin", status: "added", additions: null, deletions: null, old_mode: null },
      { path: "gone", status: "deleted", new_mode: null },
      { path: "moved", old_path: "moves", status: "renamed", additions: 0, deletions: 0 },
    ],
  });
  await here("pull");
  expect(JSON.parse((await here("diff", "--json")).stdout)).toMatchObject({ commits: [], files: [] });
});

test("on a terminal nothing of it acts: not what a file holds, nor its name", async () => {
  await work("printf 'red \\033[31m \\302\\233 bell\\a\\n' > a; printf x > \"$(printf 'n\\033]0;t\\a\\342\\200\\256')\"");
  for (const flags of [[], ["--stat"], ["--name-only"]]) {
    const { code, stdout } = await onTerminal("diff", "--color", "always", ...flags);
    expect(code).toBe(0);
    // Colours of ours alone.
    expect(stdout.replaceAll(/\u001b\[[\d;]*m/gu, "")).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/u);
    expect(stdout).not.toContain("\u001b[31m \u009b");
  }
  expect((await onTerminal("diff", "--color", "always")).stdout).toContain("\u001b[32m+red ␛[31m <U+009B> bell␇\u001b[39m\n");
  expect((await here("diff", "--name-only")).stdout).toBe('a\n"n\\033]0;t\\a\\342\\200\\256"\n');
});

test("what a file holds can't pass for a header", async () => {
  commitFiles(git, { sql: "-- one\nx\n", b: "b\n" }, "more");
  await work("printf '++ y\\n' > sql");
  const { stdout } = await onTerminal("diff", "--color", "always");
  expect(stdout).toContain("\u001b[31m--- one\u001b[39m\n\u001b[31m-x\u001b[39m\n\u001b[32m+++ y\u001b[39m\n");
  expect(stdout).toContain("\u001b[1m--- a/sql\u001b[22m\n");
});

test("local work in the way is told, and refuses nothing", async () => {
  await work("echo zwei > a");
  writeFile(git, "a", "mine\n");
  const { code, stdout, stderr } = await here("diff");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "in the way of the pull: a has local changes\n" });
  expect(stdout).toContain("+zwei\n");
  expect(JSON.parse((await here("diff", "--json")).stdout)).toMatchObject({ blocked_by: ["a has local changes"] });
});

test("where the branch moved on it is what would be rebuilt; a conflict is exit 3; --branch is of that branch", async () => {
  await work("echo zwei > a");
  commitFiles(git, { a: "mine\n" }, "mine");
  expect(await here("diff")).toMatchObject({ code: 3, stdout: "", stderr: expect.stringContaining("both change a") as string });
  const [, command = ""] = /hint: the commits as they are: ferry (patch \S+); /u.exec((await here("diff")).stderr) ?? [];
  expect((await here(...command.split(" "))).stdout).toContain("+zwei");
  expect((await here("diff", "--branch", "aside", "--name-only")).stdout).toBe("a\n");
  commitFiles(git, { a: "1\n2\n3\n", mine: "m\n" }, "back");
  expect((await here("diff", "--name-only")).stdout).toBe("a\n");
});

test("a pager that is quit ends it well, and while it is read nobody waits for the repository", async () => {
  await work("seq 200000 > a");
  const quit = await ferry(world.next({ cwd: git.folder, env: { PAGER: "true" } }, { tty: true }), "diff");
  expect(quit.code).toBe(0);
  expect(execFileSync("ls", ["-A", join(git.folder, ".git", "ferry")], { encoding: "utf8" })).toBe("");
});

test("outside of a repository it says so as pull does, whether a session is named or not", async () => {
  const outside = (...argv: string[]) => ferry(world.next({ cwd: world.folder }), ...argv);
  const told = `ferry: ${world.folder} is not in a git repository\n  hint: go to one, or name it with -C DIR\n`;
  for (const argv of [["diff"], ["diff", "4h2k9q7m"], ["pull"]])
    expect(await outside(...argv)).toEqual({ code: 5, stdout: "", stderr: told });
});
