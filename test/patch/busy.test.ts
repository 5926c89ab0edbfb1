import { chmodSync, existsSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import type { Checkpoint } from "../../src/patch/request.ts";
import { commitFiles, gitBytes, gitIn, type TestGit, writeFile } from "../support/git.ts";
import { pullInto } from "../support/pulling.ts";
import { makeScene, pullExactly, pullRefused, removeScenes, type Scene } from "../support/scene.ts";
import { stateOf } from "../support/state.ts";

afterAll(removeScenes);

/** A scene with a second branch that conflicts with `main`, and a sandbox that edits another file. */
function makeConflicted(): Scene {
  const scene = makeScene();
  const { local } = scene;
  local("checkout", "--quiet", "-b", "side");
  commitFiles(local, { a: "side\n" }, "side");
  commitFiles(local, { a: "side again\n" }, "side again");
  local("checkout", "--quiet", "main");
  commitFiles(scene.sandbox, { b: "B\n" });
  return scene;
}

function failing(run: () => unknown): void {
  expect(run).toThrow();
}

describe("an open operation is refused, and how to end it is said", () => {
  const operations: Readonly<Record<string, (scene: Scene) => void>> = {
    merge: ({ local }) => {
      commitFiles(local, { a: "main\n" });
      failing(() => local("merge", "side"));
    },
    "cherry-pick": ({ local }) => failing(() => local("cherry-pick", "side")),
    revert: ({ local }) => {
      commitFiles(local, { a: "x\n" });
      commitFiles(local, { a: "y\n" });
      failing(() => local("revert", "--no-edit", "HEAD~1"));
    },
    rebase: ({ local }) => {
      commitFiles(local, { a: "main\n" });
      failing(() => local("rebase", "--merge", "side"));
    },
    "rebase with apply": ({ local }) => {
      commitFiles(local, { a: "main\n" });
      failing(() => local("rebase", "--apply", "side"));
    },
    am: ({ local, sandbox }) => {
      sandbox("format-patch", "-1", "-o", "..");
      commitFiles(local, { b: "other\n" });
      failing(() => local("am", "../0001-change.patch"));
    },
    bisect: ({ local }) => {
      local("bisect", "start");
    },
  };
  it.each(Object.keys(operations))("%s", async (name) => {
    const scene = makeConflicted();
    operations[name]?.(scene);
    const error = await pullRefused(scene);
    expect(error).toMatchObject({ kind: "attention" });
    expect(error.message).toContain(`${name === "am" ? "an" : "a"} ${name.split(" ")[0] ?? ""} is in progress`);
    expect(error.hint).toContain("git ");
  });
});

describe("a branch that another working copy is in the middle of something with", () => {
  it.each([
    ["rebase", (tree: TestGit) => failing(() => tree("rebase", "--merge", "side"))],
    ["rebase by am", (tree: TestGit) => failing(() => tree("rebase", "--apply", "side"))],
    [
      "bisect",
      (tree: TestGit) => tree("bisect", "start", "HEAD", "HEAD~1", "--no-checkout") && tree("checkout", "--quiet", "--detach"),
    ],
  ] as const)("%s: is refused, as git does", async (_, begin) => {
    const scene = makeConflicted();
    const tree = gitIn(`${scene.local.folder}-tree`);
    scene.local("worktree", "add", "--quiet", "-b", "work", tree.folder);
    commitFiles(tree, { a: "work\n" });
    begin(tree);
    expect(tree("branch", "--show-current")).toBe("");
    const error = await pullRefused(scene, { branch: "work" });
    expect(error.message).toMatch(/^work is being (rebased|bisected) in .*-tree$/u);
  });
});

describe("while a pull runs", () => {
  const during = (at: Checkpoint, act: () => void) => {
    let done = false;
    return (name: Checkpoint) => {
      if (name === at && !done) {
        done = true;
        act();
      }
      return Promise.resolve();
    };
  };

  it("two at once: one waits, both are right", async () => {
    const scene = makeScene();
    const tip = commitFiles(scene.sandbox, { a: "x\n" });
    const verdicts = await Promise.all([pullInto(scene.local.folder, scene.source), pullInto(scene.local.folder, scene.source)]);
    expect(verdicts.map(({ applied }) => applied).sort()).toEqual([false, true]);
    expect(scene.local("rev-parse", "HEAD")).toBe(tip);
  });

  it("in a hook the other isn't waited for", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" });
    let second: Promise<unknown> | undefined;
    const checkpoint = during("locked", () => {
      second = pullInto(scene.local.folder, scene.source, { hook: "post-merge" }).catch((error: unknown) => error);
    });
    const slow = async (name: Checkpoint) => {
      await checkpoint(name);
      if (name === "quarantined") expect(await second).toMatchObject({ kind: "unavailable" });
    };
    await pullExactly(scene, { deps: { checkpoint: slow } });
  });

  it("the user switches to another branch at the same commit: that one is not moved by mistake", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" });
    scene.local("branch", "other");
    const checkpoint = during("promoted", () => void scene.local("switch", "--quiet", "other"));
    await pullExactly(scene, { deps: { checkpoint } });
    expect(scene.local("symbolic-ref", "HEAD")).toBe("refs/heads/other");
    expect(scene.local("rev-parse", "main")).toBe(scene.base);
    // Nor is it remembered as the one that got them.
    scene.local("switch", "--quiet", "main");
    await pullExactly(scene);
  });

  it.each(["checked", "adopted"] as const)("the user edits a touched file after it was %s: the edit stays", async (at) => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n", n: "n\n", c: null });
    const checkpoint = during(at, () => writeFile(scene.local, "a", "mine, and longer\n"));
    await expect(pullInto(scene.local.folder, scene.source, { deps: { checkpoint } })).rejects.toThrow();
    expect(readFileSync(`${scene.local.folder}/a`, "utf8")).toBe("mine, and longer\n");
    expect(scene.local("status", "--porcelain")).toBe(" M a");
    expect(scene.local("rev-parse", "HEAD")).toBe(scene.base);
    expect(existsSync(`${scene.local.folder}/.git/ferry/journal`)).toBe(false);
  });

  it("the user commits each time that it is about to land: it says so, and nothing is lost", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" });
    let count = 0;
    const checkpoint = (name: Checkpoint) => {
      if (name === "promoted") commitFiles(scene.local, { own: `${(count += 1)}\n` }, `own ${count}`);
      return Promise.resolve();
    };
    await expect(pullInto(scene.local.folder, scene.source, { deps: { checkpoint } })).rejects.toMatchObject({
      kind: "attention",
      message: "HEAD was moved meanwhile",
      hint: "pull again when nothing else works here",
    });
    expect(scene.local("log", "--format=%s")).toBe("own 3\nown 2\nown 1\nbase");
    expect(scene.local("status", "--porcelain")).toBe("");
  });

  it("the tree is written and the refs fail: all is taken back, and what was there before stays", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n", n: "n\n", same: "same\n", c: null, "new/deep/f": "f\n", "dir/d": "D\n" });
    commitFiles(scene.sandbox, { dir: null });
    commitFiles(scene.sandbox, { dir: "a file\n" });
    writeFile(scene.local, "same", "same\n");
    writeFile(scene.local, "b", "dirty\n");
    writeFile(scene.local, "staged", "s\n");
    scene.local("add", "staged");
    const before = stateOf(scene.local.folder);
    const checkpoint = during("tree-written", () => {
      throw new Error("fault");
    });
    await expect(pullInto(scene.local.folder, scene.source, { deps: { checkpoint } })).rejects.toThrow("fault");
    expect({ ...stateOf(scene.local.folder), objects: "" }).toEqual({ ...before, objects: "" });
    await pullExactly(scene);
  });
});

