import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ReaderGoneError } from "../../../src/base/errors.ts";
import { run } from "../../../src/cli/run.ts";
import type { Output } from "../../../src/host/host.ts";
import { ferry } from "../../support/ferry.ts";
import { commitFiles, makeRepository, type TestGit } from "../../support/git.ts";
import { freshRepository, useLocalService } from "../../support/local.ts";
import { type World } from "../../support/world.ts";

const world = useLocalService();
let git: TestGit;

beforeEach(() => {
  git = freshRepository(world, { "a.txt": "a\n" });
});
afterEach(() => {
  expect(git("status", "--porcelain")).toBe("");
  expect(git("worktree", "list").split("\n")).toHaveLength(1);
});

const here = (): World => world.next({ cwd: git.folder });

test("the main job: a session, its timeline, its commit", async () => {
  const base = git("rev-parse", "HEAD");
  const { code, stdout, stderr } = await ferry(here(), "run", "echo hi > hi.txt");
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^host: local\n/u) as string });
  expect(stderr).toContain(`base: main at ${base.slice(0, 12)}\n`);
  expect(stdout).toMatch(/echo hi > hi\.txt[\s\S]*exit 0[\s\S]*created hi\.txt/u);
  const head = git("rev-parse", "HEAD");
  expect(stderr.split("\n").at(-2)).toBe(
    `1 commit (${head.slice(0, 12)}) onto main at ${base.slice(0, 12)}; undo with: ferry pull --undo`,
  );
  expect(git("show", "--no-patch", "--format=%P|%an|%ae|%cn|%ce|%s")).toBe(
    `${base}|shell|shell@ferry.local|shell|shell@ferry.local|echo hi > hi.txt`,
  );
  const session = git("config", "branch.main.ferrySession");
  expect(git("show", "--no-patch", "--format=%(trailers:key=Ferry-Session,valueonly)")).toContain(session);
  expect(git("config", "branch.main.ferryHost")).toBe("local");
  expect(readFileSync(join(git.folder, "hi.txt"), "utf8")).toBe("hi\n");

  const again = await ferry(here(), "pull");
  expect(again).toEqual({ code: 0, stdout: "", stderr: "nothing new\n" });
});

test("with --json --updates each change of an event, too; `session start` shows what its message began", async () => {
  const { stdout } = await ferry(here(), "run", "--json", "--updates", "--pull", "none", "echo 1 > one");
  const commands = stdout.split("\n").filter((line) => line.includes('"exit_code":'));
  expect(commands.length).toBeGreaterThan(1);
  expect(commands.at(-1)).toContain('"exit_code":0');
  const started = await ferry(here(), "session", "start", "-m", "echo 2 > two", "--json");
  expect(JSON.parse(started.stdout)).toMatchObject({ title: "echo 2 > two" });
});

test("with --json: the session, the events, the result, a line each", async () => {
  const { code, stdout } = await ferry(here(), "run", "--json", "echo 1 > one");
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const [first, last] = [lines.at(0), lines.at(-1)];
  expect(code).toBe(0);
  expect(first).toMatchObject({ type: "session", session: { status: "active", auto_commit: true } });
  const { id } = first?.["session"] as { id: string };
  expect(last).toMatchObject({
    type: "result",
    result: {
      session_id: id,
      host: "local",
      outcome: "idle",
      exit: 0,
      pull: { applied: true, exactness: "exact", tip: git("rev-parse", "HEAD") },
    },
  });
  const events = lines.slice(1, -1);
  expect(events.map(({ type }) => type)).toEqual(
    expect.arrayContaining(["user_message", "agent_run_repository_command", "agent_file_create"]),
  );
  expect(new Set(events.map((event) => event["id"])).size).toBe(events.length);
});

