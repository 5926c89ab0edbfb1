import { afterAll, describe, expect, it } from "vitest";
import { undo } from "../../src/patch/undo.ts";
import { commitFiles, makeRepository, writeFile } from "../support/git.ts";
import { makeDeps, pullInto } from "../support/pulling.ts";
import { makeScene, pullExactly, removeScenes, type Scene } from "../support/scene.ts";
import { sandboxSource } from "../support/series.ts";
import { stateOf } from "../support/state.ts";

afterAll(removeScenes);

function undoIn({ local }: Pick<Scene, "local">, more: { dryRun?: boolean } = {}) {
  const errand = {
    folder: local.folder,
    origin: "https://agents.example.com",
    workspace: "wsp_1",
    session: "ses_1",
    repositoryId: "rep_1",
  };
  return undo({ ...errand, ...more }, makeDeps());
}

/** What a pull and its undo may leave: objects, and lines in reflogs. */
const settled = (scene: Pick<Scene, "local">) => ({
  ...stateOf(scene.local.folder),
  objects: "",
  reflog: "",
  refs: scene.local("for-each-ref", "refs/heads"),
});

describe("undo", () => {
  it("takes branch, files and cursor back; the commits come again with the next pull", async () => {
    const scene = makeScene();
    const tip = commitFiles(scene.sandbox, { a: "x\n", n: "n\n", c: null });
    writeFile(scene.local, "b", "dirty\n");
    writeFile(scene.local, "staged", "s\n");
    scene.local("add", "staged");
    const before = settled(scene);
    await pullExactly(scene);
    expect(await undoIn(scene, { dryRun: true })).toEqual({ from: tip, to: scene.base, files: 3 });
    expect(scene.local("rev-parse", "HEAD")).toBe(tip);
    expect(await undoIn(scene)).toEqual({ from: tip, to: scene.base, files: 3 });
    expect(settled(scene)).toEqual(before);
    await pullExactly(scene);
  });

  it("takes back the last pull only, and that once", async () => {
    const scene = makeScene();
    const one = commitFiles(scene.sandbox, { a: "x\n" });
    await pullExactly(scene);
    commitFiles(scene.sandbox, { a: "y\n" });
    await pullExactly(scene);
    expect(await undoIn(scene)).toMatchObject({ to: one });
    await expect(undoIn(scene)).rejects.toMatchObject({ kind: "attention" });
    expect((await pullExactly(scene)).commits).toHaveLength(1);
  });

  it("takes the cursor back where the branch is back by itself; a pull says that it is, and brings nothing unasked", async () => {
    const scene = makeScene();
    const { local, base } = scene;
    commitFiles(scene.sandbox, { a: "x\n" });
    await pullExactly(scene);
    const nothing = () => pullInto(local.folder, scene.source);
    expect((await nothing()).notices).toEqual([]);
    local("reset", "--quiet", "--hard", "HEAD~1");
    writeFile(local, "a", "mine\n");
    expect(await nothing()).toMatchObject({
      applied: false,
      notices: [expect.stringContaining("ferry pull --undo, then ferry pull") as string],
    });
    expect(await undoIn(scene, { dryRun: true })).toEqual({ from: base, to: base, files: 0 });
    expect(await undoIn(scene)).toEqual({ from: base, to: base, files: 0 });
    expect(local("status", "--porcelain")).toBe(" M a");
    local("checkout", "--quiet", "a");
    await pullExactly(scene);
  });

  it("where the branch lost some of what came says so, and how to have it again, literally", async () => {
    const scene = makeScene();
    const { local } = scene;
    commitFiles(scene.sandbox, { a: "x\n" });
    const tip = commitFiles(scene.sandbox, { a: "y\n" });
    await pullExactly(scene);
    local("reset", "--quiet", "--hard", "HEAD~1");
    const refused = await undoIn(scene).catch((error: unknown) => error as { message: string; hint: string });
    expect(refused).toMatchObject({
      kind: "attention",
      message: expect.stringContaining("hasn't all that the last pull") as string,
    });
    const [, command = ""] = "hint" in refused ? (/^git (merge \w+) brings it back/u.exec(refused.hint) ?? []) : [];
    local(...command.split(" "));
    expect(local("rev-parse", "HEAD")).toBe(tip);
  });

  it("of rebuilt commits", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" });
    const mine = commitFiles(scene.local, { b: "mine\n" });
    await pullInto(scene.local.folder, scene.source);
    expect(await undoIn(scene)).toMatchObject({ to: mine });
    expect(await pullInto(scene.local.folder, scene.source)).toMatchObject({ applied: true, commits: [{}] });
  });

  it("is refused where something came on top, or is in the way, and says how", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" });
    await pullExactly(scene);
    writeFile(scene.local, "a", "mine\n");
    const before = stateOf(scene.local.folder);
    await expect(undoIn(scene)).rejects.toMatchObject({ kind: "attention", details: [expect.stringContaining("a ") as string] });
    expect(stateOf(scene.local.folder)).toEqual(before);
    commitFiles(scene.local, {}, "on top");
    await expect(undoIn(scene)).rejects.toMatchObject({
      kind: "attention",
      hint: expect.stringContaining("git revert") as string,
    });
  });

  it("of nothing, and of what began a branch, is refused", async () => {
    const scene = makeScene();
    await expect(undoIn(scene)).rejects.toMatchObject({ kind: "attention" });
    const local = makeRepository(`${scene.local.folder}-unborn`);
    await pullInto(local.folder, sandboxSource({ folder: scene.sandbox.folder, branch: "HEAD", base: "" }));
    await expect(undoIn({ local })).rejects.toMatchObject({
      kind: "attention",
      hint: expect.stringContaining("update-ref") as string,
    });
  });
});
