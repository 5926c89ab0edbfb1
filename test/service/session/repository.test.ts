import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ParsedBodyOf } from "../../../src/wire/contract.ts";
import type { Repository, Session } from "../../../src/wire/resources.ts";
import { makeTestEngine, type TestEngine } from "../../support/engine.ts";
import { commitFiles, gitIn, makeFolder, makeRepository, type TestGit, writeFile } from "../../support/git.ts";

let engine: TestEngine;
let folder: ReturnType<typeof makeFolder>;

beforeAll(async () => {
  folder = makeFolder();
  engine = await makeTestEngine();
});

afterAll(async () => {
  await engine.close();
  folder.remove();
});

const place = (name: string) => join(folder.path, name);
const repoOf = ({ id }: Session) => gitIn(join(engine.data, "sessions", id, "repo.git"));

/** A session at a commit of a local repository that works once; what its series has then. */
async function workAt(path: string, base_commit: string): Promise<{ session: Session; series: TestGit }> {
  const repository = await engine.register(path);
  const session = await engine.start(repository, { base_commit });
  const after = await engine.work(session, "echo new > new.txt; git log --oneline | wc -l");
  return { session: after, series: repoOf(after) };
}

describe("a session at a commit of a local repository", () => {
  test("that no remote and no branch has", async () => {
    const git = makeRepository(place("detached"));
    commitFiles(git, { a: "1" });
    git("checkout", "--quiet", "--detach");
    const base = commitFiles(git, { a: "2" });
    git("checkout", "--quiet", "main");
    const { session, series } = await workAt(place("detached/.git"), base);
    expect(series("rev-list", "--count", `${base}..${session.branch_name}`)).toBe("1");
    expect(series("rev-parse", `${session.branch_name}^`)).toBe(base);
  });

  test("in a shallow clone", async () => {
    const origin = makeRepository(place("deep"));
    for (const text of ["1", "2", "3"]) commitFiles(origin, { a: text });
    gitIn(folder.path)("clone", "--quiet", "--depth=1", `file://${place("deep")}`, "shallow");
    const base = gitIn(place("shallow"))("rev-parse", "HEAD");
    const { session, series } = await workAt(place("shallow"), base);
    expect(series("rev-list", "--count", session.branch_name)).toBe("2");
  });

  test("in a linked worktree, and of SHA-256", async () => {
    const git = makeRepository(place("sha256"), ["--object-format=sha256"]);
    commitFiles(git, { a: "1" });
    git("worktree", "add", "--quiet", "-b", "side", place("linked"));
    const base = commitFiles(gitIn(place("linked")), { a: "2" });
    const { session, series } = await workAt(place("linked"), base);
    expect(session.head_commit).toHaveLength(64);
    expect(series("rev-parse", `${session.branch_name}^`)).toBe(base);
    const manifest = await engine.sessions.manifest(session.id, { after: "", until: "", cursor: "" });
    expect(manifest).toMatchObject({ object_format: "sha256", base_commit: base, head_commit: session.head_commit });
  });

  test("on a branch without a commit", async () => {
    makeRepository(place("unborn"));
    const { session, series } = await workAt(place("unborn"), "");
    expect(session.base_commit).toBe("");
    expect(series("log", "--format=%an %s", session.branch_name)).toBe("shell echo new > new.txt; git log --oneline | wc -l");
    const { items, base_commit } = await engine.sessions.manifest(session.id, { after: "", until: "", cursor: "" });
    expect({ base_commit, parents: items.map((item) => item.parents) }).toEqual({ base_commit: "", parents: [[]] });
  });

  test("brings neither hooks nor configuration of the user's repository along", async () => {
    const git = makeRepository(place("hooked"));
    const base = commitFiles(git, { a: "1" });
    writeFile(git, ".git/hooks/post-checkout", "#!/bin/sh\ntouch /tmp/never\n");
    git("config", "user.name", "Somebody");
    const { session } = await workAt(place("hooked/.git"), base);
    await engine.work(
      session,
      "ls .git/hooks 2>/dev/null; git config user.name; git remote; git config --get-regexp 'remote.*'; true",
    );
    const outputs = (await engine.events(session)).flatMap((event) =>
      event.type === "agent_run_repository_command" ? [event.payload.output] : [],
    );
    expect(outputs.at(-1)).toBe("");
  });
});

