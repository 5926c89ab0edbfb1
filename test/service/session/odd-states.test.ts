import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Session } from "../../../src/wire/resources.ts";
import { makeTestEngine, type TestEngine } from "../../support/engine.ts";
import { commitFiles, gitIn, makeFolder, makeRepository } from "../../support/git.ts";

let engine: TestEngine;
let folder: ReturnType<typeof makeFolder>;
let session: Session;
let base: string;

beforeEach(async () => {
  folder = makeFolder();
  base = commitFiles(makeRepository(folder.path), { a: "1\n" });
  engine = await makeTestEngine();
  session = await engine.start(await engine.register(folder.path), { base_commit: base, branch_name: "work" });
});

afterEach(async () => {
  await engine.close();
  folder.remove();
});

const said = async () =>
  (await engine.events(session)).flatMap((event) => (event.type === "system_message" ? [event.payload.message] : []));
const log = () => gitIn(`${engine.data}/sessions/${session.id}/repo.git`)("log", "--format=%s", `${base}..work`);

test("a filter that fails is done without, each time", async () => {
  const filters =
    "git config filter.no.clean false; git config filter.gone.process /nowhere; git config filter.gone.required true";
  const set = `${filters}; git config filter.no.required true; printf '*.x filter=no\\n*.y filter=gone\\n' > .gitattributes`;
  await engine.work(session, `${set}; echo 1 > 1.x`);
  const after = await engine.work(session, "echo 2 > 2.x; echo 3 > 3.y");
  expect(after).toMatchObject({ agent_status: "idle" });
  expect(await said()).toEqual([]);
  const home = gitIn(`${engine.data}/sessions/${session.id}/repo.git`);
  expect(home("show", "work:1.x", "work:2.x", "work:3.y")).toBe("1\n2\n3");
});

describe("the session's branch is what counts", () => {
  test("the agent works on another branch", async () => {
    const after = await engine.work(session, "git checkout -q -b other; echo x > x; git add x; git commit -qm other; echo y > y");
    expect(after).toMatchObject({ agent_status: "idle", head_commit: base });
    expect(await said()).toEqual([
      "nothing was committed: the workspace is not on the session's branch",
      "the agent works on other; only commits on work come home",
    ]);
    await engine.work(session, "git checkout -q work; git merge -q other");
    expect(log()).toBe("git checkout -q work; git merge -q other\nother");
  });

  test("on a detached HEAD", async () => {
    const after = await engine.work(session, "git checkout -q --detach; git commit -q --allow-empty -m lost");
    expect(after.head_commit).toBe(base);
    expect(await said()).toContain("the agent works on a detached HEAD; only commits on work come home");
  });

  test("deletes it", async () => {
    await engine.work(session, "echo 1 > one");
    const after = await engine.work(session, "git checkout -q --detach; git branch -q -D work");
    expect(await said()).toContain("the branch work is gone from the sandbox; what came before is kept");
    expect(after.head_commit).not.toBe(base);
    expect(log()).toBe("echo 1 > one");
  });

  test("puts another history on it", async () => {
    const after = await engine.work(session, "git checkout -q --orphan new; git commit -q -m new; git branch -q -M new work");
    expect(after.head_commit).toBe(base);
    expect(await said()).toEqual([
      `the branch work no longer holds the commit it began with, ${base}: its commits can't be brought home`,
    ]);
  });

  test("leaves a merge open", async () => {
    const script =
      "git checkout -q -b side; echo 2 > a; git commit -qam side; git checkout -q work; echo 3 > a; git commit -qam mine; git merge side; true";
    const after = await engine.work(session, script);
    expect(await said()).toEqual(["nothing was committed: a merge is open in the workspace"]);
    expect(log()).toBe("mine");
    expect(after.agent_status).toBe("idle");
  });

  test("removes .git altogether: the turn fails and says so, and the next begins anew with what came before", async () => {
    await engine.work(session, "echo 1 > one");
    const after = await engine.work(session, "rm -rf .git");
    expect(after.agent_status).toBe("failed");
    expect((await said()).at(-1)).toMatch(
      /^what it did can't be saved: git in the sandbox: .*not a git repository.*; it is kept in .*; the next message begins with a new sandbox$/u,
    );
    await engine.work(session, "cat one > two");
    expect(log()).toBe("cat one > two\necho 1 > one");
  });
});

test("the workspace's own configuration and hooks run nothing of the service's commands", async () => {
  const script = `mkdir -p .git/hooks
printf '#!/bin/sh\\ntouch ${folder.path}/hooked' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit
cp .git/hooks/pre-commit .git/hooks/post-commit; cp .git/hooks/pre-commit .git/hooks/reference-transaction
git config core.fsmonitor .git/hooks/pre-commit; git config commit.gpgSign true; git config user.name Mallory
git config core.hooksPath .git/hooks; rm -f ${folder.path}/hooked; echo x > x`;
  const after = await engine.work(session, script);
  expect(await said()).toEqual([]);
  expect(after.head_commit).not.toBe(base);
  expect(gitIn(folder.path)("status", "--porcelain")).toBe("");
});

test("an object that git's strict check refuses stops the series there, and nothing of it gets in", async () => {
  const script = `tree=$(printf '100644 blob %s\\t.git\\n' "$(git hash-object -w a)" | git mktree)
git update-ref refs/heads/work "$(git commit-tree "$tree" -p HEAD -m evil)"`;
  const after = await engine.work(session, script);
  expect(after).toMatchObject({ agent_status: "failed", head_commit: base });
  expect((await said()).at(-1)).toMatch(/index-pack/u);
});

test("what doesn't fit is told as left out", async () => {
  await engine.work(session, "seq 100000 > large.txt; for i in $(seq 400); do echo file $i > f$i; done; seq 40000");
  const events = await engine.events(session);
  const command = events.find((event) => event.type === "agent_run_repository_command");
  expect(command?.payload).toMatchObject({
    cut: expect.any(Number) as number,
    output: expect.stringMatching(/^1\n2\n[^]*bytes left out[^]*\n40000\n$/u) as string,
  });
  expect(events.filter((event) => event.type === "agent_file_create")).toHaveLength(300);
  expect(await said()).toEqual(["101 more files changed; they are not listed"]);
  const all = events.flatMap((event) => (event.type === "agent_file_create" ? [event.payload] : []));
  const large = all.find((payload) => payload.file_path === "large.txt");
  if (large !== undefined) expect(large.diff.length).toBeLessThan(70_000);
});

test("what is too large to come home: not committed, it is told and the commits come; committed, the turn fails", async () => {
  const other = await makeTestEngine({ limits: { bundle: 300_000 } });
  const started = await other.start(await other.register(folder.path), { auto_commit: false });
  const told = async () =>
    (await other.events(started)).flatMap((event) => (event.type === "system_message" ? [event.payload.message] : []));
  const first = await other.work(started, "git commit -q --allow-empty -m small; head -c 1000000 /dev/urandom > large");
  expect(first.agent_status).toBe("idle");
  expect(first.head_commit).not.toBe(first.base_commit);
  expect(await told()).toEqual([expect.stringMatching(/^what is not committed can't be brought home \(.* 300000 bytes\)$/u)]);
  const second = await other.work(first, "git add large; git commit -q -m large");
  expect(second).toMatchObject({ agent_status: "failed", head_commit: first.head_commit });
  await other.close();
});

test("empty turns commit nothing", async () => {
  const after = await engine.work(session, "true");
  expect(after).toMatchObject({ agent_status: "idle", head_commit: base });
  expect((await engine.events(session)).map((event) => event.type)).toEqual(["user_message", "agent_run_repository_command"]);
});
