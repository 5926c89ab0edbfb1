import { afterEach, beforeEach, expect, test } from "vitest";
import type { Session } from "../../../src/wire/resources.ts";
import { makeTestEngine, type TestEngine } from "../../support/engine.ts";
import { commitFiles, gitBytes, gitIn, makeFolder, makeRepository, type TestGit } from "../../support/git.ts";

let engine: TestEngine;
let folder: ReturnType<typeof makeFolder>;
let git: TestGit;
let base: string;
beforeEach(async () => {
  folder = makeFolder();
  git = makeRepository(folder.path);
  base = commitFiles(git, { a: "1\n", gone: "g\n" }, "first");
  engine = await makeTestEngine();
});
afterEach(async () => {
  await engine.close();
  folder.remove();
});

const begin = async (change: { auto_commit?: boolean; base_commit?: string } = {}) =>
  engine.start(await engine.register(folder.path), { base_commit: base, auto_commit: false, ...change });

/** The tree that the patch makes of the base, by a git that had no part in it. */
function applied(session: Session, { base_commit, patch }: { base_commit: string; patch: string }): string {
  const repo = `${engine.data}/sessions/${session.id}/repo.git`;
  const env = { GIT_INDEX_FILE: `${folder.path}/index` };
  gitBytes(repo, ["read-tree", ...(base_commit === "" ? ["--empty"] : [base_commit])], { env });
  if (patch !== "") gitBytes(repo, ["apply", "--cached", "--binary"], { env, input: Buffer.from(patch, "base64") });
  return gitIn(repo, env)("write-tree");
}

test("what a turn left uncommitted: a patch on the newest commit that makes exactly its tree", async () => {
  const session = await begin();
  await engine.work(
    session,
    "echo two > a; rm gone; printf 'b\\0\\r\\n' > bin; ln -s a link; echo x > run; chmod +x run; printf no > 'ö \"q'",
  );
  const found = await engine.sessions.uncommitted(session.id);
  expect(found).toMatchObject({ base_commit: base, as_of: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/u) as string });
  expect(applied(session, found)).toBe(found.tree);
  const repo = gitIn(`${engine.data}/sessions/${session.id}/repo.git`, { GIT_CONFIG_COUNT: "0" });
  expect(repo("-c", "core.quotePath=false", "ls-tree", "-r", found.tree).replaceAll(/ blob \S+/gu, "")).toBe(
    ["100644\ta", "100644\tbin", "120000\tlink", "100755\trun", '100644\t"ö \\"q"'].join("\n"),
  );
});

test("none: the newest commit's own tree and no patch, before the first turn too", async () => {
  const session = await begin({ auto_commit: true });
  const tree = git("rev-parse", "HEAD^{tree}");
  expect(await engine.sessions.uncommitted(session.id)).toEqual({
    base_commit: base,
    tree,
    patch: "",
    as_of: session.created_at,
  });
  const { head_commit } = await engine.work(session, "echo two > a");
  expect(await engine.sessions.uncommitted(session.id)).toMatchObject({ base_commit: head_commit, patch: "" });
});

test("it is of the commit that the agent made meanwhile, and there when the sandbox is gone", async () => {
  const session = await begin();
  await engine.work(session, "echo two > a; echo n > n");
  const { head_commit } = await engine.work(session, "git add a; git commit -qm two");
  expect(head_commit).not.toBe(base);
  const found = await engine.sessions.uncommitted(session.id);
  expect(found.base_commit).toBe(head_commit);
  expect(Buffer.from(found.patch, "base64").toString()).toMatch(/^diff --git a\/n b\/n\nnew file/u);
  await engine.sessions.close(session.id, { outcome: "closed" }, engine.user);
  expect(await engine.sessions.uncommitted(session.id)).toEqual(found);
});

test("on an unborn branch all of it is uncommitted", async () => {
  const session = await begin({ base_commit: "" });
  await engine.work(session, "echo one > a");
  const found = await engine.sessions.uncommitted(session.id);
  expect(found.base_commit).toBe("");
  expect(applied(session, found)).toBe(found.tree);
});

test("an edit of the same length, in the very second of the index that has the file, is seen", async () => {
  const session = await begin();
  const then = "touch -d 2020-01-01T00:00:00Z";
  // Its times say nothing, as where all of it happened within one tick of the clock.
  await engine.work(
    session,
    `git config core.trustctime false; echo 2 > a; ${then} a; git commit -qam two; echo 3 > a; ${then} a .git/index`,
  );
  const found = await engine.sessions.uncommitted(session.id);
  expect(Buffer.from(found.patch, "base64").toString()).toMatch(/^-2\n\+3$/mu);
});

test("what could not be brought out of the sandbox is no answer", async () => {
  await engine.close();
  engine = await makeTestEngine({ limits: { bundle: 40_000 } });
  const session = await begin();
  await engine.work(session, "echo n > n");
  await engine.work(session, "git commit -qam x --allow-empty; head -c 100000 /dev/urandom > big");
  await expect(engine.sessions.uncommitted(session.id)).rejects.toMatchObject({ status: 409, code: "not_kept" });
});
