import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { undo } from "../../src/patch/undo.ts";
import { pullElsewhere, type WorktreeRequest } from "../../src/patch/worktree/pull.ts";
import { commitFiles, gitIn, makeRepository } from "../support/git.ts";
import { makeDeps, pullInto, pullRequest } from "../support/pulling.ts";
import { makeScene, removeScenes, type Scene } from "../support/scene.ts";
import { stateOf } from "../support/state.ts";

afterAll(removeScenes);

const into = ({ local, source }: Scene, worktree: string, more: Partial<WorktreeRequest> = {}) =>
  pullElsewhere({ ...pullRequest(local.folder, source), worktree, sessionBranch: "agent/x", ...more }, makeDeps());
const checkout = ({ local }: Scene) => ({ ...stateOf(local.folder), refs: "", objects: "", worktrees: "", gitFolder: "" });

describe("--worktree", () => {
  it("makes one on the session's branch at its base, again lands in it, and leaves this checkout alone; no hook runs", async () => {
    const scene = makeScene();
    const one = commitFiles(scene.sandbox, { a: "x\n" });
    commitFiles(scene.local, { a: "mine\n" }, "mine");
    writeFileSync(`${scene.local.folder}/.git/hooks/post-checkout`, `#!/bin/sh\ntouch ${scene.local.folder}/../hook-ran\n`, {
      mode: 0o755,
    });
    const before = checkout(scene);
    const dir = `${scene.local.folder}-tree`;
    expect(await into(scene, dir)).toMatchObject({ branch: "agent/x", verdict: { applied: true, exactness: "exact", tip: one } });
    const tree = gitIn(dir);
    expect([tree("rev-parse", "HEAD"), tree("branch", "--show-current"), tree("status", "--porcelain")]).toEqual([
      one,
      "agent/x",
      "",
    ]);
    const two = commitFiles(scene.sandbox, { n: "n\n" });
    expect(await into(scene, dir)).toMatchObject({ branch: "agent/x", verdict: { applied: true, tip: two } });
    expect([tree("rev-parse", "HEAD"), tree("status", "--porcelain")]).toEqual([two, ""]);
    expect(checkout(scene)).toEqual(before);
    expect(existsSync(`${scene.local.folder}/../hook-ran`)).toBe(false);
    await expect(into(scene, dir, { branch: "other" })).rejects.toMatchObject({ kind: "attention" });
  });

  it("undone in it, its branch goes back to where the pull made it, and the commits come again", async () => {
    const scene = makeScene();
    const one = commitFiles(scene.sandbox, { a: "x\n" });
    const before = checkout(scene);
    const dir = `${scene.local.folder}-tree`;
    await into(scene, dir);
    const errand = { ...pullRequest(dir, scene.source), offers: undefined };
    expect(await undo({ ...errand, dryRun: true }, makeDeps())).toMatchObject({ from: one, to: scene.base, made: "agent/x" });
    expect(await undo(errand, makeDeps())).toEqual({ from: one, to: scene.base, files: 1, made: "agent/x" });
    const tree = gitIn(dir);
    expect([tree("rev-parse", "agent/x"), tree("status", "--porcelain")]).toEqual([scene.base, ""]);
    await expect(undo(errand, makeDeps())).rejects.toMatchObject({ kind: "attention" });
    expect(await into(scene, dir)).toMatchObject({ verdict: { applied: true, tip: one } });
    // Somebody goes back by hand: the commits come again, too.
    tree("reset", "--quiet", "--hard", scene.base);
    expect(await undo(errand, makeDeps())).toEqual({ from: scene.base, to: scene.base, files: 0 });
    expect(await into(scene, dir)).toMatchObject({ verdict: { applied: true, tip: one } });
    expect(checkout(scene)).toEqual(before);
  });

  it("undone where a commit is on top of it: nothing changes, and the way is told", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" });
    const dir = `${scene.local.folder}-tree`;
    await into(scene, dir);
    commitFiles(gitIn(dir), { own: "mine\n" }, "mine");
    const errand = { ...pullRequest(dir, scene.source), offers: undefined };
    await expect(undo(errand, makeDeps())).rejects.toMatchObject({
      kind: "attention",
      hint: expect.stringContaining(`git revert --no-edit ${scene.base.slice(0, 12)}..`) as string,
    });
  });

  it("with a name of one's own, into an empty folder, and only told with dryRun", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" });
    const dir = `${scene.local.folder}-tree`;
    const before = stateOf(scene.local.folder);
    await into(scene, dir, { branch: "review", dryRun: true });
    expect([stateOf(scene.local.folder), existsSync(dir)]).toEqual([before, false]);
    mkdirSync(dir);
    await into(scene, dir, { branch: "review" });
    expect(gitIn(dir)("branch", "--show-current")).toBe("review");
  });

  it("where the commits are there already and the worktree isn't, it is made", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" });
    await pullInto(scene.local.folder, scene.source, { branch: "agent/x" });
    await into(scene, `${scene.local.folder}-tree`);
    expect(gitIn(`${scene.local.folder}-tree`)("status", "--porcelain")).toBe("");
  });

  it("with nothing new and no such branch, none is made, and it is no error", async () => {
    const scene = makeScene();
    const before = stateOf(scene.local.folder);
    const dir = `${scene.local.folder}-tree`;
    expect(await into(scene, dir)).toMatchObject({ isThere: false, verdict: { applied: false, commits: [] } });
    expect([stateOf(scene.local.folder), existsSync(dir)]).toEqual([before, false]);
  });

  it("refuses where git could make none, before the branch is made", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" });
    const { folder } = scene.local;
    writeFileSync(`${folder}-file`, "m");
    symlinkSync("nowhere", `${folder}-dangling`);
    symlinkSync(`${folder}-circle`, `${folder}-circle`);
    symlinkSync(`${folder}-gone`, `${folder}-link`);
    for (const name of ["gone", "locked"]) scene.local("worktree", "add", "--quiet", "-b", name, `${folder}-${name}`);
    scene.local("worktree", "lock", `${folder}-locked`);
    for (const name of ["gone", "locked"]) rmSync(`${folder}-${name}`, { recursive: true });
    scene.local("symbolic-ref", "refs/heads/alias", "refs/heads/main");
    const before = stateOf(folder);
    for (const place of ["dangling", "dangling/x", "circle", "circle/x", "link", "file/x", "gone", "locked"])
      await expect(into(scene, `${folder}-${place}`), place).rejects.toMatchObject({ kind: "attention", code: undefined });
    for (const branch of ["alias", "gone", "main/x"])
      await expect(into(scene, `${folder}-tree`, { branch }), branch).rejects.toMatchObject({ kind: "attention" });
    mkdirSync(`${folder}-gone`);
    await expect(into(scene, `${folder}-link`)).rejects.toMatchObject({ hint: expect.stringContaining("prune") as string });
    expect(stateOf(folder)).toEqual(before);
  });

  it("refuses what is something else, and nothing changes", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" });
    const { folder } = scene.local;
    makeRepository(`${folder}-other`);
    mkdirSync(`${folder}-full`);
    writeFileSync(`${folder}-full/mine`, "m");
    writeFileSync(`${folder}-file`, "m");
    const before = stateOf(folder);
    const places = [
      folder,
      `${folder}/.git/x`,
      `${folder}/sub`,
      `${folder}-other`,
      `${folder}-full`,
      `${folder}-file`,
      `${folder}/dir`,
    ];
    for (const place of places)
      await expect(into(scene, place)).rejects.toMatchObject({ kind: place === folder ? "usage" : "attention" });
    await expect(into(scene, `${folder}-tree`, { branch: "main" })).rejects.toMatchObject({ kind: "attention" });
    await expect(into(scene, `${folder}-tree`, { sessionBranch: undefined })).rejects.toMatchObject({ kind: "usage" });
    expect(stateOf(folder)).toEqual(before);
    expect(existsSync(`${folder}-tree`)).toBe(false);
  });
});
