import { renameSync, symlinkSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { commitFiles, gitBytes, writeFile } from "../support/git.ts";
import { pullInto } from "../support/pulling.ts";
import { makeScene, pullExactly, pullRefused, removeScenes, type Scene } from "../support/scene.ts";
import { stateOf } from "../support/state.ts";

afterAll(removeScenes);

const numbers = Array.from({ length: 20 }, (_, at) => `${at}\n`);
/** `f` with some of its lines changed. */
const edited = (lines: Readonly<Record<number, string>>) =>
  numbers.map((line, at) => (lines[at] === undefined ? line : `${lines[at]}\n`)).join("");

/** Pulls onto a HEAD that moved on, and expects all commits of the series to be rebuilt there. */
async function pullRebuilt({ local, source }: Scene) {
  const head = local("rev-parse", "HEAD");
  const verdict = await pullInto(local.folder, source);
  expect(verdict).toMatchObject({ applied: true, base: head, exactness: "rebuilt", tip: local("rev-parse", "HEAD") });
  expect(local("merge-base", head, "HEAD")).toBe(head);
  expect(local("fsck", "--strict", "--no-dangling")).toBe("");
  return verdict;
}

describe("HEAD moved on", () => {
  it("the new commits are rebuilt on it: author and message as they were, the user commits", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" }, "one\n\nbody  \n---\nrest");
    commitFiles(scene.sandbox, { n: "n\n" }, "two");
    commitFiles(scene.local, { b: "mine\n" }, "mine");
    writeFile(scene.local, "c", "dirty\n");
    const verdict = await pullRebuilt(scene);
    expect(verdict.commits.map(({ applied_as }) => applied_as)).toEqual(
      scene.local("rev-list", "--reverse", "HEAD~2..HEAD").split("\n"),
    );
    const told = (git: typeof scene.local) =>
      gitBytes(git.folder, ["log", "-2", "--format=%an%ae%at%ai%B%x00"]).toString("latin1");
    expect(told(scene.local)).toBe(told(scene.sandbox));
    expect(scene.local("status", "--porcelain")).toBe(" M c");
    expect(await pullInto(scene.local.folder, scene.source)).toMatchObject({ applied: false });
  });

  it("only what is new comes after that", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" }, "one");
    commitFiles(scene.local, { b: "mine\n" }, "mine");
    await pullRebuilt(scene);
    commitFiles(scene.sandbox, { a: "y\n" }, "two");
    expect((await pullRebuilt(scene)).commits).toHaveLength(1);
    expect(scene.local("log", "--format=%s")).toBe("two\none\nmine\nbase");
  });

  it("also after the user amended, reordered, squashed or dropped what came", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" }, "one");
    commitFiles(scene.sandbox, { n: "n\n" }, "two");
    await pullExactly(scene);
    scene.local("commit", "--quiet", "--amend", "-m", "two, amended");
    commitFiles(scene.sandbox, { m: "m\n" }, "three");
    await pullRebuilt(scene);
    expect(scene.local("log", "--format=%s")).toBe("three\ntwo, amended\none\nbase");
    scene.local("reset", "--quiet", "--soft", "HEAD~3");
    scene.local("commit", "--quiet", "-m", "all in one");
    commitFiles(scene.sandbox, { m: "M\n" }, "four");
    await pullRebuilt(scene);
    expect(scene.local("log", "--format=%s")).toBe("four\nall in one\nbase");
  });

  it("in the same file, the context of the later patch changed too", async () => {
    const scene = makeScene({ files: { f: edited({}) } });
    commitFiles(scene.sandbox, { f: edited({ 5: "five" }) }, "p1");
    commitFiles(scene.sandbox, { f: edited({ 5: "five", 9: "nine" }) }, "p2");
    commitFiles(scene.local, { f: edited({ 7: "mine", 2: "mine too" }) }, "drift");
    await pullRebuilt(scene);
    expect(gitBytes(scene.local.folder, ["cat-file", "blob", "HEAD:f"]).toString()).toBe(
      edited({ 5: "five", 9: "nine", 7: "mine", 2: "mine too" }),
    );
  });

  it("to a file that the user renamed", async () => {
    const scene = makeScene({ files: { "old/f": edited({}) } });
    commitFiles(scene.sandbox, { "old/f": edited({ 5: "five" }) });
    renameSync(`${scene.local.folder}/old`, `${scene.local.folder}/new`);
    commitFiles(scene.local, {}, "rename");
    await pullRebuilt(scene);
    expect(gitBytes(scene.local.folder, ["cat-file", "blob", "HEAD:new/f"]).toString()).toBe(edited({ 5: "five" }));
  });

  it("what is there already comes as no commit, and is known; what was empty from the start is kept", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" }, "one");
    commitFiles(scene.sandbox, {}, "empty");
    commitFiles(scene.sandbox, { n: "n\n" }, "two");
    commitFiles(scene.local, { a: "x\n" }, "the same, by hand");
    const { commits } = await pullRebuilt(scene);
    expect(scene.local("log", "--format=%s")).toBe("two\nempty\nthe same, by hand\nbase");
    expect(commits[0]?.applied_as).toBeNull();
    expect(await pullInto(scene.local.folder, scene.source)).toMatchObject({ applied: false });
  });

  it("all of it is there already: the cursor moves, HEAD stays", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" });
    const head = commitFiles(scene.local, { a: "x\n" }, "the same, by hand");
    await pullInto(scene.local.folder, scene.source);
    expect(scene.local("rev-parse", "HEAD")).toBe(head);
    expect(await pullInto(scene.local.folder, scene.source)).toMatchObject({ applied: false, commits: [] });
  });

  it("the user commits while it runs: it starts again, on their commit", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" });
    let mine = "";
    const checkpoint = (name: string) => {
      if (name === "promoted" && mine === "") mine = commitFiles(scene.local, { b: "mine\n" }, "mine");
      return Promise.resolve();
    };
    await pullInto(scene.local.folder, scene.source, { deps: { checkpoint } });
    expect(scene.local("rev-parse", "HEAD^")).toBe(mine);
    expect(scene.local("log", "--format=%s")).toBe("change\nmine\nbase");
  });

  it("and moves with every pull: it gives up, with nothing changed", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" });
    const checkpoint = (name: string) => {
      if (name === "promoted") commitFiles(scene.local, {}, "mine");
      return Promise.resolve();
    };
    await expect(pullInto(scene.local.folder, scene.source, { deps: { checkpoint } })).rejects.toMatchObject({
      kind: "attention",
    });
    expect(scene.local("status", "--porcelain")).toBe("");
    expect(scene.local("rev-list", "--count", "HEAD")).toBe("4");
  });
});

