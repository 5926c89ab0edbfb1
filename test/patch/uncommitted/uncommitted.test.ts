import { chmodSync, existsSync, readFileSync, rmSync, symlinkSync, unlinkSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { commitFiles, makeRepository, writeFile } from "../../support/git.ts";
import { pullInto } from "../../support/pulling.ts";
import { makeScene, pullRefused, removeScenes } from "../../support/scene.ts";
import { makeUncommitted, sandboxSource } from "../../support/series.ts";
import { filesBelow, stateOf } from "../../support/state.ts";
import { expectSame, pullAll, undoIn } from "../../support/uncommitted.ts";

afterAll(removeScenes);

describe("what isn't committed in the sandbox", () => {
  it("comes as unstaged changes, of every kind, and nothing of it twice", async () => {
    const scene = makeScene();
    const { local, sandbox, base } = scene;
    writeFile(sandbox, "a", "1\nzwei\r\n3");
    writeFile(sandbox, "new/deep", Buffer.from([0, 1, 255]));
    unlinkSync(`${sandbox.folder}/c`);
    rmSync(`${sandbox.folder}/dir`, { recursive: true });
    writeFile(sandbox, "dir", "a file now\n");
    symlinkSync("a", `${sandbox.folder}/link`);
    chmodSync(`${sandbox.folder}/b`, 0o755);
    writeFile(sandbox, 'ö "q\t', "odd\n");
    const verdict = await pullAll(scene);
    expect(verdict).toMatchObject({
      applied: true,
      base,
      tip: base,
      commits: [],
      engine: "none",
      uncommitted: { files: 8, written: 8, left: [] },
    });
    expectSame(scene);
    expect(local("rev-parse", "HEAD")).toBe(base);
    const before = stateOf(local.folder);
    expect(await pullAll(scene)).toMatchObject({ applied: false, uncommitted: { files: 8, written: 0 } });
    expect(stateOf(local.folder)).toEqual(before);
  });

  it("comes together with the commits, at once", async () => {
    const scene = makeScene();
    const tip = commitFiles(scene.sandbox, { a: "committed\n", n: "n\n" });
    writeFile(scene.sandbox, "a", "and more\n");
    writeFile(scene.sandbox, "u", "u\n");
    expect(await pullAll(scene)).toMatchObject({
      applied: true,
      tip,
      exactness: "exact",
      commits: [{}],
      uncommitted: { written: 2 },
    });
    expectSame(scene);
    expect(scene.local("status", "--porcelain")).toBe(" M a\n?? u");
  });

  it("isn't asked for by a plain pull, and a dry run writes nothing", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" });
    writeFile(scene.sandbox, "u", "u\n");
    const before = stateOf(scene.local.folder);
    expect(await pullAll(scene, { dryRun: true })).toMatchObject({ applied: false, uncommitted: { files: 1, written: 1 } });
    expect(stateOf(scene.local.folder)).toEqual(before);
    expect(await pullInto(scene.local.folder, scene.source)).not.toHaveProperty("uncommitted");
    expect(scene.source.calls.filter((call) => call === "uncommitted")).toHaveLength(1);
    expect(existsSync(`${scene.local.folder}/u`)).toBe(false);
  });

  it("on an unborn branch, with and without a commit", async () => {
    const { sandbox } = makeScene({ init: [] });
    rmSync(`${sandbox.folder}/.git`, { recursive: true });
    makeRepository(sandbox.folder);
    const source = sandboxSource({ folder: sandbox.folder, branch: "HEAD", base: "" });
    const empty = { ...source, manifest: async () => ({ ...emptyManifest, repository_id: "rep_1" }) };
    const local = makeRepository(`${sandbox.folder}-unborn`);
    expect(await pullAll({ local, source: empty })).toMatchObject({
      applied: true,
      base: "",
      tip: "",
      uncommitted: { written: 4 },
    });
    expectSame({ local, sandbox });
    expect(local("status", "--porcelain")).toBe("?? a\n?? b\n?? c\n?? dir/");
    expect(await undoIn({ local })).toEqual({ from: "", to: "", files: 4 });
    expect(filesBelow(local.folder)).toEqual([]);
    await pullAll({ local, source: empty });
    const tip = commitFiles(sandbox, { a: "1\n2\n3\n" }, "all");
    expect(await pullAll({ local, source })).toMatchObject({ applied: true, tip, uncommitted: { files: 0, written: 0 } });
    expect(local("status", "--porcelain")).toBe("");
  });

  it("in a repository of SHA-256 objects", async () => {
    const scene = makeScene({ init: ["--object-format=sha256"] });
    commitFiles(scene.sandbox, { a: "x\n" });
    writeFile(scene.sandbox, "u", "u\n");
    await pullAll(scene);
    expectSame(scene);
  });

  it("can't come to a branch that isn't checked out", async () => {
    const scene = makeScene();
    await expect(pullAll(scene, { branch: "aside" })).rejects.toMatchObject({ kind: "usage" });
  });

  it("of a commit that isn't here is refused", async () => {
    const scene = makeScene();
    const local = makeRepository(`${scene.local.folder}-other`);
    commitFiles(local, { z: "z\n" });
    writeFile(scene.sandbox, "u", "u\n");
    expect(await pullRefused({ local, source: scene.source }, { uncommitted: true })).toMatchObject({ code: "unrelated" });
  });
});

