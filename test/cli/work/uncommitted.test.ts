import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { ferry } from "../../support/ferry.ts";
import { type TestGit } from "../../support/git.ts";
import { freshRepository, useLocalService } from "../../support/local.ts";

const world = useLocalService();
let git: TestGit;
beforeEach(() => {
  git = freshRepository(world, { a: "1\n" });
});

const here = (...argv: string[]) => ferry(world.next({ cwd: git.folder }), ...argv);

test("run says that something isn't committed, diff shows it, pull --uncommitted brings it, --undo takes it back", async () => {
  const ran = await here("run", "--no-auto-commit", "echo two > a; echo n > n");
  expect(ran.code).toBe(0);
  expect(ran.stderr).toContain("2 files are not committed in the sandbox: ferry pull --uncommitted\n");
  const shown = await here("diff", "--uncommitted");
  expect(shown.stdout).toContain("+two\n");
  expect((await here("diff")).stdout).toBe("");
  const { code, stderr } = await here("pull", "--uncommitted");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "2 files not committed there; undo with: ferry pull --undo\n" });
  expect(git("status", "--porcelain")).toBe(" M a\n?? n");
  const again = await here("pull", "--uncommitted", "--json");
  expect(JSON.parse(again.stdout)).toMatchObject({ applied: false, uncommitted: { files: 2, written: 0, left: [] } });
  expect(await here("pull", "--undo")).toMatchObject({
    code: 0,
    stderr: "back to what was here before (2 files); ferry pull --uncommitted brings it again\n",
  });
  expect({ a: readFileSync(join(git.folder, "a"), "utf8"), n: existsSync(join(git.folder, "n")) }).toEqual({
    a: "1\n",
    n: false,
  });
});

test("it comes together with the commits", async () => {
  await here("run", "--pull", "none", "--no-auto-commit", "echo two > a; git commit -qam two; echo three > a");
  const { code, stderr } = await here("pull", "--uncommitted");
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringMatching(/^1 commit \(\S+\) onto main at \S+, and 1 file not committed there; undo with/u) as string,
  });
  expect(git("status", "--porcelain")).toBe(" M a");
});

test("not with --branch: exit 2", async () => {
  await here("run", "--pull", "none", "--no-auto-commit", "echo two > a");
  expect((await here("pull", "--uncommitted", "--branch", "aside")).code).toBe(2);
});

test("a pull or diff with nothing new says what isn't committed; undo names another session's pull; close --quiet is quiet", async () => {
  const first = await here("run", "--json", "echo b > b");
  const session = (JSON.parse(first.stdout.split("\n")[0] ?? "") as { session: { id: string } }).session.id;
  await here("run", "--no-auto-commit", "echo n > n");
  for (const verb of ["pull", "diff"])
    expect((await here(verb)).stderr).toBe("nothing new\n1 file is not committed in the sandbox: ferry pull --uncommitted\n");
  expect((await here("pull", "--undo")).stderr).toContain(`another session: ferry pull --undo ${session}\n`);
  expect(await here("session", "close", "--quiet")).toEqual({ code: 0, stdout: "", stderr: "" });
  const merged = await here("session", "wait", session, "--for", "merged", "--timeout", "1s");
  expect(merged).toMatchObject({ code: 8, stderr: expect.stringContaining("the session is still open") as string });
});