test.each(["stdout", "stdout and stderr"])("a reader of %s that goes ends the printing, not the job", async (streams) => {
  const reader = here();
  const close = (output: Output, lines: number): Output => ({
    ...output,
    write: async (text) => {
      if (lines-- <= 0) throw new ReaderGoneError("gone");
      await output.write(text);
    },
  });
  const { stdout, stderr } = reader.terminal;
  const terminal = { ...reader.terminal, stdout: close(stdout, 1), stderr: streams === "stdout" ? stderr : close(stderr, 1) };
  const code = await run(["run", "echo kept > kept; exit 3"], { ...reader.host, terminal });
  expect({ code, subject: git("log", "-1", "--format=%s") }).toEqual({ code: 1, subject: "echo kept > kept; exit 3" });
  expect(reader.terminal.written.stdout).not.toContain("exit 3 in");
  if (streams === "stdout") expect(reader.terminal.written.stderr).toContain("1 commit (");
});

test("a script that fails: its commit comes all the same, and the exit code is the agent's", async () => {
  const { code, stderr } = await ferry(here(), "run", "echo half > half; exit 3");
  expect(code).toBe(1);
  expect(stderr).toMatch(/\nferry: the agent failed\n {2}hint: what happened: ferry events ses_\w+\n$/u);
  expect(existsSync(join(git.folder, "half"))).toBe(true);
});

test("no changes is 0", async () => {
  const { code, stderr } = await ferry(here(), "run", "true");
  expect(code).toBe(0);
  expect(stderr).toMatch(/\nnothing new\n$/u);
});

test("--detach gives the id of the session, which can be waited for", async () => {
  const { code, stdout, stderr } = await ferry(here(), "run", "--detach", "true");
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^ses_[0-9a-z]{16}\n$/u)]);
  expect(stderr).toContain(`\n${stdout.trim()} is at work; watch it: ferry tail; bring its commits: ferry pull\n`);
  expect((await ferry(here(), "session", "wait", stdout.trim())).code).toBe(0);
});

test("what of the user's work is not in the sandbox is said first", async () => {
  commitFiles(git, { "b.txt": "b\n" }, "second");
  git("rm", "--quiet", "--cached", "b.txt");
  const { stderr } = await ferry(here(), "run", "--pull", "none", "cat a.txt");
  expect(stderr).toContain("not in the sandbox: 2 files uncommitted (commit first to have them there)\n");
  git("add", "b.txt");
});

describe("where HEAD is not a branch with a commit", () => {
  test("detached: HEAD moves, stays detached, and pull still knows the session", async () => {
    git("checkout", "--quiet", "--detach");
    const { code, stderr } = await ferry(here(), "run", "echo d > d");
    expect(code).toBe(0);
    expect(stderr).toContain("onto the detached HEAD at");
    expect(git("rev-parse", "--abbrev-ref", "HEAD")).toBe("HEAD");
    expect((await ferry(here(), "pull")).stderr).toBe("nothing new\n");
  });

  test("unborn: the branch is born", async () => {
    git = makeRepository(join(world.folder, "unborn"));
    const { code, stderr } = await ferry(here(), "run", "echo u > u");
    expect({ code, subject: git("log", "--format=%s") }).toEqual({ code: 0, subject: "echo u > u" });
    expect(stderr).toContain("base: main (no commits yet)\n");
  });
});

test("--detach starts it and goes; message, wait and pull take it from there", async () => {
  expect((await ferry(here(), "run", "--detach", "echo 1 > one")).code).toBe(0);
  expect(await ferry(here(), "session", "wait", "--timeout", "20s")).toEqual({ code: 0, stdout: "idle\n", stderr: "" });
  const sent = await ferry(
    here(),
    "message",
    "send",
    git("config", "branch.main.ferrySession"),
    "--wait",
    "--json",
    "echo 2 > two",
  );
  expect(JSON.parse(sent.stdout)).toMatchObject({ outcome: "idle", status: "active", agent_status: "idle", exit: 0 });
  const pulled = await ferry(here(), "pull", "--json");
  expect(JSON.parse(pulled.stdout)).toMatchObject({ applied: true, commits: [{ sequence: 1 }, { sequence: 2 }] });
});