const emptyManifest = {
  repository_id: "rep_1",
  object_format: "sha1",
  base_commit: "",
  head_commit: "",
  mailable: true,
  reason: "",
  items: [],
  next_cursor: "",
};

describe("the next time only the difference comes", () => {
  it("a file more, a file back, a file changed again", async () => {
    const scene = makeScene();
    writeFile(scene.sandbox, "a", "first\n");
    writeFile(scene.sandbox, "b", "first\n");
    writeFile(scene.sandbox, "u", "first\n");
    await pullAll(scene);
    const times = (path: string) => readFileSync(`${scene.local.folder}/${path}`, "utf8");
    writeFile(scene.sandbox, "a", "second\n");
    writeFile(scene.sandbox, "b", "b\n");
    writeFile(scene.sandbox, "v", "second\n");
    expect(await pullAll(scene)).toMatchObject({ applied: true, uncommitted: { files: 3, written: 3 } });
    expectSame(scene);
    expect(times("a")).toBe("second\n");
    expect(scene.local("status", "--porcelain")).toBe(" M a\n?? u\n?? v");
  });

  it("the sandbox committed it meanwhile: the commit comes, and nothing is written", async () => {
    for (const uncommitted of [true, false]) {
      const scene = makeScene();
      writeFile(scene.sandbox, "a", "dirt\n");
      writeFile(scene.sandbox, "u", "u\n");
      unlinkSync(`${scene.sandbox.folder}/c`);
      await pullAll(scene);
      const tip = commitFiles(scene.sandbox, {}, "all of it");
      expect(await pullAll(scene, { uncommitted })).toMatchObject({ applied: true, tip, commits: [{}] });
      expectSame(scene);
      expect(scene.local("status", "--porcelain")).toBe("");
      expect(scene.local("for-each-ref", "--format=%(refname)", "refs/ferry").replaceAll(/[0-9a-f]{20}/gu, "x")).toBe(
        "refs/ferry/x/applied/x\nrefs/ferry/x/remote\nrefs/ferry/x/undo/x",
      );
    }
  });

  it("the sandbox went on and committed: a plain pull replaces what came by what it became, and keeps the rest", async () => {
    const scene = makeScene();
    writeFile(scene.sandbox, "a", "first\n");
    writeFile(scene.sandbox, "u", "first\n");
    writeFile(scene.sandbox, "b", "stays\n");
    await pullAll(scene);
    writeFile(scene.sandbox, "a", "second\n");
    writeFile(scene.sandbox, "u", "second\n");
    scene.sandbox("add", "a", "u");
    scene.sandbox("commit", "--quiet", "-m", "some");
    expect(await pullInto(scene.local.folder, scene.source)).toMatchObject({ applied: true, commits: [{}] });
    expectSame(scene);
    expect(scene.local("status", "--porcelain")).toBe(" M b");
    writeFile(scene.sandbox, "b", "b\n");
    expect(await pullAll(scene)).toMatchObject({ uncommitted: { files: 0, written: 1 } });
    expectSame(scene);
  });

  it("what was edited here since, and not there, stays, and is told", async () => {
    const scene = makeScene();
    writeFile(scene.sandbox, "a", "theirs\n");
    writeFile(scene.sandbox, "u", "theirs\n");
    await pullAll(scene);
    writeFile(scene.local, "a", "mine\n");
    writeFile(scene.sandbox, "v", "v\n");
    expect(await pullAll(scene)).toMatchObject({
      applied: true,
      uncommitted: { written: 1, left: ["a"] },
      notices: ["a stays as it was edited here"],
    });
    expect(readFileSync(`${scene.local.folder}/a`, "utf8")).toBe("mine\n");
    writeFile(scene.sandbox, "a", "theirs again\n");
    expect(await pullRefused(scene, { uncommitted: true })).toMatchObject({ verdict: { blocked_by: ["a"] } });
  });

  it("what was taken back here comes again", async () => {
    const scene = makeScene();
    writeFile(scene.sandbox, "a", "theirs\n");
    writeFile(scene.sandbox, "u", "theirs\n");
    await pullAll(scene);
    scene.local("checkout", "--quiet", "--", "a");
    unlinkSync(`${scene.local.folder}/u`);
    expect(await pullAll(scene)).toMatchObject({ applied: true, uncommitted: { written: 2 } });
    expectSame(scene);
  });

  it("after the user committed it: nothing is to be done", async () => {
    const scene = makeScene();
    writeFile(scene.sandbox, "a", "theirs\n");
    writeFile(scene.sandbox, "u", "theirs\n");
    await pullAll(scene);
    const mine = commitFiles(scene.local, {}, "mine");
    expect(await pullAll(scene)).toMatchObject({ applied: false, tip: mine, uncommitted: { files: 2, written: 0 } });
    expect(scene.local("status", "--porcelain")).toBe("");
  });
});

