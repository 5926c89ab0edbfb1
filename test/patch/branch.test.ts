import { readFileSync } from "node:fs";
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

  it("isn't taken for another that differs by case alone, where the file system can't tell them apart", async () => {
    const scene = makeScene();
    const tip = commitFiles(scene.sandbox, { a: "x\n" });
    scene.local("branch", "Agent/Grün");
    // What git init sets there; the files of refs are the file system's, so what git lists is looked at.
    scene.local("config", "core.ignoreCase", "true");
    for (const branch of ["MAIN", "agent/grün", "Agent/Gru\u0308n"])
      expect(await pullRefused(scene, { branch })).toMatchObject({
        kind: "attention",
        hint: `--branch ${branch === "MAIN" ? "main" : "Agent/Grün"}, or another name`,
      });
    for (const branch of ["Agent/Grün", "mains"])
      expect(await pullInto(scene.local.folder, scene.source, { branch })).toMatchObject({ applied: true, tip });
    scene.local("config", "core.ignoreCase", "false");
    expect(await pullInto(scene.local.folder, scene.source, { branch: "MAIN" })).toMatchObject({ applied: true, tip });
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

  it("through a name that stands for another branch: that one, in its working copy where it is checked out", async () => {
    const scene = makeScene();
    const { local } = scene;
    commitFiles(scene.sandbox, { a: "x\n" });
    local("symbolic-ref", "refs/heads/alias", "refs/heads/main");
    local("symbolic-ref", "refs/heads/other", "refs/heads/alias");
    await pullExactly(scene, { branch: "other" });
    expect(local("status", "--porcelain")).toBe("");
    local("switch", "--quiet", "--detach");
    local("worktree", "add", "--quiet", `${local.folder}-side`, "main");
    const two = commitFiles(scene.sandbox, { a: "y\n" });
    expect(await pullRefused(scene, { branch: "alias" })).toMatchObject({ kind: "attention" });
    local("symbolic-ref", "refs/heads/alias", "refs/heads/work");
    expect(await pullInto(local.folder, scene.source, { branch: "other" })).toMatchObject({ applied: true, tip: two });
    expect(local("rev-parse", "work")).toBe(two);
    expect(readFileSync(`${local.folder}/.git/refs/heads/other`, "utf8")).toBe("ref: refs/heads/alias\n");
    local("symbolic-ref", "refs/heads/alias", "refs/remotes/origin/main");
    expect(await pullRefused(scene, { branch: "alias" })).toMatchObject({ kind: "attention" });
  });

  it("lands in the working copy whose HEAD comes to its branch through another name", async () => {
    const scene = makeScene();
    scene.local("symbolic-ref", "refs/heads/alias", "refs/heads/main");
    scene.local("symbolic-ref", "HEAD", "refs/heads/alias");
    for (const branch of [undefined, "main", "alias"]) {
      commitFiles(scene.sandbox, { a: branch ?? "x" });
      await pullExactly(scene, { branch });
      expect(scene.local("status", "--porcelain")).toBe("");
    }
    expect(readFileSync(`${scene.local.folder}/.git/HEAD`, "utf8")).toBe("ref: refs/heads/alias\n");
  });

  it("moves no branch that a ref of ferry's own was made to stand for", async () => {
    const scene = makeScene();
    const { local, source } = scene;
    commitFiles(scene.sandbox, { a: "x\n" });
    await pullInto(local.folder, source, { branch: "work" });
    const remote = local("for-each-ref", "--format=%(refname)", "refs/ferry/*/remote");
    local("update-ref", "refs/heads/main", local("rev-parse", "work"));
    local("reset", "--quiet", "--hard");
    local("symbolic-ref", remote, "refs/heads/main");
    const before = local("rev-parse", "main");
    commitFiles(scene.sandbox, { a: "y\n" });
    await pullInto(local.folder, source, { branch: "work" });
    expect([local("rev-parse", "main"), local("status", "--porcelain")]).toEqual([before, ""]);
  });

  it("is refused for a name that git reads as something else, and where it has no place", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" });
    for (const branch of ["HEAD", "@", "refs/heads/x", scene.base])
      expect(await pullRefused(scene, { branch })).toMatchObject({ kind: "usage" });
    scene.local("branch", "zz/y");
    const beside = { kind: "attention", code: undefined, hint: "name another one: --branch NAME" };
    expect(await pullRefused(scene, { branch: "zz" })).toMatchObject({
      ...beside,
      message: "a branch zz can't be made beside zz/y",
    });
    expect(await pullRefused(scene, { branch: "zz/y/x" })).toMatchObject({
      ...beside,
      message: "a branch zz/y/x can't be made beside zz/y",
    });
    writeFile(scene.local, ".git/refs/heads/blob", `${scene.local("rev-parse", "HEAD:a")}\n`);
    expect(await pullRefused(scene, { branch: "blob" })).toMatchObject({
      kind: "attention",
      message: "refs/heads/blob holds no commit that is here, so it is no branch",
    });
  });

  it("is refused where its base isn't here", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" });
    const local = makeRepository(`${scene.local.folder}-other`);
    commitFiles(local, { z: "z\n" });
    expect(await pullRefused({ local, source: scene.source }, { branch: "work" })).toMatchObject({ code: "unrelated" });
  });
});
