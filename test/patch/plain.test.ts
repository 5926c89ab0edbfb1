import { afterAll, describe, expect, it } from "vitest";
import { readdirSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { commitFiles, gitBytes, gitIn, makeRepository, writeFile } from "../support/git.ts";
import { pullInto } from "../support/pulling.ts";
import { makeScene, pullExactly, pullRefused, removeScenes } from "../support/scene.ts";
import { sandboxSource } from "../support/series.ts";
import { stateOf } from "../support/state.ts";

afterAll(removeScenes);

describe("a plain series", () => {
  it("comes with the sandbox's ids, and says what came", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "1\nzwei\n3\n" }, "one");
    commitFiles(scene.sandbox, { "dir/new": "n\n", c: null }, "two\n\nwith a body");
    commitFiles(scene.sandbox, { a: "1\nzwei\ndrei\n" }, "three");
    const verdict = await pullExactly(scene);
    expect(verdict).toMatchObject({ base: scene.base, engine: "exact", files: 3, conflicts: [], blocked_by: [], notices: [] });
    expect(verdict.commits.map(({ sequence, subject }) => [sequence, subject])).toEqual([
      [1, "one"],
      [2, "two"],
      [3, "three"],
    ]);
    expect(verdict.commits.every(({ commit, applied_as }) => commit === applied_as)).toBe(true);
    expect(scene.local("status", "--porcelain")).toBe("");
    expect(scene.local("log", "-1", "--format=%an %ae %at %cn %ct")).toBe(
      scene.sandbox("log", "-1", "--format=%an %ae %at %cn %ct"),
    );
    expect(readdirSync(`${scene.local.folder}/.git/ferry`)).toEqual([]);
  });

  it("is nothing the second time: no object, no ref, no file is written", async () => {
    const scene = makeScene();
    const tip = commitFiles(scene.sandbox, { a: "x\n" });
    await pullExactly(scene);
    const before = stateOf(scene.local.folder);
    const again = await pullInto(scene.local.folder, scene.source);
    expect(again).toMatchObject({ applied: false, base: tip, tip, engine: "none", commits: [] });
    expect(stateOf(scene.local.folder)).toEqual(before);
    expect(scene.source.calls.at(-1)).toBe(`manifest ${tip}`);
  });

  it("brings only what is new", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" }, "one");
    await pullExactly(scene);
    commitFiles(scene.sandbox, { a: "y\n" }, "two");
    commitFiles(scene.sandbox, { e: "e\n" }, "three");
    const verdict = await pullExactly(scene);
    expect(verdict.commits.map(({ sequence }) => sequence)).toEqual([2, 3]);
  });

  it("of nothing is no error", async () => {
    const scene = makeScene();
    expect(await pullInto(scene.local.folder, scene.source)).toMatchObject({
      applied: false,
      commits: [],
      base: scene.base,
      tip: scene.base,
    });
  });

  it("is only told about with dryRun, blocked or not", async () => {
    const scene = makeScene();
    const tip = commitFiles(scene.sandbox, { a: "x\n" });
    const before = stateOf(scene.local.folder);
    expect(await pullInto(scene.local.folder, scene.source, { dryRun: true })).toMatchObject({
      applied: false,
      tip,
      commits: [{ commit: tip }],
      files: 1,
    });
    expect(stateOf(scene.local.folder)).toEqual(before);
    writeFile(scene.local, "a", "mine\n");
    expect(await pullRefused(scene, { dryRun: true })).toMatchObject({ kind: "attention", verdict: { blocked_by: ["a"] } });
  });

  it("may have an edit and its revert", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" }, "edit");
    commitFiles(scene.sandbox, { a: "1\n2\n3\n" }, "revert");
    expect(await pullExactly(scene)).toMatchObject({ files: 0, commits: [{}, {}] });
  });
});