describe("a conflict", () => {
  it("changes nothing, and names the commit and the paths", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { n: "n\n" }, "fine");
    const bad = commitFiles(scene.sandbox, { a: "theirs\n", c: null }, "bad one");
    commitFiles(scene.local, { a: "mine\n", c: "mine\n" }, "mine");
    const error = await pullRefused(scene);
    expect(error).toMatchObject({ kind: "attention", code: "conflict", verdict: { applied: false, conflicts: ["a", "c"] } });
    expect(error.message).toContain(bad.slice(0, 12));
    expect(error.message).toContain("bad one");
  });

  it("is got around by the command that the hint names, which brings all to a new branch", async () => {
    const scene = makeScene();
    const { local, sandbox, source } = scene;
    commitFiles(sandbox, { n: "n\n" }, "fine");
    await pullExactly(scene);
    const tip = commitFiles(sandbox, { a: "theirs\n" });
    commitFiles(local, { a: "mine\n" });
    expect((await pullRefused(scene)).hint).toMatch(/: ferry pull ses_1 --branch NAME$/u);
    expect(await pullInto(local.folder, source, { branch: "NAME" })).toMatchObject({ tip, exactness: "exact" });
    expect(local("rev-list", "--count", `${scene.base}..NAME`)).toBe("2");
  });

  it("is got around without checking out what was refused before, and left out", async () => {
    const scene = makeScene();
    const { local, sandbox, source } = scene;
    symlinkSync(".git/hooks", `${sandbox.folder}/evil`);
    const bad = commitFiles(sandbox, { n: "n\n" });
    const shape = { exclude: ["evil"] };
    await pullInto(local.folder, source, { shape });
    commitFiles(sandbox, { a: "theirs\n" });
    commitFiles(local, { a: "mine\n" });
    const { hint } = await pullRefused(scene, { shape });
    expect(hint).toMatch(/: ferry pull ses_1 --branch NAME, with the same --exclude$/u);
    expect(hint).not.toContain(bad.slice(0, 7));
    expect(await pullRefused(scene, { branch: "NAME" })).toMatchObject({ code: "policy" });
    await pullInto(local.folder, source, { branch: "NAME", shape });
    expect(local("ls-tree", "-r", "--name-only", "NAME")).toBe("a\nb\nc\ndir/d\nn");
  });
});

describe("who commits", () => {
  const makeMoved = () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" });
    commitFiles(scene.local, { b: "mine\n" });
    return scene;
  };

  it("must be known, before anything changes", async () => {
    const scene = makeMoved();
    scene.local("config", "user.useConfigOnly", "true");
    const before = stateOf(scene.local.folder);
    const env = { GIT_COMMITTER_NAME: "", GIT_COMMITTER_EMAIL: "" };
    await expect(pullInto(scene.local.folder, scene.source, { env })).rejects.toMatchObject({
      kind: "attention",
      hint: expect.stringContaining("user.name") as string,
    });
    expect(stateOf(scene.local.folder)).toEqual(before);
  });

  it("is the user, as git knows them", async () => {
    const scene = makeMoved();
    await pullInto(scene.local.folder, scene.source, {
      env: { GIT_COMMITTER_NAME: "J\u00fcrgen", GIT_COMMITTER_EMAIL: "j@example.com" },
    });
    expect(scene.local("log", "-1", "--format=%cn %ce %an")).toBe("J\u00fcrgen j@example.com Ada");
  });

  it("doesn't sign, and is told so", async () => {
    const scene = makeMoved();
    scene.local("config", "commit.gpgSign", "true");
    scene.local("config", "gpg.program", "/nonexistent");
    expect((await pullRebuilt(scene)).notices).toEqual([expect.stringContaining("signed")]);
  });
});
