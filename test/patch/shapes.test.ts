import { mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { commitFiles, gitBytes, gitIn, makeRepository, type TestGit, writeFile } from "../support/git.ts";
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

  it("that git submodule add made, and that were cloned since, are refused and stay; emptied by git, they go", async () => {
    const origin = makeRepository(`${makeScene().local.folder}-library`);
    commitFiles(origin, { l: "l\n" });
    const allow = ["-c", "protocol.file.allow=always"] as const;
    const scene = makeScene({
      prepare: (local) => {
        local(...allow, "submodule", "--quiet", "add", origin.folder, "sub");
        local("commit", "--quiet", "-m", "sub");
      },
    });
    const { local, sandbox } = scene;
    const inside = gitIn(`${local.folder}/sub`);
    const unpushed = commitFiles(inside, { work: "unpushed\n" });
    inside("reset", "--quiet", "--hard", "HEAD~1");
    writeFile(inside, "u", "untracked\n");
    sandbox("rm", "--quiet", "sub");
    commitFiles(sandbox, {}, "without");
    commitFiles(sandbox, { sub: "a file\n" }, "a file");
    expect(await pullRefused(scene)).toMatchObject({ verdict: { blocked_by: ["sub"] } });
    expect(await pullRefused(scene, { autostash: true })).toMatchObject({ verdict: { blocked_by: ["sub"] } });
    expect([inside("cat-file", "-t", unpushed), readFileSync(`${inside.folder}/u`, "utf8")]).toEqual(["commit", "untracked\n"]);
    local("submodule", "--quiet", "deinit", "--force", "sub");
    await pullExactly(scene);
    expect([readFileSync(`${local.folder}/sub`, "utf8"), local("status", "--porcelain")]).toEqual(["a file\n", ""]);
    // Its own repository, with what was never pushed, is git's to keep.
    expect(gitBytes(`${local.folder}/.git/modules/sub`, ["cat-file", "-t", unpushed]).toString()).toBe("commit\n");
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

  it("that stand at another commit here stay there, and are refused where that is staged", async () => {
    const library = makeRepository(`${makeScene().local.folder}-library`);
    const [one, two, three] = ["1\n", "2\n", "3\n"].map((l) => commitFiles(library, { l }));
    const scene = makeScene({
      prepare: (local) => {
        local("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library.folder, "sub");
        gitIn(`${local.folder}/sub`)("checkout", "--quiet", one ?? "");
        local("commit", "--quiet", "--all", "-m", "sub");
      },
    });
    const { local, sandbox } = scene;
    gitIn(`${local.folder}/sub`)("checkout", "--quiet", two ?? "");
    commitFiles(sandbox, { a: "A\n" });
    await pullExactly(scene);
    sandbox("update-index", "--cacheinfo", `160000,${three ?? ""},sub`);
    sandbox("commit", "--quiet", "-m", "bump");
    await pullExactly(scene);
    expect([local("status", "--porcelain"), gitIn(`${local.folder}/sub`)("rev-parse", "HEAD")]).toEqual([" M sub", two]);
    local("add", "sub");
    sandbox("update-index", "--cacheinfo", `160000,${one ?? ""},sub`);
    sandbox("commit", "--quiet", "-m", "back");
    expect(await pullRefused(scene)).toMatchObject({ details: ["sub has staged changes"] });
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
