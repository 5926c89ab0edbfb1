import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ferry, type FerryResult } from "../../support/ferry.ts";
import { commitFiles, gitBytes, gitIn, makeRepository, type TestGit } from "../../support/git.ts";
import { makeSeedService, type SeedService } from "../../support/seed-service.ts";
import { makeWorld, type World } from "../../support/world.ts";

const url = "https://agents.example.com";

// A service that has only the seed's interface: what its agents did comes from the branch that they pushed.
let world: World;
let service: SeedService;
let local: TestGit;
let sandbox: TestGit;

beforeEach(() => {
  service = makeSeedService();
  world = makeWorld({ env: { FERRY_HOST: url, FERRY_API_KEY: service.key } });
  world.services.set(url, service.send);
  const up = makeRepository(join(world.folder, "up"));
  commitFiles(up, { a: "a\n" }, "base");
  for (const name of ["local", "sandbox"]) gitBytes(world.folder, ["clone", "--quiet", `file://${up.folder}`, name]);
  [local, sandbox] = [gitIn(join(world.folder, "local")), gitIn(join(world.folder, "sandbox"))];
  service.repositories.push({ id: "r1", full_name: "o/up", clone_url: up.folder, enabled: true });
  service.sessions.push({ id: "s1", branch_name: "fix/it", status: "active", agent_status: "idle" });
  local("config", "branch.main.ferrySession", "s1");
});
afterEach(() => world.dispose());

const call = (...argv: readonly string[]): Promise<FerryResult> => ferry(world.next({ cwd: local.folder }), ...argv);

function push(files: Readonly<Record<string, string>>): string {
  const commit = commitFiles(sandbox, files, "fix it");
  sandbox("push", "--quiet", "origin", "HEAD:refs/heads/fix/it");
  return commit;
}

test("the branch is taken by itself, and said", async () => {
  const tip = push({ a: "b\n" });
  const { code, stderr } = await call("pull");
  expect({ code, head: local("rev-parse", "HEAD") }).toEqual({ code: 0, head: tip });
  expect(stderr).toMatch(/^1 commit \(\w{12}\) from branch fix\/it of the remote origin onto main at \w{12}; undo with: /u);
  const again = await call("pull", "--json");
  expect(JSON.parse(again.stdout)).toMatchObject({ applied: false, source: "branch", engine: "none", commits: [] });
  expect((await call("pull", "--verbose")).stderr).toContain("commits: branch fix/it of the remote origin\n");
});

test("it isn't there: said with why each source has nothing", async () => {
  const { code, stderr } = await call("pull");
  expect(code).toBe(1);
  expect(stderr).toContain("the service doesn't send its commits");
  expect(stderr).toContain("origin has no branch fix/it");
  expect(stderr).toMatch(/: ferry pull --source events$/mu);
  expect((await call("diff")).stderr).toMatch(/: ferry pull --source events --dry-run$/mu);
  expect(await call("pull", "--source", "branch")).toMatchObject({ code: 5 });
  expect(await call("pull", "--source", "nowhere")).toMatchObject({ code: 2 });
});

test("a remote that doesn't answer is exit 6, with what its timeline may have", async () => {
  const nobody = "https://127.0.0.1:1/o/up.git";
  service.repositories[0] = { ...service.repositories[0], clone_url: nobody };
  local("remote", "set-url", "origin", nobody);
  const told = /^ferry: the remote origin can't be reached: .*\n {2}hint: try again when .*: ferry pull --source events\n$/u;
  expect(await call("pull")).toEqual({ code: 6, stdout: "", stderr: expect.stringMatching(told) as string });
  expect((await call("pull", "--source", "branch")).stderr).not.toContain("events");
  // What changes nothing names what changes nothing.
  for (const look of [["diff"], ["pull", "--dry-run"]])
    expect((await call(...look)).stderr).toMatch(/: ferry pull --source events --dry-run\n$/u);
});

test("no remote is of the repository: an address that the service tells is never used", async () => {
  push({ a: "b\n" });
  local("remote", "set-url", "origin", "https://elsewhere.example.com/x.git");
  const { code, stderr } = await call("pull", "--source", "branch");
  expect({ code, stderr }).toEqual({
    code: 5,
    stderr: expect.stringContaining("no remote of this working copy is of the session's repository") as string,
  });
});

test("a session of a repository that no remote is of (a fork): refused, unless the commit that it began at is here", async () => {
  const sessions = service.sessions as Record<string, unknown>[];
  Object.assign(sessions[0] ?? {}, { repository_id: "r1", base_commit: local("rev-parse", "HEAD") });
  push({ a: "b\n" });
  local("remote", "set-url", "origin", "https://elsewhere.example.com/fork.git");
  const known = await call("pull", "s1", "--dry-run");
  expect(known.stderr).toContain("note: no remote here is of o/up, but");
  expect(known.stderr).not.toContain("which this working copy is not of");
  Object.assign(sessions[0] ?? {}, { base_commit: "1".repeat(40) });
  expect(await call("pull", "s1")).toMatchObject({
    code: 3,
    stderr: expect.stringContaining(
      "the session is of o/up, which this working copy is not of: 111111111111, where the session began, is not here\n  hint: where this is a clone of the same: git fetch; else go to a clone",
    ) as string,
  });
});

test("run works where a remote is of a repository of the service", async () => {
  service.agent = (session, message) => {
    push({ a: "c\n" });
    Object.assign(session, { status: "finished" });
    message["status"] = "completed";
  };
  const { code, stderr } = await call("run", "--branch", "fix/it", "do it");
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringContaining("from branch fix/it of the remote origin onto main") as string,
  });
});

test("the timeline's diffs, where they are asked for: said to be approximate", async () => {
  const timeline = [
    { id: "1", type: "user_message", payload: { type: "user_message", message: "Make it b" } },
    {
      id: "2",
      type: "agent_file_edit",
      payload: { type: "agent_file_edit", repository_id: "r1", file_path: "a", diff: "@@ -1 +1 @@\n-a\n+b\n" },
    },
  ];
  service.events.set(
    "s1",
    timeline.map((event, at) => ({ ...event, status: "completed", created_at: `2026-01-01T00:00:0${at}Z` })),
  );
  expect(await call("pull")).toMatchObject({ code: 1, stderr: expect.stringContaining("--source events") as string });
  const { code, stderr } = await call("pull", "--source", "events");
  expect(code).toBe(0);
  expect(stderr).toContain("note: approximate: made from the diffs of the timeline");
  expect(stderr).toMatch(
    /\n1 commit \(\w{12}\) from the diffs of its timeline, approximate, onto main at \w{12}; undo with: ferry pull --undo\n$/u,
  );
  expect(local("show", "HEAD:a")).toBe("b");
  expect(JSON.parse((await call("pull", "--json")).stdout)).toMatchObject({ source: "events", applied: false });
  expect((await call("pull", "--undo")).code).toBe(0);
  expect(local("show", "HEAD:a")).toBe("a");
  expect((await call("pull")).code).toBe(0);
  expect(local("show", "HEAD:a")).toBe("b");
});
