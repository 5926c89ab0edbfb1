import { mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { commitFiles, makeRepository, type TestGit, writeFile } from "../support/git.ts";
import { pullInto } from "../support/pulling.ts";
import { makeScene, pullExactly, pullRefused, removeScenes } from "../support/scene.ts";
import { filesBelow } from "../support/state.ts";

afterAll(removeScenes);

describe("a sparse checkout", () => {
  const makeSparse = () => {
    const scene = makeScene({ files: { "in/x": "x\n", "out/y": "y\n", top: "t\n" } });
    scene.local("sparse-checkout", "set", "--cone", "in");
    commitFiles(scene.sandbox, { "in/x": "X\n", "out/y": "Y\n", "out/z": "z\n", "in/w": "w\n" });
    return scene;
  };

  it.each(["false", "true"])("gets what is in its cone, and only that (index.sparse=%s)", async (sparse) => {
    const scene = makeSparse();
    scene.local("sparse-checkout", "reapply", sparse === "true" ? "--sparse-index" : "--no-sparse-index");
    await pullExactly(scene);
    expect(scene.local("status", "--porcelain")).toBe("");
    expect(filesBelow(scene.local.folder).map((line) => line.split(" ")[0])).toEqual(["in/", "in/w", "in/x", "top"]);
  });

  it("keeps local files outside of the cone", async () => {
    const scene = makeSparse();
    writeFile(scene.local, "out/y", "mine\n");
    writeFile(scene.local, "out/z", "mine too\n");
    expect(await pullRefused(scene)).toMatchObject({ verdict: { blocked_by: ["out/y", "out/z"] } });
  });

  it("leaves a file outside of the cone that the series doesn't touch", async () => {
    const scene = makeSparse();
    writeFile(scene.local, "out/sibling", "untracked\n");
    await pullExactly(scene);
    expect(readFileSync(`${scene.local.folder}/out/sibling`, "utf8")).toBe("untracked\n");
  });
});

describe("submodules and embedded clones", () => {
  const makeGitlink = () =>
    makeScene({
      prepare: (local) => {
        local("update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},sub`);
        local("commit", "--quiet", "-m", "sub");
      },
    });

  it("that go away must be empty", async () => {
    const scene = makeGitlink();
    scene.sandbox("rm", "--quiet", "--cached", "sub");
    scene.sandbox("commit", "--quiet", "-m", "without");
    commitFiles(makeRepository(`${scene.local.folder}/sub`), { work: "unpushed\n" });
    expect(await pullRefused(scene)).toMatchObject({ verdict: { blocked_by: ["sub"] } });
    const empty = makeGitlink();
    empty.sandbox("rm", "--quiet", "--cached", "sub");
    empty.sandbox("commit", "--quiet", "-m", "without");
    mkdirSync(`${empty.local.folder}/sub`, { recursive: true });
    await pullExactly(empty);
  });

  it("that are replaced by a file, a link or a folder must be empty", async () => {
    const kinds: readonly ((at: TestGit) => void)[] = [
      (at) => writeFile(at, "sub", "file\n"),
      (at) => symlinkSync("a", `${at.folder}/sub`),
      (at) => writeFile(at, "sub/x", "x\n"),
    ];
    for (const make of kinds) {
      const scene = makeGitlink();
      scene.sandbox("rm", "--quiet", "--cached", "sub");
      rmSync(`${scene.sandbox.folder}/sub`, { recursive: true, force: true });
      make(scene.sandbox);
      commitFiles(scene.sandbox, {});
      commitFiles(makeRepository(`${scene.local.folder}/sub`), { work: "unpushed\n" });
      const error = await pullRefused(scene);
      expect(error).toMatchObject({ kind: "attention" });
      expect(error.message).toContain("sub");
      rmSync(`${scene.local.folder}/sub`, { recursive: true });
      mkdirSync(`${scene.local.folder}/sub`);
      await pullExactly(scene);
      expect(scene.local("status", "--porcelain")).toBe("");
    }
  });

  it("whose commit changes keep their working copy", async () => {
    const scene = makeGitlink();
    scene.sandbox("update-index", "--cacheinfo", `160000,${"2".repeat(40)},sub`);
    scene.sandbox("commit", "--quiet", "-m", "bump");
    commitFiles(makeRepository(`${scene.local.folder}/sub`), { work: "unpushed\n" });
    await pullExactly(scene);
    expect(readFileSync(`${scene.local.folder}/sub/work`, "utf8")).toBe("unpushed\n");
    expect(await pullInto(scene.local.folder, scene.source)).toMatchObject({ applied: false });
  });
});

describe("a series that deletes most of the tree", () => {
  const files = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`d/${at}`, `${at}\n`]));

  it("is refused unless that is accepted", async () => {
    const scene = makeScene({ files });
    commitFiles(scene.sandbox, { d: null, a: "a\n" });
    expect(await pullRefused(scene)).toMatchObject({ kind: "attention", code: "deletes_most" });
    await pullExactly(scene, { acceptDeletion: true });
  });

  it("but not one that moves it", async () => {
    const scene = makeScene({ files });
    scene.sandbox("mv", "d", "e");
    commitFiles(scene.sandbox, {});
    await pullExactly(scene);
  });
});