describe("on a branch that moved on", () => {
  it("it is merged with what is here", async () => {
    const scene = makeScene({ files: { a: "1\n2\n3\n4\n5\n6\n7\n", b: "b\n" } });
    commitFiles(scene.sandbox, { n: "n\n" });
    writeFile(scene.sandbox, "a", "1\n2\n3\n4\n5\n6\nsieben\n");
    commitFiles(scene.local, { a: "eins\n2\n3\n4\n5\n6\n7\n" }, "mine");
    expect(await pullAll(scene)).toMatchObject({ applied: true, exactness: "rebuilt", uncommitted: { written: 1 } });
    expect(readFileSync(`${scene.local.folder}/a`, "utf8")).toBe("eins\n2\n3\n4\n5\n6\nsieben\n");
    expect(scene.local("status", "--porcelain")).toBe(" M a");
    expect(await pullAll(scene)).toMatchObject({ applied: false, uncommitted: { written: 0 } });
  });

  it("a conflict refuses all of it, the commits too", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { n: "n\n" });
    writeFile(scene.sandbox, "a", "theirs\n");
    commitFiles(scene.local, { a: "mine\n" }, "mine");
    expect(await pullRefused(scene, { uncommitted: true })).toMatchObject({
      kind: "attention",
      code: "conflict",
      verdict: { conflicts: ["a"], applied: false },
    });
  });
});

it("a session that commits between two of our questions is asked again", async () => {
  const scene = makeScene();
  writeFile(scene.sandbox, "a", "dirt\n");
  let calls = 0;
  const source = {
    ...scene.source,
    uncommitted: async () => {
      if (++calls === 1) commitFiles(scene.sandbox, {}, "meanwhile");
      return makeUncommitted({ folder: scene.sandbox.folder, base: scene.base });
    },
  };
  expect(await pullAll({ local: scene.local, source })).toMatchObject({
    applied: true,
    commits: [{}],
    uncommitted: { files: 0 },
  });
  expectSame(scene);
});
