import { spawnSync } from "node:child_process";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { driverNamed, makeTestEngine, type TestEngine } from "../../support/engine.ts";
import { commitFiles, gitIn, makeFolder, makeRepository, type TestGit } from "../../support/git.ts";

const drivers = ["bwrap", "unshare", "process"] as const;
const working = await Promise.all(drivers.map(async (name) => ((await driverNamed(name).probe()).works ? [name] : [])));

describe.each(working.flat())("a turn of the shell agent in %s", (driver) => {
  let engine: TestEngine;
  let folder: ReturnType<typeof makeFolder>;
  let git: TestGit;
  let base: string;

  beforeEach(async () => {
    folder = makeFolder();
    git = makeRepository(folder.path);
    base = commitFiles(git, { "README.md": "hello\n", "old.txt": "one\ntwo\nthree\nfour\n" }, "first");
    engine = await makeTestEngine({ driver });
  });

  afterEach(async () => {
    await engine.close();
    folder.remove();
  });

  test("runs the script, tells what it did, and leaves one commit in the session's repository", async () => {
    const repository = await engine.register(`${folder.path}/.git`);
    const session = await engine.start(repository, { base_commit: base });
    expect(session).toMatchObject({ status: "active", agent_status: "idle", base_commit: base, head_commit: base });

    const after = await engine.work(
      session,
      "echo hi > hi.txt\ngit mv old.txt new.txt\nrm README.md\necho out >/dev/stdout\necho err >/dev/stderr\necho done",
    );

    const events = await engine.events(session);
    expect(events.flatMap((event) => (event.type === "system_message" ? [event.payload.message] : []))).toEqual([]);
    expect(after).toMatchObject({ status: "active", agent_status: "idle", title: "echo hi > hi.txt" });
    expect(events.map(({ type, status }) => `${type} ${status}`)).toEqual([
      "user_message completed",
      "agent_run_repository_command completed",
      "agent_file_remove completed",
      "agent_file_create completed",
      "agent_file_move completed",
    ]);
    expect(events[1]?.payload).toMatchObject({ output: "out\nerr\ndone\n", exit_code: 0, repository_id: repository.id });
    expect(events[3]?.payload).toMatchObject({ file_path: "hi.txt", diff: expect.stringContaining("+hi\n") as string });
    expect(events[4]?.payload).toMatchObject({ source_path: "old.txt", destination_path: "new.txt" });

    const repo = gitIn(`${engine.data}/sessions/${session.id}/repo.git`);
    expect(repo("log", "--format=%an <%ae> %cn <%ce>%n%B", `${base}..${after.branch_name}`).trim()).toBe(
      `shell <shell@ferry.local> shell <shell@ferry.local>\necho hi > hi.txt\n\nFerry-Session: ${session.id}`,
    );
    expect(repo("rev-parse", after.branch_name)).toBe(after.head_commit);
    expect(repo("ls-tree", "-r", "--name-only", after.branch_name)).toBe("hi.txt\nnew.txt");
  });

  test("nothing of it runs when the turn is over", async () => {
    const session = await engine.start(await engine.register(folder.path), { base_commit: base });
    const mark = `9${session.id.replace(/\D/gu, "")}${process.pid}`;
    const after = await engine.work(session, `setsid sleep ${mark} >/dev/null 2>&1 & echo $! > started`);
    expect(after).toMatchObject({ agent_status: "idle", sandbox_id: expect.any(String) as string });
    expect(spawnSync("pgrep", ["-f", `sleep ${mark}`]).status).toBe(1);
  });

  test("a message with a line #! runs as what it names", async () => {
    const session = await engine.start(await engine.register(folder.path), { base_commit: base });
    const after = await engine.work(
      session,
      "#!/usr/bin/perl\nprint STDOUT 6 * 7, qq(\\n); print STDERR qq(err\\n); open my $f, '>', 'perl.txt';",
    );
    expect(after.agent_status).toBe("idle");
    const command = (await engine.events(session)).find((event) => event.type === "agent_run_repository_command");
    expect(command?.payload.output?.split("\n").sort()).toEqual(["", "42", "err"]);
    expect(gitIn(`${engine.data}/sessions/${session.id}/repo.git`)("log", "-1", "--format=%s", after.branch_name)).toMatch(
      /^print STDOUT 6/u,
    );
  });
});
