import { readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { makeBinary } from "../support/binary.ts";
import type { Binary } from "../support/binary.ts";
import { makeProject, makeWorkingCopy } from "./workingCopy.ts";
import type { WorkingCopy } from "./workingCopy.ts";

let binary: Binary;

beforeAll(() => {
  binary = makeBinary(join(inject("packed").folder, "bin/ferry.js"));
});

afterAll(() => binary.dispose());

describe("the main job", () => {
  let project: WorkingCopy;
  let base: string;
  let session: string;

  beforeAll(async () => {
    project = await makeProject(binary, "main-job");
    base = await project.git("rev-parse", "HEAD");
  });

  test("shows the timeline and says what came", async () => {
    const result = await run(project, "echo hi > hi.txt; echo spoken");
    expect(result.stdout).toContain("spoken");
    expect(result.stdout).toContain("hi.txt");
    expect(result.stdout + result.stderr).toContain("1 commit");
  });

  test("leaves one commit, by the agent, that names its session", async () => {
    expect(await project.git("rev-list", "--count", `${base}..HEAD`)).toBe("1");
    const [names = "", message = ""] = (await project.git("log", "-1", "--format=%an <%ae>|%cn <%ce>%x00%B")).split("\0");
    expect(names).toBe("shell <shell@ferry.local>|shell <shell@ferry.local>");
    expect(message).toMatch(/^\S[^\n]*\n[^]*\nFerry-Session: ses_[0-9a-z]{16}\n?$/);
    session = /Ferry-Session: (\S+)/.exec(message)?.[1] ?? "";
  });

  test("with the bytes and the mode that the script made", async () => {
    expect(await readFile(join(project.path, "hi.txt"), "utf8")).toBe("hi\n");
    expect(await project.git("diff", "--raw", "--no-abbrev", base, "HEAD")).toMatch(/^:000000 100644 .* A\thi\.txt$/);
  });

  test("under the id that the sandbox gave it, on its base", async () => {
    const { stdout } = await ferry(project, "session", "view", session, "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      id: session,
      head_commit: await project.git("rev-parse", "HEAD"),
      base_commit: base,
    });
  });

  test("and the working copy as it was otherwise", () => expectTidy(project));

  test("a second pull brings nothing", async () => {
    const before = await project.git("rev-parse", "HEAD");
    const { stdout, stderr } = await ferry(project, "pull");
    expect(stdout + stderr).toContain("nothing new");
    expect(await project.git("rev-parse", "HEAD")).toBe(before);
  });

  test("a second turn of the same session comes on top", async () => {
    await ferry(project, "say", "echo more >> hi.txt");
    await ferry(project, "session", "wait");
    await ferry(project, "pull");
    expect(await project.git("rev-list", "--count", `${base}..HEAD`)).toBe("2");
    expect(await readFile(join(project.path, "hi.txt"), "utf8")).toBe("hi\nmore\n");
  });

  test("nothing runs then but the service, and when that is stopped, nothing", async () => {
    const { stdout } = await ferry(project, "service", "status", "--json");
    expect(binary.processes()).toEqual([(JSON.parse(stdout) as { pid: number }).pid]);
    await ferry(project, "service", "stop");
    expect(binary.processes()).toEqual([]);
  });
});

describe("bytes arrive as they left", () => {
  let project: WorkingCopy;

  beforeAll(async () => {
    project = await makeProject(binary, "bytes");
    await project.write("tool", "#!/bin/sh\necho tool\n");
    await project.commitAll("A tool that can't be run");
    await run(
      project,
      String.raw`
printf 'a\000b\377c' > binary
printf 'one\r\ntwo\r\n' > crlf.txt
printf 'caf\351\n' > latin1.txt
printf 'no newline' > 'ein Name mit ü.txt'
: > empty
git mv 'old name.txt' 'new name.txt'
chmod +x tool
ln -s 'new name.txt' link`,
    );
  });

  const files: Readonly<Record<string, Buffer>> = {
    binary: Buffer.from([0x61, 0, 0x62, 0xff, 0x63]),
    "crlf.txt": Buffer.from("one\r\ntwo\r\n"),
    "latin1.txt": Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]),
    "ein Name mit ü.txt": Buffer.from("no newline"),
    empty: Buffer.alloc(0),
  };

  test.each(Object.entries(files))("%s", async (path, bytes) => {
    expect(await readFile(join(project.path, path))).toEqual(bytes);
  });

  test("rename, mode and symbolic link", async () => {
    const changes = await project.git("diff", "--raw", "-M", "--abbrev=7", "HEAD^", "HEAD");
    expect(changes).toMatch(/^:100644 100644 (\S+) \1 R100\told name\.txt\tnew name\.txt$/m);
    expect(changes).toMatch(/^:100644 100755 (\S+) \1 M\ttool$/m);
    expect(changes).toMatch(/^:000000 120000 \S+ \S+ A\tlink$/m);
    expect(await readlink(join(project.path, "link"))).toBe("new name.txt");
  });

  test("and nothing else changed", () => expectTidy(project));
});