describe("inside a git hook", () => {
  /** Runs the pull in a process of its own, as the hook would. */
  const hookScript = (scene: Scene, name: string, program: string) => {
    const hook = `${scene.local.folder}/.git/hooks/${name}`;
    mkdirSync(`${scene.local.folder}/.git/hooks`, { recursive: true });
    writeFileSync(hook, `#!/bin/sh\n${program}\n`);
    chmodSync(hook, 0o755);
    return hook;
  };

  it.each(["post-commit", "post-checkout", "post-merge", "post-rewrite", "pre-push"])(
    "%s: git's variables don't lead astray",
    async (name) => {
      const scene = makeScene();
      const dump = `${scene.local.folder}/../env`;
      const hook = hookScript(scene, name, `env | grep ^GIT_ > ${dump}`);
      if (name === "post-checkout") scene.local("checkout", "--quiet", "-b", "work");
      else if (name === "post-rewrite") scene.local("commit", "--quiet", "--amend", "-m", "amended");
      else if (name === "pre-push") {
        gitBytes(scene.local.folder, ["init", "--quiet", "--bare", "../remote"]);
        scene.local("push", "--quiet", "../remote", "HEAD:refs/heads/x");
      } else if (name === "post-merge") {
        scene.local(
          "branch",
          "--quiet",
          "side",
          gitBytes(scene.local.folder, ["commit-tree", "-p", "HEAD", "-m", "s", "HEAD^{tree}"]).toString().trim(),
        );
        scene.local("merge", "--quiet", "side");
      } else commitFiles(scene.local, { z: "z\n" });
      unlinkSync(hook);
      const env = Object.fromEntries(
        readFileSync(dump, "utf8")
          .trim()
          .split("\n")
          .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
      );
      const base = scene.local("rev-parse", "HEAD");
      scene.sandbox("fetch", "--quiet", scene.local.folder, "HEAD");
      scene.sandbox("reset", "--quiet", "--hard", base);
      commitFiles(scene.sandbox, { a: "x\n" });
      const { sandboxSource } = await import("../support/series.ts");
      await pullExactly(
        { ...scene, source: sandboxSource({ folder: scene.sandbox.folder, branch: "HEAD", base }) },
        { hook: name, env },
      );
    },
  );

  it("pre-commit: a commit is being made, so nothing moves", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" });
    writeFile(scene.local, "b", "mine\n");
    scene.local("add", "b");
    expect(
      await pullRefused(scene, { hook: "pre-commit", env: { GIT_INDEX_FILE: ".git/index", GIT_EDITOR: ":" } }),
    ).toMatchObject({ kind: "attention" });
    expect(
      await pullRefused(scene, { hook: "pre-commit", env: { GIT_INDEX_FILE: `${scene.local.folder}/.git/index.lock` } }),
    ).toMatchObject({ kind: "attention" });
  });

  it("GIT_DIR of another repository: refused", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" });
    const other = makeScene();
    expect(
      await pullRefused(scene, { env: { GIT_DIR: `${other.local.folder}/.git`, GIT_WORK_TREE: other.local.folder } }),
    ).toMatchObject({ kind: "attention" });
  });

  it("in a linked worktree, with its GIT_DIR", async () => {
    const scene = makeScene();
    const linked = `${scene.local.folder}-linked`;
    scene.local("worktree", "add", "--quiet", "-b", "side", linked);
    commitFiles(scene.sandbox, { a: "x\n" });
    const gitDir = gitIn(linked)("rev-parse", "--absolute-git-dir");
    await pullExactly({ ...scene, local: gitIn(linked) }, { hook: "post-checkout", env: { GIT_DIR: gitDir } });
    expect(scene.local("rev-parse", "main")).toBe(scene.base);
  });

  it("reference-transaction: HEAD is locked, so nothing moves", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" });
    writeFile(scene.local, ".git/HEAD.lock", "");
    expect(await pullRefused(scene, { hook: "reference-transaction" })).toMatchObject({ kind: "attention" });
  });
});