test("Ctrl-C ends the watching, says how to go on, and the session goes on", async () => {
  const watched = here();
  const running = ferry(watched, "run", "sleep 1; echo late > late");
  await expect.poll(() => watched.terminal.written.stdout, { timeout: 10_000 }).toContain("sleep 1");
  watched.interrupt();
  const { code, stderr } = await running;
  expect(code).toBe(130);
  expect(stderr).toMatch(
    /^ferry: interrupted: ses_\w+ goes on\n {2}hint: follow it: ferry tail ses_\w+, stop it: ferry session cancel ses_\w+\n$/mu,
  );
  expect((await ferry(here(), "session", "wait")).code).toBe(0);
  expect((await ferry(here(), "pull")).code).toBe(0);
  expect(existsSync(join(git.folder, "late"))).toBe(true);
});

test("--cancel-on-interrupt stops the agent too", async () => {
  const watched = here();
  const running = ferry(watched, "run", "--cancel-on-interrupt", "sleep 30; echo late > late");
  await expect.poll(() => watched.terminal.written.stdout, { timeout: 10_000 }).toContain("sleep 30");
  watched.interrupt();
  expect((await running).stderr).toContain("was told to stop");
  const { code, stdout } = await ferry(here(), "session", "wait", "--timeout", "20s");
  expect({ code, stdout }).toEqual({ code: 1, stdout: "canceled\n" });
});

test("a timeout while the agent works is exit 8", async () => {
  const { code, stderr } = await ferry(here(), "run", "--timeout", "5s", "--pull", "none", "sleep 30");
  expect(code).toBe(8);
  expect(stderr).toMatch(/ferry: the agent is still working\n {2}hint: follow it with: ferry tail ses_\w+\n$/u);
  expect((await ferry(here(), "session", "close", "--json")).code).toBe(0);
});

test("pull lists what came: tab-separated in a pipe, as a table on a terminal", async () => {
  await ferry(here(), "run", "--pull", "none", "echo l > l");
  const pick = git("config", "branch.main.ferrySession");
  const piped = await ferry(here(), "pull", "--dry-run");
  expect(piped.stdout).toMatch(/^1\t[0-9a-f]{12}\techo l > l\n$/u);
  const shown = await ferry(world.next({ cwd: git.folder }, { tty: true }), "pull", pick);
  expect(shown.stdout).toMatch(/^# {2}COMMIT {8}SUBJECT\n1 {2}[0-9a-f]{12} {2}echo l > l\n$/u);
});

test("where HEAD moved on, nothing changes, and it is told", async () => {
  expect((await ferry(here(), "run", "--pull", "none", "echo s > s")).code).toBe(0);
  commitFiles(git, { "mine.txt": "m\n" }, "mine");
  const head = git("rev-parse", "HEAD");
  const { code, stderr } = await ferry(here(), "pull");
  expect({ code, head: git("rev-parse", "HEAD") }).toEqual({ code: 3, head });
  expect(stderr).toMatch(/^ferry: .+\n {2}hint: .+\n$/u);
});

test("session start --follow --pull end does the same, step by step", async () => {
  const { code, stdout } = await ferry(
    here(),
    "session",
    "start",
    "--auto-commit",
    "-m",
    "echo f > f",
    "--follow",
    "--pull",
    "end",
  );
  expect({ code, subject: git("log", "-1", "--format=%s") }).toEqual({ code: 0, subject: "echo f > f" });
  expect(stdout).toContain("created f");
});

test("tail shows it all, once; Ctrl-C says how to watch again", async () => {
  await ferry(here(), "run", "--detach", "echo t > t");
  const shown = await ferry(here(), "tail", "--until", "idle", "--json", "--type", "user_message,agent_file_create");
  expect(shown.code).toBe(0);
  expect(
    shown.stdout
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { type: string }).type),
  ).toEqual(["user_message", "agent_file_create"]);
  const watched = here();
  const running = ferry(watched, "tail");
  await expect.poll(() => watched.terminal.written.stdout, { timeout: 10_000 }).toContain("created t");
  watched.interrupt();
  expect(await running).toMatchObject({
    code: 130,
    stderr: expect.stringMatching(
      /^ferry: interrupted: no longer watching ses_\w+\n {2}hint: watch it again: ferry tail ses_\w+\n$/u,
    ) as string,
  });
});