describe("a session at the head of a branch", () => {
  let repository: Repository;
  let origin: TestGit;

  beforeAll(async () => {
    origin = makeRepository(place("origin"));
    commitFiles(origin, { a: "1" }, "main");
    origin("checkout", "--quiet", "-b", "secret");
    commitFiles(origin, { hidden: "1" }, "secret");
    origin("checkout", "--quiet", "main");
    repository = await engine.register(`file://${place("origin")}`);
  });

  const start = (change: Partial<ParsedBodyOf<"createSession">>) => engine.start(repository, change);

  test("takes the default branch as its origin has it now", async () => {
    const first = await start({});
    expect(first).toMatchObject({ base_branch: "main", base_commit: origin("rev-parse", "main") });
    const newer = commitFiles(origin, { a: "2" });
    expect(await start({})).toMatchObject({ base_commit: newer });
  });

  test("takes another branch, and a commit by its id", async () => {
    const secret = origin("rev-parse", "secret");
    expect(await start({ base_branch: "secret" })).toMatchObject({ base_branch: "secret", base_commit: secret });
    expect(await start({ base_commit: secret })).toMatchObject({ base_commit: secret });
  });

  test("sees nothing of other branches in its sandbox", async () => {
    const session = await start({});
    await engine.work(
      session,
      "git branch --all; git cat-file -e " + origin("rev-parse", "secret") + " 2>&1 && echo LEAK || echo gone",
    );
    const [event] = (await engine.events(session)).filter(({ type }) => type === "agent_run_repository_command");
    expect(event?.payload).toMatchObject({
      output: expect.stringMatching(/^\* ferry\/\S+\ngone\n$/u) as string,
    });
  });

  test("two at once get the same mirror", async () => {
    const fresh = await engine.register(place("origin/.git"));
    const sessions = await Promise.all([1, 2, 3].map(() => engine.start(fresh)));
    expect(new Set(sessions.map((session) => session.base_commit)).size).toBe(1);
    expect(existsSync(join(engine.data, "mirrors", `${fresh.id}.git`))).toBe(true);
  });
});

describe("refused, with nothing left behind", () => {
  const refusals: [string, Partial<ParsedBodyOf<"createSession">>, { status: number; code: string }][] = [
    ["an unknown commit", { base_commit: "0123456789abcdef0123456789abcdef01234567" }, { status: 422, code: "unknown_commit" }],
    ["an unknown branch", { base_branch: "none" }, { status: 422, code: "unknown_branch" }],
    ["an unknown repository", { repository_id: "rep_none" }, { status: 422, code: "unknown_repository" }],
    ["several repositories, none named", { repository_id: undefined }, { status: 422, code: "repository_required" }],
    ["an unknown agent", { model: "none:x" }, { status: 422, code: "unknown_model" }],
    ["a branch name that git doesn't take", { branch_name: "a..b" }, { status: 400, code: "invalid_branch_name" }],
    ["a branch name that is locked", { branch_name: "a.lock" }, { status: 400, code: "invalid_branch_name" }],
  ];
  test.each(refusals)("%s", async (_name, request, problem) => {
    const git = makeRepository(place(`refused-${problem.code}-${request.branch_name ?? ""}`));
    commitFiles(git, { a: "1" });
    const repository = await engine.register(git.folder);
    const before = readdirSync(join(engine.data, "sessions")).sort();
    await expect(engine.start(repository, request)).rejects.toMatchObject(problem);
    expect(readdirSync(join(engine.data, "sessions")).sort()).toEqual(before);
  });

  test("a place that is no repository, or not there", async () => {
    const none = await engine.register(place("not-there"));
    await expect(engine.start(none)).rejects.toMatchObject({ status: 422, code: "repository_unreachable" });
    await expect(engine.start(none, { base_commit: "" })).rejects.toMatchObject({ status: 422, code: "repository_unreachable" });
    const nested = makeRepository(place("outer"));
    writeFile(nested, "inner/file", "x");
    const inner = await engine.register(place("outer/inner"));
    await expect(engine.start(inner, { base_commit: "" })).rejects.toMatchObject({ status: 422, code: "repository_unreachable" });
  });

  test("a disabled repository", async () => {
    makeRepository(place("disabled"));
    const repository = await engine.register(place("disabled"), { enabled: false });
    await expect(engine.start(repository)).rejects.toMatchObject({ status: 409, code: "repository_disabled" });
  });
});

test("another branch name and model: the next message works there, and the commits stay", async () => {
  const git = makeRepository(place("renamed"));
  const base = commitFiles(git, { a: "1" });
  const session = await engine.start(await engine.register(git.folder), { base_commit: base, branch_name: "work" });
  const first = await engine.work(session, "echo 1 > one");
  const edited = await engine.sessions.update(session.id, { branch_name: "work/deeper", auto_commit: false });
  expect(edited).toMatchObject({ branch_name: "work/deeper", auto_commit: false, head_commit: first.head_commit });
  const second = await engine.work(edited, "cat one; echo 2 > two; git add two; git commit -qm two; git branch --show-current");
  expect(repoOf(second)("log", "--format=%s", `${base}..work/deeper`)).toBe("two\necho 1 > one");
  await expect(engine.sessions.update(session.id, { branch_name: "a..b" })).rejects.toMatchObject({ status: 400 });
  await expect(engine.sessions.update(session.id, { model: "none" })).rejects.toMatchObject({ status: 422 });
});
