import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { undo } from "../../src/patch/undo.ts";
import { commitFiles, gitBytes, type TestGit, writeFile } from "../support/git.ts";
import { edited, expectNoDebris, makeConflict, parkedTree, parkIn, refusedBy, resume, errandIn } from "../support/parking.ts";
import { makeDeps, pullInto } from "../support/pulling.ts";
import { makeScene, removeScenes, type Scene } from "../support/scene.ts";
import { stateOf } from "../support/state.ts";

afterAll(removeScenes);

/** All that a user could notice, but for objects that nothing points to. */
const visible = ({ local }: Scene) => ({ ...stateOf(local.folder), objects: "" });
/** The same without what the park itself adds. */
const checkout = (scene: Scene) => ({
  ...visible(scene),
  refs: scene.local("for-each-ref", "refs/heads"),
  worktrees: "",
  gitFolder: "",
});
const ferryRefs = ({ local }: Scene) =>
  local("for-each-ref", "--format=%(refname)", "refs/ferry")
    .replace(/[0-9a-f]{20}/gu, "K")
    .split("\n");

describe("--park", () => {
  it("leaves branch and checkout alone, and the conflict in a worktree with what fits before it", async () => {
    const scene = makeConflict();
    writeFile(scene.local, "f", "dirty\n");
    const before = checkout(scene);
    const error = await refusedBy(pullInto(scene.local.folder, scene.source, { onConflict: "park" }));
    const tree = parkedTree(scene.local);
    expect(error).toMatchObject({
      kind: "attention",
      code: "conflict",
      verdict: { applied: false, conflicts: ["f"], blocked_by: [`parked in ${tree.folder}`] },
      hint: expect.stringMatching(/^parked in \S+, with 1 of \d commits before it; resolve it there/u) as string,
    });
    expect(error.message).toContain("two");
    expect(checkout(scene)).toEqual(before);
    expect(tree("log", "--format=%s")).toBe("one\nmine\nbase");
    expect(tree("status", "--porcelain")).toBe("UU f");
    expect(readFileSync(`${tree.folder}/f`, "utf8")).toMatch(/<<<<<<< HEAD\nmine\n=======\ntheirs\n>>>>>>> .*two/u);
  });

  it("resolved and staged, --continue brings all of it, and the next pull nothing twice", async () => {
    const scene = makeConflict();
    const mine = scene.local("rev-parse", "HEAD");
    writeFile(scene.local, "b", "dirty\n");
    const tree = await parkIn(scene);
    writeFile(tree, "f", edited({ 2: "both" }));
    tree("add", "f");
    const { verdict, branch } = await resume(scene.local.folder, "continue");
    expect(branch).toBe("main");
    expect(verdict).toMatchObject({
      applied: true,
      base: mine,
      tip: scene.local("rev-parse", "HEAD"),
      exactness: "rebuilt",
      files: 3,
    });
    expect(verdict.commits.map(({ applied_as }) => applied_as)).toEqual(
      scene.local("rev-list", "--reverse", "HEAD~4..HEAD").split("\n"),
    );
    expect(scene.local("log", "--format=%s")).toBe("four\nthree\ntwo\none\nmine\nbase");
    expect(readFileSync(`${scene.local.folder}/f`, "utf8")).toBe(edited({ 2: "both", 9: "more" }));
    expect(gitBytes(scene.local.folder, ["log", "-1", "--format=%B", "HEAD~2"])).toEqual(
      gitBytes(scene.sandbox.folder, ["log", "-1", "--format=%B", "HEAD~2"]),
    );
    expect(scene.local("log", "-1", "--format=%an %cn", "HEAD~2")).toBe("Ada Agent");
    expect(scene.local("status", "--porcelain")).toBe(" M b");
    expectNoDebris(scene);
    expect(ferryRefs(scene)).toEqual(["refs/ferry/K/applied/K", "refs/ferry/K/remote", "refs/ferry/K/undo/K"]);
    expect(await pullInto(scene.local.folder, scene.source)).toMatchObject({ applied: false, commits: [] });
    commitFiles(scene.sandbox, { n: "N\n" }, "five");
    expect(await pullInto(scene.local.folder, scene.source)).toMatchObject({ applied: true, commits: [{ sequence: 5 }] });
  });

  it("committed there by git itself, from within the worktree, without a word to the service", async () => {
    const scene = makeConflict();
    const tree = await parkIn(scene);
    writeFile(tree, "f", edited({ 2: "both" }));
    tree("add", "f");
    gitBytes(tree.folder, ["-c", "core.editor=true", "cherry-pick", "--continue"]);
    commitFiles(tree, { extra: "x\n" }, "one of my own");
    const calls = scene.source.calls.length;
    const { verdict } = await resume(tree.folder, "continue");
    expect(verdict.applied).toBe(true);
    expect(scene.source.calls).toHaveLength(calls);
    expect(scene.local("log", "--format=%s")).toBe("four\nthree\none of my own\ntwo\none\nmine\nbase");
    expectNoDebris(scene);
  });

  it("--skip leaves that commit out, and says so; it doesn't come again", async () => {
    const scene = makeConflict();
    await parkIn(scene);
    const { verdict } = await resume(scene.local.folder, "skip");
    expect(verdict).toMatchObject({ applied: true, commits: [{ sequence: 1 }, { sequence: 3 }, { sequence: 4 }] });
    expect(verdict.notices.join("\n")).toContain("(two) was left out");
    expect(scene.local("log", "--format=%s")).toBe("four\nthree\none\nmine\nbase");
    expect(await pullInto(scene.local.folder, scene.source)).toMatchObject({ applied: false, commits: [] });
    expectNoDebris(scene);
  });

  it("--abort leaves nothing, and all of it comes again", async () => {
    const scene = makeConflict();
    const before = visible(scene);
    await parkIn(scene);
    await resume(scene.local.folder, "abort");
    expect(visible(scene)).toEqual(before);
    expectNoDebris(scene);
    await parkIn(scene);
  });

  it("the next conflict in the series parks again", async () => {
    const scene = makeConflict({ twice: true });
    const tree = await parkIn(scene);
    writeFile(tree, "f", edited({ 2: "both" }));
    tree("add", "f");
    const error = await refusedBy(resume(scene.local.folder, "continue"));
    expect(error).toMatchObject({ code: "conflict", verdict: { applied: false, conflicts: ["g"] } });
    expect(error.message).toContain("four");
    expect(tree("status", "--porcelain")).toBe("UU g");
    expect(tree("log", "--format=%s")).toBe("three\ntwo\none\nmine\nbase");
    expect(scene.local("log", "--format=%s")).toBe("mine\nbase");
    writeFile(tree, "g", edited({ 5: "both" }));
    tree("add", "g");
    const { verdict } = await resume(tree.folder, "continue");
    expect(verdict.commits).toHaveLength(4);
    expect(scene.local("log", "--format=%s")).toBe("four\nthree\ntwo\none\nmine\nbase");
    expect(scene.local("status", "--porcelain")).toBe("");
    expectNoDebris(scene);
  });

  it("blocks another pull of the session there, and in the worktree, with the way out; not on another branch", async () => {
    const scene = makeConflict();
    const tree = await parkIn(scene);
    const before = visible(scene);
    for (const folder of [scene.local.folder, tree.folder])
      expect(await refusedBy(pullInto(folder, scene.source))).toMatchObject({
        kind: "attention",
        code: "parked",
        verdict: { applied: false, blocked_by: [`parked in ${tree.folder}`] },
        hint: expect.stringContaining("--abort") as string,
      });
    expect(visible(scene)).toEqual(before);
    expect(await pullInto(scene.local.folder, scene.source, { branch: "other" })).toMatchObject({ applied: true });
    expect(await pullInto(scene.local.folder, scene.source, { branch: "third", session: "ses_2" })).toMatchObject({
      applied: true,
    });
  });

  it("what is resolved lands on the branch as it is by then", async () => {
    const scene = makeConflict();
    const tree = await parkIn(scene);
    writeFile(tree, "f", edited({ 2: "both" }));
    tree("add", "f");
    const later = commitFiles(scene.local, { b: "later\n" }, "later");
    expect((await resume(scene.local.folder, "continue")).verdict).toMatchObject({ applied: true, base: later });
    expect(scene.local("log", "--format=%s")).toBe("four\nthree\ntwo\none\nlater\nmine\nbase");
    expect(readFileSync(`${scene.local.folder}/f`, "utf8")).toBe(edited({ 2: "both", 9: "more" }));
    expectNoDebris(scene);
    expect(await pullInto(scene.local.folder, scene.source)).toMatchObject({ applied: false, commits: [] });
  });

  it("where the branch got what doesn't fit meanwhile, it parks there, the resolved commit included", async () => {
    const scene = makeConflict();
    const tree = await parkIn(scene);
    writeFile(tree, "f", edited({ 2: "both" }));
    tree("add", "f");
    commitFiles(scene.local, { f: edited({ 2: "mine, changed" }) }, "later");
    const error = await refusedBy(resume(scene.local.folder, "continue"));
    expect(error.message).toContain("two");
    expect(tree("log", "--format=%s")).toBe("one\nlater\nmine\nbase");
    writeFile(tree, "f", edited({ 2: "all three" }));
    tree("add", "f");
    expect((await resume(scene.local.folder, "continue")).verdict.commits).toHaveLength(4);
    expect(scene.local("log", "--format=%s")).toBe("four\nthree\ntwo\none\nlater\nmine\nbase");
    expectNoDebris(scene);
  });

  it("where git resolves the next conflict as it was resolved before (rerere), it stops there all the same, and names it", async () => {
    const scene = makeConflict({ twice: true });
    scene.local("config", "rerere.enabled", "true");
    scene.local("config", "rerere.autoUpdate", "true");
    const resolveIn = (tree: TestGit, path: string, at: number) => {
      writeFile(tree, path, edited({ [at]: "both" }));
      tree("rerere");
      tree("add", path);
    };
    const first = await parkIn(scene);
    resolveIn(first, "f", 2);
    await refusedBy(resume(scene.local.folder, "continue"));
    resolveIn(first, "g", 5);
    await resume(scene.local.folder, "abort", { acceptDeletion: true });
    const tree = await parkIn(scene);
    expect(tree("status", "--porcelain")).toBe("M  f");
    const error = await refusedBy(resume(scene.local.folder, "continue"));
    expect(error).toMatchObject({ details: ["g"], verdict: { conflicts: ["g"] } });
    expect(error.message).toMatch(/^commit [0-9a-f]+ \(four\) and yours both change g$/u);
    expect(tree("status", "--porcelain")).toBe("M  g");
    expect((await resume(scene.local.folder, "continue")).verdict.commits).toHaveLength(4);
    expect(readFileSync(`${scene.local.folder}/g`, "utf8")).toBe(edited({ 5: "both" }));
    expectNoDebris(scene);
  });

  it("lands on its branch wherever that is: not checked out, or in another worktree", async () => {
    for (const where of ["aside", "elsewhere"] as const) {
      const scene = makeConflict();
      await parkIn(scene);
      scene.local("switch", "--quiet", "-c", "other");
      if (where === "elsewhere") scene.local("worktree", "add", "--quiet", `${scene.local.folder}-main`, "main");
      const before = { head: scene.local("rev-parse", "HEAD"), status: scene.local("status", "--porcelain") };
      expect((await resume(scene.local.folder, "skip")).verdict).toMatchObject({ applied: true });
      expect({ head: scene.local("rev-parse", "HEAD"), status: scene.local("status", "--porcelain") }).toEqual(before);
      expect(scene.local("log", "--format=%s", "main")).toBe("four\nthree\none\nmine\nbase");
      if (where === "elsewhere") expect(gitBytes(`${scene.local.folder}-main`, ["status", "--porcelain"]).toString()).toBe("");
    }
  });

  it("for a branch that isn't checked out, and a detached HEAD", async () => {
    const aside = makeConflict();
    aside.local("switch", "--quiet", "-c", "other", "HEAD^");
    await parkIn(aside, { branch: "main" });
    await resume(aside.local.folder, "skip");
    expect(aside.local("log", "--format=%s", "main")).toBe("four\nthree\none\nmine\nbase");
    const detached = makeConflict();
    detached.local("switch", "--quiet", "--detach");
    await parkIn(detached);
    await resume(detached.local.folder, "skip");
    expect(detached.local("log", "--format=%s", "HEAD")).toBe("four\nthree\none\nmine\nbase");
    expect(detached.local("log", "--format=%s", "main")).toBe("mine\nbase");
  });

  it("undo takes all of it back, and is refused while it is parked", async () => {
    const scene = makeConflict();
    const mine = scene.local("rev-parse", "HEAD");
    await parkIn(scene);
    await expect(undo(errandIn(scene), makeDeps())).rejects.toMatchObject({ kind: "attention", code: "parked" });
    await resume(scene.local.folder, "skip");
    expect(await undo(errandIn(scene), makeDeps())).toMatchObject({ to: mine });
    await parkIn(scene);
  });

  it("only tells with dryRun", async () => {
    const scene = makeConflict();
    const before = stateOf(scene.local.folder);
    expect(await refusedBy(pullInto(scene.local.folder, scene.source, { onConflict: "park", dryRun: true }))).toMatchObject({
      code: "conflict",
    });
    expect(stateOf(scene.local.folder)).toEqual(before);
  });

  it("runs no hook of the repository", async () => {
    const scene = makeConflict();
    for (const hook of [
      "post-checkout",
      "pre-commit",
      "prepare-commit-msg",
      "commit-msg",
      "post-commit",
      "reference-transaction",
      "post-index-change",
      "post-rewrite",
    ]) {
      writeFileSync(`${scene.local.folder}/.git/hooks/${hook}`, `#!/bin/sh\ntouch ${scene.local.folder}/../hook-ran\n`, {
        mode: 0o755,
      });
    }
    await parkIn(scene);
    await resume(scene.local.folder, "skip");
    expect(existsSync(`${scene.local.folder}/../hook-ran`)).toBe(false);
  });

  it("in SHA-256 repositories, and sparse ones", async () => {
    const sha256 = makeScene({ init: ["--object-format=sha256"] });
    commitFiles(sha256.sandbox, { a: "theirs\n" });
    commitFiles(sha256.local, { a: "mine\n" });
    const tree = await parkIn(sha256);
    writeFile(tree, "a", "both\n");
    tree("add", "a");
    expect((await resume(tree.folder, "continue")).verdict.applied).toBe(true);
    const sparse = makeScene();
    commitFiles(sparse.sandbox, { a: "theirs\n", "dir/d": "D\n" });
    commitFiles(sparse.local, { a: "mine\n" });
    sparse.local("sparse-checkout", "set", "--cone");
    const inSparse = await parkIn(sparse);
    writeFile(inSparse, "a", "both\n");
    inSparse("add", "a");
    expect((await resume(sparse.local.folder, "continue")).verdict.applied).toBe(true);
    expect(sparse.local("status", "--porcelain")).toBe("");
    expect(sparse.local("show", "HEAD:dir/d")).toBe("D");
  });
});
