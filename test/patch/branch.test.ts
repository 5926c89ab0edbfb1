import { afterAll, describe, expect, it } from "vitest";
import { commitFiles, makeRepository, writeFile } from "../support/git.ts";
import { pullInto } from "../support/pulling.ts";
import { makeScene, pullExactly, pullRefused, removeScenes, type Scene } from "../support/scene.ts";
import { stateOf } from "../support/state.ts";

afterAll(removeScenes);

/** What of a working copy a pull to another branch leaves alone: all but refs and objects. */
const checkout = ({ local }: Scene) => ({ ...stateOf(local.folder), refs: "", objects: "" });

describe("a pull to a branch that isn't checked out", () => {
  it("makes it at the series' base, whatever HEAD and the working copy are", async () => {
    const scene = makeScene();
    const tip = commitFiles(scene.sandbox, { a: "x\n", n: "n\n" });
    commitFiles(scene.local, { a: "mine\n" }, "mine");
    writeFile(scene.local, "n", "untracked\n");
    scene.local("bisect", "start");
    const before = checkout(scene);
    const verdict = await pullInto(scene.local.folder, scene.source, { branch: "agent/x" });
    expect(verdict).toMatchObject({ applied: true, base: scene.base, tip, exactness: "exact", files: 2 });
    expect(scene.local("rev-parse", "agent/x")).toBe(tip);
    expect(checkout(scene)).toEqual(before);
    expect(await pullInto(scene.local.folder, scene.source, { branch: "agent/x" })).toMatchObject({ applied: false });
  });

  it("goes on there, exactly or rebuilt", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" });
    await pullInto(scene.local.folder, scene.source, { branch: "work" });
    const two = commitFiles(scene.sandbox, { a: "y\n" });
    expect(await pullInto(scene.local.folder, scene.source, { branch: "work" })).toMatchObject({
      tip: two,
      commits: [{ sequence: 2 }],
    });
    scene.local("branch", "--quiet", "--force", "work", scene.local("commit-tree", "-p", "work", "-m", "on top", "work^{tree}"));
    commitFiles(scene.sandbox, { b: "y\n" });
    expect(await pullInto(scene.local.folder, scene.source, { branch: "work" })).toMatchObject({
      exactness: "rebuilt",
      applied: true,
    });
    expect(scene.local("log", "--format=%s", "work")).toBe("change\non top\nchange\nchange\nbase");
    expect(scene.local("rev-parse", "HEAD")).toBe(scene.base);
  });

  it("comes again where that branch was deleted", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" });
    await pullInto(scene.local.folder, scene.source, { branch: "work" });
    scene.local("branch", "--quiet", "-D", "work");
    expect(await pullInto(scene.local.folder, scene.source, { branch: "work" })).toMatchObject({ applied: true });
  });

  it("is the usual pull where it is the current branch", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" });
    await pullExactly(scene, { branch: "main" });
    expect(scene.local("status", "--porcelain")).toBe("");
  });

  it("of a history of its own", async () => {
    const scene = makeScene();
    const { sandboxSource } = await import("../support/series.ts");
    const source = sandboxSource({ folder: scene.sandbox.folder, branch: "HEAD", base: "" });
    const local = makeRepository(`${scene.local.folder}-other`);
    commitFiles(local, { z: "z\n" });
    await pullInto(local.folder, source, { branch: "theirs" });
    expect(local("rev-parse", "theirs")).toBe(scene.base);
  });

  it("only tells with dryRun", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" });
    const before = stateOf(scene.local.folder);
    expect(await pullInto(scene.local.folder, scene.source, { branch: "work", dryRun: true })).toMatchObject({
      applied: false,
      files: 1,
    });
    expect(stateOf(scene.local.folder)).toEqual(before);
  });

  it("is refused where it is checked out elsewhere, or can't be a name", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" });
    scene.local("worktree", "add", "--quiet", "-b", "side", `${scene.local.folder}-side`);
    expect(await pullRefused(scene, { branch: "side" })).toMatchObject({ kind: "attention" });
    for (const branch of ["-x", "a..b", "", "x.lock", "a b"])
      expect(await pullRefused(scene, { branch })).toMatchObject({ kind: "usage" });
  });

  it("is refused where its base isn't here", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" });
    const local = makeRepository(`${scene.local.folder}-other`);
    commitFiles(local, { z: "z\n" });
    expect(await pullRefused({ local, source: scene.source }, { branch: "work" })).toMatchObject({ code: "unrelated" });
  });
});
