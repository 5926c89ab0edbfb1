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

test("run brings what a canceled turn had committed, and says what it had not", async () => {
  const running = here("run", "echo c > c; git add c; git commit -qm c; echo d > d; echo made; sleep 30");
  const made = async () => (await here("events", "--json")).stdout;
  await expect.poll(made, { timeout: 15_000 }).toContain('"output":"made\\n"');
  expect((await here("session", "cancel")).code).toBe(0);
  const { code, stderr } = await running;
  expect(code).toBe(1);
  expect(stderr).toMatch(/^1 commit \(\w+\) onto main at /mu);
  expect(stderr).toContain("\n1 file is not committed in the sandbox: ferry pull --uncommitted\n");
  expect(git("log", "-1", "--format=%s")).toBe("c");
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
  git("commit", "-q", "--allow-empty", "-m", "mine");
  expect((await here("pull", "--undo")).stderr).toBe("ferry: no pull of this session to this branch is left to undo\n");
  expect(await here("session", "close", "--quiet")).toEqual({ code: 0, stdout: "", stderr: "" });
  const merged = await here("session", "wait", session, "--for", "merged", "--timeout", "1s");
  expect(merged).toMatchObject({
    code: 8,
    stderr: expect.stringMatching(/is not merged yet\n  hint: how it stands: ferry session view/u) as string,
  });
});

const onAnother = "git switch -q -c other; echo o > o; git add o; git commit -qm other";
const onRewrittenBase = "git commit -q --amend -m better; echo o > o; git add o; git commit -qm o";

test.each([
  [
    "off the branch",
    onAnother,
    /^1 commit in the sandbox can't come home: the agent works on other; only commits on \S+ come home$/u,
  ],
  [
    "on a rewritten base",
    onRewrittenBase,
    /^2 commits in the sandbox can't come home: the branch \S+ no longer holds the commit/u,
  ],
])("commits %s: run, pull, diff and patch say so, exit 3; the files come by pull --uncommitted", async (_, script, left) => {
  const base = git("rev-parse", "HEAD").slice(0, 12);
  const ran = await here("run", script);
  const told = ran.stderr.split("\n").find((line) => line.startsWith("ferry: ")) ?? "";
  expect({ code: ran.code, told: told.slice("ferry: ".length) }).toEqual({
    code: 3,
    told: expect.stringMatching(left) as string,
  });
  expect(ran.stderr).toMatch(
    new RegExp(`ferry say --session \\S+ "put your commits on the branch \\S+, on top of ${base}"`, "u"),
  );
  for (const verb of ["pull", "diff", "patch"]) {
    const { code, stderr } = await here(verb);
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining(told) as string });
    expect(stderr.match(/can't come home/gu)).toHaveLength(1);
  }
  const { code, stdout } = await here("pull", "--json");
  const notice = expect.stringMatching(left) as string;
  expect({ code, verdict: JSON.parse(stdout) as unknown }).toMatchObject({
    code: 3,
    verdict: { left_behind: notice, notices: [notice] },
  });
  expect(await here("pull", "--uncommitted")).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^1 file not committed there; /u) as string,
  });
  expect(git("status", "--porcelain")).toBe("?? o");
  const refused = await here("session", "close");
  expect(refused).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/^ferry: .*, and would go with it\n.* with --yes\n$/su) as string,
  });
  expect((await here("session", "view", "--jq", ".status")).stdout).toBe("active\n");
  expect(await here("session", "close", "--yes")).toMatchObject({ code: 0 });
});

test("a look at an older commit leaves nothing behind, and commits that the agent put on its branch after all come", async () => {
  expect(await here("run", "git commit -q --allow-empty -m one; git checkout -q --detach HEAD~1")).toMatchObject({ code: 0 });
  expect((await here("run", onAnother)).code).toBe(3);
  await here("message", "send", "-", "--wait", "git switch -q -; git merge -q other");
  expect(await here("pull")).toMatchObject({ code: 0, stderr: expect.stringMatching(/^1 commit /u) as string });
});

test("changes that can't be committed, since another branch is checked out: that isn't nothing new", async () => {
  const said = /^ferry: what was changed there is not committed: the workspace is not on the session's branch$/mu;
  const ran = await here("run", "git switch -q -c other; echo o > o");
  expect(ran).toMatchObject({ code: 3, stderr: expect.stringMatching(said) as string });
  expect(await here("pull")).toMatchObject({ code: 3, stderr: expect.stringMatching(said) as string });
  expect(await here("pull", "--uncommitted")).toMatchObject({ code: 0 });
  expect(git("status", "--porcelain")).toBe("?? o");
});

test("watch and the hooks say what is left behind", async () => {
  expect((await here("run", onAnother)).code).toBe(3);
  const hook = await here("hook", "run", "post-merge");
  expect(hook).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^ferry: 1 commit in the sandbox .*: ferry pull$/mu) as string,
  });
  await here("session", "close", "--yes");
  const watched = await here("pull", "--watch");
  expect(watched).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/^note: 1 commit in the sandbox can't come home/mu) as string,
  });
});
