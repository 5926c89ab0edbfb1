import { readFileSync, symlinkSync, unlinkSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { commitFiles, writeFile } from "../../support/git.ts";
import { pullInto } from "../../support/pulling.ts";
import { makeScene, pullRefused, removeScenes, type Scene } from "../../support/scene.ts";
import { filesBelow, stateOf } from "../../support/state.ts";
import { expectSame, pullAll, undoIn } from "../../support/uncommitted.ts";

afterAll(removeScenes);

describe("local work", () => {
  it("that it doesn't touch stays: unstaged, staged, untracked, ignored", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { n: "n\n" });
    writeFile(scene.sandbox, "a", "theirs\n");
    writeFile(scene.local, "b", "dirty\n");
    writeFile(scene.local, "dir/d", "staged\n");
    scene.local("add", "dir/d");
    writeFile(scene.local, "dir/d", "and dirty\n");
    writeFile(scene.local, "mine", "m\n");
    writeFile(scene.local, ".git/info/exclude", "*.o\n");
    writeFile(scene.local, "x.o", "o\n");
    await pullAll(scene);
    expect(scene.local("status", "--porcelain", "--ignored")).toBe(" M a\n M b\nMM dir/d\n?? mine\n!! x.o");
    expect(scene.local("show", ":dir/d")).toBe("staged");
    expect(readFileSync(`${scene.local.folder}/dir/d`, "utf8")).toBe("and dirty\n");
  });

  it.each<[string, string, (scene: Scene) => void]>([
    ["unstaged", "a", ({ local }) => writeFile(local, "a", "mine\n")],
    [
      "staged",
      "a",
      ({ local }) => {
        writeFile(local, "a", "mine\n");
        local("add", "a");
      },
    ],
    [
      "staged, and taken back in the tree",
      "a",
      ({ local }) => {
        writeFile(local, "a", "mine\n");
        local("add", "a");
        writeFile(local, "a", "1\n2\n3\n");
      },
    ],
    ["untracked", "u", ({ local }) => writeFile(local, "u", "mine\n")],
    [
      "ignored",
      "u",
      ({ local }) => {
        writeFile(local, ".git/info/exclude", "u\n");
        writeFile(local, "u", "mine\n");
      },
    ],
    ["an edit of what goes", "c", ({ local }) => writeFile(local, "c", "mine\n")],
    ["a folder in its place", "u", ({ local }) => writeFile(local, "u/x", "mine\n")],
    ["a link on the way", "way/x", ({ local }) => symlinkSync("/tmp", `${local.folder}/way`)],
    [
      "assume-unchanged",
      "a",
      ({ local }) => {
        local("update-index", "--assume-unchanged", "a");
        writeFile(local, "a", "mine\n");
      },
    ],
  ])("in its way refuses, names the path, and the commits don't come either: %s", async (_, path, make) => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { n: "n\n" });
    writeFile(scene.sandbox, "a", "theirs\n");
    writeFile(scene.sandbox, "u", "theirs\n");
    writeFile(scene.sandbox, "way/x", "x\n");
    unlinkSync(`${scene.sandbox.folder}/c`);
    make(scene);
    expect(await pullRefused(scene, { uncommitted: true })).toMatchObject({
      kind: "attention",
      verdict: { applied: false, blocked_by: [path] },
    });
  });

  it("that is the same already is no obstacle, staged too", async () => {
    const scene = makeScene();
    writeFile(scene.sandbox, "a", "same\n");
    writeFile(scene.sandbox, "u", "same\n");
    writeFile(scene.local, "a", "same\n");
    writeFile(scene.local, "u", "same\n");
    scene.local("add", "u");
    expect(await pullAll(scene)).toMatchObject({ applied: false, uncommitted: { files: 2, written: 0 } });
    expect(scene.local("status", "--porcelain")).toBe(" M a\nA  u");
  });

  it("what came and was staged here since is somebody's", async () => {
    const scene = makeScene();
    writeFile(scene.sandbox, "a", "theirs\n");
    await pullAll(scene);
    scene.local("add", "a");
    writeFile(scene.sandbox, "a", "theirs again\n");
    expect(await pullRefused(scene, { uncommitted: true })).toMatchObject({ verdict: { blocked_by: ["a"] } });
  });
});

describe("--undo", () => {
  it("takes commits and what isn't committed back in one step", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "committed\n", n: "n\n" });
    writeFile(scene.sandbox, "a", "dirt\n");
    writeFile(scene.sandbox, "u", "u\n");
    writeFile(scene.local, "b", "mine\n");
    const files = filesBelow(scene.local.folder);
    await pullAll(scene);
    expect(await undoIn(scene)).toMatchObject({ to: scene.base, files: 3 });
    expect(filesBelow(scene.local.folder)).toEqual(files);
    expect(scene.local("status", "--porcelain")).toBe(" M b");
    writeFile(scene.local, "b", "b\n");
    expect(await pullAll(scene)).toMatchObject({ applied: true, commits: [{}], uncommitted: { written: 2 } });
    expectSame(scene);
  });

  it("of a plain pull that replaced what had come: that is there again", async () => {
    const scene = makeScene();
    writeFile(scene.sandbox, "a", "first\n");
    await pullAll(scene);
    commitFiles(scene.sandbox, { a: "second\n" });
    await pullInto(scene.local.folder, scene.source);
    await undoIn(scene);
    expect(readFileSync(`${scene.local.folder}/a`, "utf8")).toBe("first\n");
    expect(scene.local("status", "--porcelain")).toBe(" M a");
    await pullInto(scene.local.folder, scene.source);
    expectSame(scene);
    expect(scene.local("status", "--porcelain")).toBe("");
  });

  it("where a file was edited since is refused", async () => {
    const scene = makeScene();
    writeFile(scene.sandbox, "a", "theirs\n");
    await pullAll(scene);
    writeFile(scene.local, "a", "mine\n");
    const before = stateOf(scene.local.folder);
    await expect(undoIn(scene)).rejects.toMatchObject({ kind: "attention", details: ["a has local changes"] });
    expect(stateOf(scene.local.folder)).toEqual(before);
  });
});
