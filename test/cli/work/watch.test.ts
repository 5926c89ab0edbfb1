import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { ferry } from "../../support/ferry.ts";
import { commitFiles, gitBytes, gitIn, makeRepository, type TestGit } from "../../support/git.ts";
import { freshRepository, useLocalService } from "../../support/local.ts";
import { makeSeedService } from "../../support/seed-service.ts";
import { makeWorld } from "../../support/world.ts";

const world = useLocalService();
let git: TestGit;
let base: string;
let session: string;

beforeEach(() => {
  git = freshRepository(world, { "a.txt": "a\n" });
  base = git("rev-parse", "HEAD");
});

const here = (...argv: string[]) => ferry(world.next({ cwd: git.folder }), ...argv);

async function begin(prompt: string): Promise<void> {
  expect(await here("run", "--pull", "none", prompt)).toMatchObject({ code: 0 });
  session = git("config", "branch.main.ferrySession");
}

function watch(...argv: string[]) {
  const watched = world.next({ cwd: git.folder });
  return { watched, written: watched.terminal.written, ended: ferry(watched, "pull", "--watch", ...argv) };
}

const soon = { timeout: 10_000 };

describe("with a service that has the extension", () => {
  test("what is there, then each commit as it appears, a line a pull, until the session ends", async () => {
    await begin("echo 1 > one");
    const { written, ended } = watch();
    await expect.poll(() => written.stdout, soon).toMatch(/^1 commit \(.+\n$/u);
    await here("say", "echo 2 > two");
    await expect.poll(() => written.stdout, soon).toMatch(/\n1 commit \(.+\n$/u);
    // A turn without a commit is no line.
    await here("say", "true");
    await here("session", "wait");
    await here("session", "close");
    const { code, stdout, stderr } = await ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "the session was closed; 2 commits came in 2 pulls\n" });
    const [first, second] = git("log", "--format=%H", "--reverse", `${base}..HEAD`).split("\n") as [string, string];
    const line = (tip: string, onto: string) =>
      `1 commit (${tip.slice(0, 12)}) onto main at ${onto.slice(0, 12)}; undo with: ferry pull --undo\n`;
    expect(stdout).toBe(line(first, base) + line(second, first));
    expect(git("status", "--porcelain")).toBe("");
    // Of one that is over: what is there, and the end.
    expect(await here("pull", "--watch", session)).toEqual({
      code: 0,
      stdout: "",
      stderr: "the session was closed; nothing came\n",
    });
  });

  test("--json: a verdict a line, of each pull that brought something", async () => {
    await begin("echo 1 > one");
    const { written, ended } = watch("--json");
    await expect.poll(() => written.stdout, soon).toMatch(/^\{.*\}\n$/u);
    await here("say", "echo 2 > two");
    await expect.poll(() => written.stdout.split("\n").length, soon).toBe(3);
    await here("session", "close");
    const { code, stdout, stderr } = await ended;
    const verdicts = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    expect({ code, stderr, verdicts }).toMatchObject({
      code: 0,
      stderr: "",
      verdicts: [
        { applied: true, base, commits: [{ sequence: 1 }] },
        { applied: true, tip: git("rev-parse", "HEAD"), commits: [{ sequence: 2 }] },
      ],
    });
  });

  test("Ctrl-C: exit 130, what came, and how to go on", async () => {
    await begin("echo 1 > one");
    const { watched, written, ended } = watch();
    await expect.poll(() => written.stdout, soon).toMatch(/^1 commit/u);
    watched.interrupt();
    const { code, stderr } = await ended;
    expect(code).toBe(130);
    expect(stderr).toMatch(/^ferry: interrupted: 1 commit came in 1 pull\n {2}hint: watch on: ferry pull --watch ses_\w+\n$/u);
    expect(git("status", "--porcelain")).toBe("");
  });

  test.each([
    ["local work", () => writeFileSync(join(git.folder, "two"), "mine\n")],
    ["an open merge", () => writeFileSync(join(git.folder, ".git/MERGE_HEAD"), `${base}\n`)],
  ])("%s in the way ends it with exit 3 and its hint; what came before stays", async (_, obstruct) => {
    await begin("echo 1 > one");
    const { written, ended } = watch();
    await expect.poll(() => written.stdout, soon).toMatch(/^1 commit/u);
    const head = git("rev-parse", "HEAD");
    obstruct();
    await here("say", "echo 2 > two");
    const { code, stderr } = await ended;
    expect({ code, head: git("rev-parse", "HEAD") }).toEqual({ code: 3, head });
    expect(stderr).toMatch(/^1 commit came in 1 pull\nferry: .+\n(?: {2}.+\n)* {2}hint: .+\n$/u);
  });

  test("another branch is checked out meanwhile: the commits go where they went before", async () => {
    await begin("echo 1 > one");
    const { written, ended } = watch();
    await expect.poll(() => written.stdout, soon).toMatch(/^1 commit/u);
    git("checkout", "--quiet", "-b", "other");
    const head = git("rev-parse", "HEAD");
    await here("say", "--session", session, "echo 2 > two");
    await expect.poll(() => written.stdout, soon).toContain("--undo --branch main\n");
    await here("session", "close", session);
    expect((await ended).code).toBe(0);
    expect({ other: git("rev-parse", "other"), ahead: git("log", "--format=%s", "other..main") }).toEqual({
      other: head,
      ahead: "echo 2 > two",
    });
  });

  test("--worktree lands there", async () => {
    await begin("echo 1 > one");
    const there = join(world.folder, "there");
    const { written, ended } = watch("--worktree", there);
    await expect.poll(() => written.stdout, soon).toMatch(/^1 commit .*, in .*\n$/u);
    await here("session", "close");
    expect((await ended).code).toBe(0);
    expect({ head: git("rev-parse", "HEAD"), there: gitIn(there)("log", "--format=%s", `${base}..`) }).toEqual({
      head: base,
      there: "echo 1 > one",
    });
  });

  test.each(["--dry-run", "--undo", "--continue", "--skip", "--abort"])("%s with it is a mistake", async (flag) => {
    expect(await here("pull", "--watch", flag)).toMatchObject({ code: 2, stdout: "" });
  });
});