test("tail of an idle session says on a terminal that it is one, and what ends it is no failure of the watching", async () => {
  await ferry(here(), "run", "--pull", "none", "true");
  const session = git("config", "branch.main.ferrySession");
  const watched = world.next({ cwd: git.folder }, { tty: true });
  const watching = ferry(watched, "tail");
  await expect.poll(() => watched.terminal.written.stderr, { timeout: 10_000 }).toContain("the agent is idle");
  expect((await ferry(here(), "session", "close", session)).code).toBe(0);
  expect(await watching).toMatchObject({
    code: 0,
    stderr: "the agent is idle; Ctrl-C ends the watching (--until idle ends by itself)\nthe session was closed\n",
  });
  expect((await ferry(here(), "tail", session, "--until", "end")).code).toBe(1);
});

test("the embedded service has its own key: FERRY_API_KEY is not for it", async () => {
  const there = world.next({ cwd: git.folder, env: { FERRY_API_KEY: "x" } });
  expect((await ferry(there, "whoami", "--host", "local")).code).toBe(0);
  expect((await ferry(world.next({ env: { FERRY_API_KEY: "x" } }), "whoami")).code).toBe(2);
});

test("the series as a mailbox, for plain git am", async () => {
  await ferry(here(), "run", "--pull", "none", "echo m > m");
  const session = git("config", "branch.main.ferrySession");
  const { code, stdout } = await ferry(here(), "patch");
  expect(code).toBe(0);
  expect(stdout).toMatch(/^From [0-9a-f]{40} Mon Sep 17 00:00:00 2001\n/u);
  expect((await ferry(here(), "patch", session, "--output-directory", "../patches")).code).toBe(0);
  expect(readFileSync(join(world.folder, "patches", "0001-echo-m-m.patch"), "utf8")).toBe(stdout);
});

test("without a prompt, or without a repository, nothing is started", async () => {
  expect(await ferry(here(), "run")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("the prompt is missing") as string,
  });
  expect(await ferry(world.next(), "run", "true")).toMatchObject({
    code: 5,
    stderr: expect.stringContaining("is not in a git repository") as string,
  });
});

test("a pull while the agent works brings nothing yet; the ids of hints are short ones that work", async () => {
  await ferry(here(), "run", "--detach", "sleep 30");
  expect(await ferry(here(), "pull")).toEqual({ code: 0, stdout: "", stderr: "nothing new yet: the agent is still working\n" });
  const waited = await ferry(here(), "session", "wait", "--timeout", "2s");
  const [, short = ""] = /hint: follow it with: ferry tail (\S+)\n/u.exec(waited.stderr) ?? [];
  expect(short).toMatch(/^ses_[0-9a-z]{8}$/u);
  expect((await ferry(here(), "session", "cancel", short)).stderr).toBe("stopped: sleep 30\n");
  expect((await ferry(here(), "pull")).stderr).toBe("nothing new\n");
});

test("on a branch without a session the candidates are those of this very clone", async () => {
  await ferry(here(), "run", "--pull", "none", "true");
  const session = git("config", "branch.main.ferrySession");
  git("checkout", "--quiet", "-b", "other");
  const { code, stderr } = await ferry(here(), "session", "view");
  expect(code).toBe(2);
  expect(stderr.split("\n").slice(1, 3)).toEqual([
    expect.stringContaining(session) as string,
    expect.stringMatching(/^ {2}and \d+ others: ferry session list$/u) as string,
  ]);
  git("checkout", "--quiet", "-b", `ferry/${session.slice(4, 12)}`);
  expect((await ferry(here(), "session", "view", "--json", "--fields", "id")).stdout).toBe(`{"id":"${session}"}\n`);
});