describe("where HEAD is", () => {
  it("a shallow clone", async () => {
    const scene = makeScene({ prepare: (local) => void commitFiles(local, { b: "2\n" }, "more") });
    const shallow = `${scene.local.folder}-shallow`;
    gitBytes("/", ["clone", "--quiet", "--depth=1", `file://${scene.local.folder}`, shallow]);
    commitFiles(scene.sandbox, { a: "x\n" });
    commitFiles(scene.sandbox, { a: "y\n", b: "z\n" });
    await pullExactly({ ...scene, local: gitIn(shallow) });
  });

  it("somewhere else than it was seen a moment ago", async () => {
    const scene = makeScene();
    const tip = commitFiles(scene.sandbox, { a: "x\n" });
    const seen = { state: "branch", ref: "refs/heads/main", commit: scene.base } as const;
    for (const [branch, ...how] of [["other"], ["HEAD", "--detach"]]) {
      scene.local("switch", "--quiet", ...(how.length > 0 ? how : ["-c", branch ?? ""]), scene.base);
      expect(await pullInto(scene.local.folder, scene.source, { head: seen })).toMatchObject({ applied: true, tip });
      expect(scene.local("rev-parse", "--abbrev-ref", "HEAD")).toBe(branch);
      expect(await pullInto(scene.local.folder, scene.source, { head: seen })).toMatchObject({ applied: false, base: tip });
      expect(scene.local("rev-parse", "HEAD", "main")).toBe(`${tip}\n${scene.base}`);
    }
    scene.local("switch", "--quiet", "main");
    const mine = commitFiles(scene.local, { mine: "m\n" }, "mine");
    expect(await pullInto(scene.local.folder, scene.source, { head: seen })).toMatchObject({ applied: true, base: mine });
  });

  it("an unborn branch", async () => {
    const scene = makeScene();
    const local = makeRepository(`${scene.local.folder}-empty`);
    const source = sandboxSource({ folder: scene.sandbox.folder, branch: "HEAD", base: "" });
    commitFiles(scene.sandbox, { a: "x\n" });
    writeFile(local, "mine", "m\n");
    await pullExactly({ ...scene, local, source: source });
    expect(local("symbolic-ref", "HEAD")).toBe("refs/heads/main");
    expect(local("status", "--porcelain")).toBe("?? mine");
  });

  it("an unborn branch with something staged", async () => {
    const scene = makeScene();
    const local = makeRepository(`${scene.local.folder}-staged`);
    writeFile(local, "mine", "m\n");
    local("add", "mine");
    await pullExactly({ ...scene, local, source: sandboxSource({ folder: scene.sandbox.folder, branch: "HEAD", base: "" }) });
    expect(local("status", "--porcelain")).toBe("A  mine");
  });

  it("detached", async () => {
    const scene = makeScene();
    scene.local("checkout", "--quiet", "--detach");
    commitFiles(scene.sandbox, { a: "x\n" });
    const verdict = await pullExactly(scene);
    expect(verdict.notices).toEqual([expect.stringContaining("detached")]);
    expect(scene.local("rev-parse", "main")).toBe(scene.base);
    expect(scene.local("rev-parse", "--abbrev-ref", "HEAD")).toBe("HEAD");
  });

  it("in a linked worktree, whose branch moves and no other", async () => {
    const scene = makeScene();
    const linked = `${scene.local.folder}-linked`;
    scene.local("worktree", "add", "--quiet", "-b", "side", linked);
    commitFiles(scene.sandbox, { a: "x\n" });
    await pullExactly({ ...scene, local: gitIn(linked) });
    expect(scene.local("rev-parse", "main")).toBe(scene.base);
    expect(scene.local("status", "--porcelain")).toBe("");
  });

  it("in a linked worktree whose paths are relative", async () => {
    const scene = makeScene();
    const linked = `${scene.local.folder}-relative`;
    scene.local("worktree", "add", "--quiet", "-b", "relative", linked);
    const gitDir = gitIn(linked)("rev-parse", "--absolute-git-dir");
    writeFileSync(`${gitDir}/gitdir`, `${relative(gitDir, `${linked}/.git`)}\n`);
    writeFileSync(`${linked}/.git`, `gitdir: ${relative(linked, gitDir)}\n`);
    commitFiles(scene.sandbox, { a: "x\n" });
    await pullExactly({ ...scene, local: gitIn(linked) });
    expect(gitIn(linked)("status", "--porcelain")).toBe("");
    commitFiles(scene.sandbox, { a: "y\n" });
    await expect(pullInto(scene.local.folder, scene.source, { branch: "relative" })).rejects.toMatchObject({
      message: `relative is checked out in ${linked}`,
    });
  });

  it("checked out in two places: refused", async () => {
    const scene = makeScene();
    scene.local("worktree", "add", "--quiet", "--force", `${scene.local.folder}-twice`, "main");
    commitFiles(scene.sandbox, { a: "x\n" });
    expect(await pullRefused(scene)).toMatchObject({
      kind: "attention",
      message: expect.stringContaining("checked out in") as string,
    });
  });

  it("on a base of another history: refused", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" });
    const local = makeRepository(`${scene.local.folder}-other`);
    commitFiles(local, { z: "z\n" });
    expect(await pullRefused({ local, source: scene.source })).toMatchObject({
      kind: "attention",
      code: "unrelated",
      message: expect.stringContaining("the session's 1 new commit follows") as string,
    });
    const empty = makeRepository(`${scene.local.folder}-nothing`);
    expect(await pullRefused({ local: empty, source: scene.source })).toMatchObject({ kind: "attention", code: "unrelated" });
  });

  it("bare: refused", async () => {
    const scene = makeScene();
    const bare = makeRepository(`${scene.local.folder}-bare`, ["--bare"]);
    await expect(pullInto(bare.folder, scene.source)).rejects.toMatchObject({ kind: "attention" });
    await expect(pullInto("/", scene.source)).rejects.toMatchObject({ kind: "not_found" });
  });
});