test("run --pull each: an open merge is no reason to stop watching, and the commit comes once it is gone", async () => {
  const gate = join(world.folder, "gate");
  const until = (name: string) => `until [ -e ${gate}${name} ]; do sleep 0.05; done`;
  const watched = world.next({ cwd: git.folder });
  const script = `${until("a")}; echo 1 > one; git add one; git commit -qm one; ${until("b")}; echo 2 > two`;
  const running = ferry(watched, "run", "--pull", "each", script);
  const { written } = watched.terminal;
  await expect.poll(() => written.stdout, soon).toContain("until");
  const merge = join(git.folder, ".git/MERGE_HEAD");
  writeFileSync(merge, `${base}\n`);
  writeFileSync(`${gate}a`, "");
  writeFileSync(`${gate}b`, "");
  await expect.poll(() => written.stderr, soon).toContain("not pulled yet: ");
  rmSync(merge);
  expect((await running).code).toBe(0);
});

describe("with a service that has only the seed's interface", () => {
  const url = "https://agents.example.com";

  test("the branch is waited for, and followed as the agent pushes, to the end", async () => {
    const seed = makeSeedService();
    const there = makeWorld({ env: { FERRY_HOST: url, FERRY_API_KEY: seed.key } });
    there.services.set(url, seed.send);
    const up = makeRepository(join(there.folder, "up"));
    commitFiles(up, { a: "a\n" }, "base");
    for (const name of ["local", "sandbox"]) gitBytes(there.folder, ["clone", "--quiet", `file://${up.folder}`, name]);
    const [local, sandbox] = [gitIn(join(there.folder, "local")), gitIn(join(there.folder, "sandbox"))];
    seed.repositories.push({ id: "r1", full_name: "o/up", clone_url: up.folder, enabled: true });
    const state: Record<string, unknown> = { id: "s1", branch_name: "fix/it", status: "active", agent_status: "working" };
    seed.sessions.push(state);
    const timeline: Record<string, unknown>[] = [];
    seed.events.set("s1", timeline);
    const push = (text: string): string => {
      const commit = commitFiles(sandbox, { a: text }, text.trim());
      sandbox("push", "--quiet", "origin", "HEAD:refs/heads/fix/it");
      const created_at = new Date(Date.UTC(2026, 0, 1, 0, 0, timeline.length)).toISOString();
      timeline.push({ id: `e${timeline.length}`, type: "agent_push_to_remote", status: "completed", payload: {}, created_at });
      return commit;
    };
    const watched = there.next({ cwd: local.folder });
    const ended = ferry(watched, "pull", "--watch", "s1");
    const { written } = watched.terminal;
    await expect.poll(() => written.stderr, soon).toContain("not pulled yet: the session's commits can be had from nowhere\n");
    push("b\n");
    await expect.poll(() => written.stdout, soon).toMatch(/^1 commit .*from branch fix\/it of the remote origin onto main/u);
    const tip = push("c\n");
    await expect.poll(() => local("rev-parse", "HEAD"), soon).toBe(tip);
    Object.assign(state, { status: "finished", agent_status: "stopped" });
    expect(await ended).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/\nthe session is finished; 2 commits came in 2 pulls\n$/u) as string,
    });
    expect(written.stdout.trimEnd().split("\n")).toHaveLength(2);
    await there.dispose();
  }, 40_000);
});