describe("wherever the user stands", () => {
  test("a detached HEAD moves and stays detached", async () => {
    const project = await makeProject(binary, "detached");
    const main = await project.git("rev-parse", "main");
    await project.git("checkout", "--quiet", "--detach");
    await run(project, "echo hi > hi.txt");
    expect(await project.git("rev-parse", "HEAD^")).toBe(main);
    expect(await project.git("rev-parse", "main")).toBe(main);
    await expect(project.git("symbolic-ref", "--quiet", "HEAD")).rejects.toThrow();
    await expectTidy(project);
  });

  test("an unborn branch is born", async () => {
    const project = await makeWorkingCopy(binary, "unborn");
    await run(project, "echo hi > hi.txt");
    expect(await project.git("rev-list", "--count", "main")).toBe("1");
    expect(await readFile(join(project.path, "hi.txt"), "utf8")).toBe("hi\n");
    await expectTidy(project);
  });

  test("commits that no remote has are the sandbox's base, too", async () => {
    const upstream = await makeProject(binary, "upstream");
    const project = await makeWorkingCopy(binary, "unpushed");
    await project.git("pull", "--quiet", upstream.path, "main");
    await project.git("remote", "add", "origin", "https://git.invalid/team/project.git");
    await project.write("local.txt", "not pushed\n");
    await project.commitAll("Not pushed");
    await run(project, "cat local.txt > copy.txt");
    expect(await readFile(join(project.path, "copy.txt"), "utf8")).toBe("not pushed\n");
    await expectTidy(project);
  });

  test("local work that the commits don't touch stays, and is told", async () => {
    const project = await makeProject(binary, "dirty");
    await project.write("README.md", "# Changed here\n");
    await project.write("untracked.txt", "mine\n");
    const status = await project.git("status", "--porcelain");
    const { stderr } = await run(project, "echo hi > hi.txt");
    expect(stderr).toContain("2 files");
    expect(await project.git("status", "--porcelain")).toBe(status);
    expect(await readFile(join(project.path, "README.md"), "utf8")).toBe("# Changed here\n");
    expect(await project.git("rev-list", "--count", "HEAD")).toBe("2");
  });

  test("local work in the way stops the pull and nothing changes", async () => {
    const project = await makeProject(binary, "in-the-way");
    const head = await project.git("rev-parse", "HEAD");
    await project.write("README.md", "# Changed here\n");
    const result = await binary.run(["run", "--host", "local", "--model", "shell", "echo there > README.md"], {
      cwd: project.path,
    });
    expect(result.code).toBe(3);
    expect(result.stderr).toContain("README.md");
    expect(await project.git("rev-parse", "HEAD")).toBe(head);
    expect(await readFile(join(project.path, "README.md"), "utf8")).toBe("# Changed here\n");
  });
});

test("a turn that changes nothing brings nothing and is no error", async () => {
  const project = await makeProject(binary, "nothing");
  const head = await project.git("rev-parse", "HEAD");
  await run(project, "true");
  expect(await project.git("rev-parse", "HEAD")).toBe(head);
});

test("a script that fails is exit 1, and its commit comes all the same", async () => {
  const project = await makeProject(binary, "failing");
  const result = await binary.run(["run", "--host", "local", "--model", "shell", "echo hi > hi.txt; exit 7"], {
    cwd: project.path,
  });
  expect(result.code).toBe(1);
  expect(result.stdout + result.stderr).toContain("7");
  expect(await project.git("rev-list", "--count", "HEAD")).toBe("2");
});

test("for scripts: session, events and result as lines of JSON", async () => {
  const project = await makeProject(binary, "json");
  const { stdout } = await run(project, "echo hi > hi.txt", "--json");
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string });
  expect(lines[0]).toMatchObject({ type: "session", session: { model: "shell", status: "active" } });
  expect(lines.map(({ type }) => type)).toEqual(expect.arrayContaining(["user_message", "agent_file_create"]));
  expect(lines.at(-1)).toMatchObject({
    type: "result",
    result: { host: "local", outcome: "idle", exit: 0, pull: { applied: true, tip: await project.git("rev-parse", "HEAD") } },
  });
});

/** `ferry run` with the agent `shell`, which must succeed. */
function run(project: WorkingCopy, script: string, ...flags: readonly string[]): ReturnType<typeof ferry> {
  return ferry(project, "run", "--host", "local", "--model", "shell", ...flags, script);
}

/** ferry in the project; anything but exit 0 fails the test with what it said. */
async function ferry(project: WorkingCopy, ...args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const { code, stdout, stderr } = await binary.run(args, { cwd: project.path });
  expect(code, `ferry ${args.join(" ")}\n${stdout}${stderr}`).toBe(0);
  return { stdout, stderr };
}

/** A clean status, no other worktree, no open operation, sound objects. */
async function expectTidy(project: WorkingCopy): Promise<void> {
  expect(await project.git("status", "--porcelain")).toBe("");
  expect((await project.git("worktree", "list")).split("\n")).toHaveLength(1);
  expect(await project.git("stash", "list")).toBe("");
  expect(await project.git("fsck", "--strict", "--no-dangling")).toBe("");
}