describe("the cursor", () => {
  it("tells branches, sessions and hosts apart", async () => {
    const scene = makeScene();
    const tip = commitFiles(scene.sandbox, { a: "x\n" });
    scene.local("checkout", "--quiet", "-b", "first");
    await pullExactly(scene);
    scene.local("checkout", "--quiet", "-b", "second", scene.base);
    await pullExactly(scene);
    scene.local("checkout", "--quiet", "main");
    expect(await pullInto(scene.local.folder, scene.source, { origin: "https://other.example.com" })).toMatchObject({
      applied: true,
      tip,
    });
    expect(scene.source.calls.filter((call) => call === "manifest ")).toHaveLength(3);
  });

  it("comes again where the branch that got it is gone", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" });
    scene.local("checkout", "--quiet", "-b", "work");
    await pullExactly(scene);
    scene.local("checkout", "--quiet", "main");
    scene.local("branch", "--quiet", "-D", "work");
    await pullExactly(scene);
  });

  it("moves alone where the branch was made from one that had it", async () => {
    const scene = makeScene();
    const one = commitFiles(scene.sandbox, { a: "x\n" });
    await pullExactly(scene);
    scene.local("checkout", "--quiet", "-b", "other");
    expect(await pullInto(scene.local.folder, scene.source)).toMatchObject({ applied: false, tip: one, commits: [] });
    commitFiles(scene.sandbox, { a: "y\n" });
    expect((await pullExactly(scene)).commits).toHaveLength(1);
    expect(scene.source.calls.filter((call) => call.startsWith("mbox"))).toHaveLength(2);
  });
});

describe("the user's configuration changes nothing", () => {
  const configs: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
    "merge options": [
      ["branch.main.mergeOptions", "-s ours --squash"],
      ["merge.autoStash", "true"],
      ["merge.verifySignatures", "true"],
      ["merge.ff", "false"],
    ],
    "no name": [["user.useConfigOnly", "true"]],
    "signing with a dead agent": [
      ["commit.gpgSign", "true"],
      ["gpg.program", "/nonexistent"],
      ["user.signingKey", "x"],
    ],
    "apply and am": [
      ["apply.whitespace", "error"],
      ["am.threeWay", "true"],
      ["am.keepcr", "false"],
      ["mailinfo.scissors", "true"],
    ],
    diff: [
      ["diff.noprefix", "true"],
      ["diff.renames", "copies"],
      ["diff.external", "/bin/false"],
      ["diff.ignoreSubmodules", "none"],
      ["core.quotePath", "false"],
    ],
    index: [
      ["core.splitIndex", "true"],
      ["index.version", "4"],
      ["core.untrackedCache", "true"],
      ["index.threads", "1"],
    ],
    "fsmonitor and hooks": [
      ["core.fsmonitor", "/bin/false"],
      ["core.hooksPath", "dir"],
    ],
    logs: [["core.logAllRefUpdates", "false"]],
  };
  it.each(Object.keys(configs))("%s", async (name) => {
    const scene = makeScene();
    for (const [key, value] of configs[name] ?? []) scene.local("config", key, value);
    writeFile(scene.local, "b", "dirt\n");
    commitFiles(scene.sandbox, { a: "x \n", "dir/reference-transaction": "#!/bin/sh\nexit 1\n" });
    commitFiles(scene.sandbox, { a: "y\n" });
    const env = name === "no name" ? { GIT_AUTHOR_NAME: "", GIT_COMMITTER_NAME: "" } : {};
    await pullExactly(scene, { env });
    expect(scene.local("status", "--porcelain")).toBe(" M b");
  });

  it("a replace ref on a blob of the base", async () => {
    const scene = makeScene();
    const fake = gitBytes(scene.local.folder, ["hash-object", "-w", "--stdin"], { input: "9\n9\n9\n" }).toString().trim();
    scene.local("replace", scene.local("rev-parse", "HEAD:a"), fake);
    commitFiles(scene.sandbox, { a: "1\n2\n3\n4\n" });
    await pullExactly(scene);
  });
});
