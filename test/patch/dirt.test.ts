import { chmodSync, mkdirSync, readFileSync, symlinkSync, unlinkSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { commitFiles, gitIn, makeFolder, makeRepository, writeFile } from "../support/git.ts";
import { pullInto } from "../support/pulling.ts";
import { makeScene, pullExactly, pullRefused, removeScenes } from "../support/scene.ts";
import { sandboxSource } from "../support/series.ts";
import { filesBelow } from "../support/state.ts";

const outside = makeFolder();
afterAll(() => {
  removeScenes();
  outside.remove();
});

/** A scene whose sandbox edits `a`, adds `n`, and removes `c`. */
function makeEdit() {
  const scene = makeScene();
  commitFiles(scene.sandbox, { a: "1\nzwei\n3\n", n: "new\n", c: null });
  return scene;
}

describe("local work in the way", () => {
  it("is there again when it was stashed as the hint says", async () => {
    const scene = makeScene({ files: { a: "1\n2\n3\n4\n5\n6\n" } });
    commitFiles(scene.sandbox, { a: "eins\n2\n3\n4\n5\n6\n" });
    writeFile(scene.local, "a", "1\n2\n3\n4\n5\nsix\n");
    expect((await pullRefused(scene)).hint).toMatch(/ferry pull --autostash .*git stash -u.*git stash pop/u);
    scene.local("stash", "--quiet", "-u");
    await pullExactly(scene);
    scene.local("stash", "pop", "--quiet");
    expect(scene.local("diff", "--unified=0")).toContain("-6\n+six");
  });
});

describe("local work that the series doesn't touch", () => {
  it("stays: unstaged, staged, untracked", async () => {
    const scene = makeEdit();
    writeFile(scene.local, "b", "dirty\n");
    writeFile(scene.local, "dir/d", "staged\n");
    scene.local("add", "dir/d");
    writeFile(scene.local, "u", "untracked\n");
    writeFile(scene.local, "i", "later\n");
    scene.local("add", "-N", "i");
    const before = scene.local("status", "--porcelain");
    await pullExactly(scene);
    expect(scene.local("status", "--porcelain")).toBe(before);
    expect(scene.local("diff", "--cached", "--name-only")).toBe("dir/d");
  });

  it("stays where a file's times changed but not its content", async () => {
    const scene = makeEdit();
    writeFile(scene.local, "a", "1\n2\n3\n");
    await pullExactly(scene);
    expect(scene.local("status", "--porcelain")).toBe("");
  });
});

describe("a merge of the user's own that stands at a conflict, though git calls nothing open", () => {
  it("is refused, also where the series doesn't touch it, with what helps", async () => {
    const scene = makeEdit();
    writeFile(scene.local, "b", "stashed\n");
    scene.local("stash", "--quiet");
    commitFiles(scene.local, { b: "mine\n" });
    expect(() => scene.local("stash", "pop", "--quiet")).toThrow();
    expect(scene.local("status", "--porcelain")).toBe("UU b");
    const error = await pullRefused(scene);
    expect(error).toMatchObject({ kind: "attention", details: ["b is unmerged"] });
    expect(await pullRefused(scene, { autostash: true })).toMatchObject({ details: ["b is unmerged"] });
    scene.local("checkout", "--quiet", "HEAD", "--", "b");
    expect(await pullInto(scene.local.folder, scene.source)).toMatchObject({ applied: true });
  });
});

describe("local work that the series touches is refused, and the path named", () => {
  const cases: Readonly<Record<string, { path: string; make: (scene: ReturnType<typeof makeScene>) => void }>> = {
    unstaged: { path: "a", make: ({ local }) => writeFile(local, "a", "mine\n") },
    staged: {
      path: "a",
      make: ({ local }) => {
        writeFile(local, "a", "mine\n");
        local("add", "a");
      },
    },
    "staged, and taken back in the tree": {
      path: "a",
      make: ({ local }) => {
        writeFile(local, "a", "mine\n");
        local("add", "a");
        writeFile(local, "a", "1\n2\n3\n");
      },
    },
    "intent to add": {
      path: "n",
      make: ({ local }) => {
        writeFile(local, "n", "mine\n");
        local("add", "-N", "n");
      },
    },
    "edit of what goes": { path: "c", make: ({ local }) => writeFile(local, "c", "mine\n") },
    deleted: { path: "a", make: ({ local }) => unlinkSync(`${local.folder}/a`) },
    "staged for deletion": { path: "a", make: ({ local }) => void local("rm", "--quiet", "--cached", "a") },
    untracked: { path: "n", make: ({ local }) => writeFile(local, "n", "mine\n") },
    "untracked folder": { path: "n", make: ({ local }) => writeFile(local, "n/k", "mine\n") },
    ignored: {
      path: "n",
      make: ({ local }) => {
        writeFile(local, ".git/info/exclude", "n\n");
        writeFile(local, "n", "SECRET=1\n");
      },
    },
    "ignored folder": {
      path: "n",
      make: ({ local }) => {
        writeFile(local, ".git/info/exclude", "n\n");
        writeFile(local, "n/x/y", "mine\n");
      },
    },
    "an embedded clone": { path: "n", make: ({ local }) => void commitFiles(makeRepository(`${local.folder}/n`), { z: "z\n" }) },
    "another mode": { path: "a", make: ({ local }) => chmodSync(`${local.folder}/a`, 0o755) },
    "assume-unchanged": {
      path: "a",
      make: ({ local }) => {
        local("update-index", "--assume-unchanged", "a");
        writeFile(local, "a", "mine\n");
      },
    },
    "skip-worktree": {
      path: "c",
      make: ({ local }) => {
        local("update-index", "--skip-worktree", "c");
        writeFile(local, "c", "mine\n");
      },
    },
  };
  it.each(Object.keys(cases))("%s", async (name) => {
    const scene = makeEdit();
    const { path, make } = cases[name] ?? expect.fail();
    make(scene);
    const error = await pullRefused(scene);
    expect(error).toMatchObject({ kind: "attention", verdict: { applied: false, blocked_by: [path] } });
    expect(error.message).toContain(path);
  });

  it("untracked, where git is told to trust what it knows of files", async () => {
    const scene = makeEdit();
    scene.local("config", "core.ignoreStat", "true");
    writeFile(scene.local, "n", "mine\n");
    expect(await pullRefused(scene)).toMatchObject({ kind: "attention", verdict: { blocked_by: ["n"] } });
    unlinkSync(`${scene.local.folder}/n`);
    await pullExactly(scene);
    expect(scene.local("ls-files", "-v")).not.toMatch(/^h/mu);
  });

  it("all of them, in order", async () => {
    const scene = makeEdit();
    for (const path of ["a", "c", "n"]) writeFile(scene.local, path, "mine\n");
    expect(await pullRefused(scene)).toMatchObject({ verdict: { blocked_by: ["a", "c", "n"] } });
  });

  it("an ignored file on an unborn branch", async () => {
    const scene = makeEdit();
    const local = makeRepository(`${scene.local.folder}-unborn`);
    writeFile(local, ".git/info/exclude", "a\n");
    writeFile(local, "a", "mine\n");
    const source = sandboxSource({ folder: scene.sandbox.folder, branch: "HEAD", base: "" });
    expect(await pullRefused({ local, source })).toMatchObject({ verdict: { blocked_by: ["a"] } });
  });
});

describe("content that is already the new one is no conflict", () => {
  it("untracked, unstaged, staged and deleted", async () => {
    const scene = makeEdit();
    commitFiles(scene.sandbox, { b: "B\n" });
    writeFile(scene.local, "n", "new\n");
    writeFile(scene.local, "a", "1\nzwei\n3\n");
    writeFile(scene.local, "b", "B\n");
    scene.local("add", "b");
    unlinkSync(`${scene.local.folder}/c`);
    await pullExactly(scene);
    expect(scene.local("status", "--porcelain")).toBe("");
  });

  it("and stays as it was where something else is in the way", async () => {
    const scene = makeEdit();
    writeFile(scene.local, "n", "new\n");
    writeFile(scene.local, "a", "mine\n");
    expect(await pullRefused(scene)).toMatchObject({ verdict: { blocked_by: ["a"] } });
  });

  it("but a mode that differs is one", async () => {
    const scene = makeEdit();
    writeFile(scene.local, "n", "new\n");
    chmodSync(`${scene.local.folder}/n`, 0o755);
    expect(await pullRefused(scene)).toMatchObject({ verdict: { blocked_by: ["n"] } });
    scene.local("config", "core.fileMode", "false");
    await pullExactly(scene);
  });
});

describe("a local link on the way of what is added", () => {
  it.each(["untracked", "ignored"])("%s, to the outside: nothing is written there", async (kind) => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { "ul/x": "x\n" });
    symlinkSync(outside.path, `${scene.local.folder}/ul`);
    if (kind === "ignored") writeFile(scene.local, ".git/info/exclude", "ul\n");
    expect(await pullRefused(scene)).toMatchObject({ verdict: { blocked_by: ["ul/x"] } });
    expect(filesBelow(outside.path)).toEqual([]);
  });

  it("into .git", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { "ul/post-checkout": "#!/bin/sh\n" });
    symlinkSync(".git/hooks", `${scene.local.folder}/ul`);
    expect(await pullRefused(scene)).toMatchObject({ verdict: { blocked_by: ["ul/post-checkout"] } });
  });

  it("where a folder of the repository was", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { "dir/d": "D\n" });
    writeFile({ folder: outside.path } as ReturnType<typeof gitIn>, "other/d", "theirs\n");
    unlinkSync(`${scene.local.folder}/dir/d`);
    scene.local("rm", "--quiet", "--cached", "dir/d");
    scene.local("reset", "--quiet");
    const { rmdirSync } = await import("node:fs");
    rmdirSync(`${scene.local.folder}/dir`);
    symlinkSync(`${outside.path}/other`, `${scene.local.folder}/dir`);
    expect(await pullRefused(scene)).toMatchObject({ verdict: { blocked_by: ["dir/d"] } });
    expect(readFileSync(`${outside.path}/other/d`, "utf8")).toBe("theirs\n");
  });

  it("of the repository itself, which the series replaces by a folder: comes", async () => {
    const scene = makeScene({
      prepare: (local) => {
        symlinkSync("dir", `${local.folder}/l`);
        local("add", "l");
        local("commit", "--quiet", "-m", "l");
      },
    });
    commitFiles(scene.sandbox, { l: null });
    commitFiles(scene.sandbox, { "l/x": "x\n" });
    await pullExactly(scene);
    expect(scene.local("status", "--porcelain")).toBe("");
  });
});

describe("files and folders in each other's place", () => {
  it("come where all below is the repository's", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { dir: null, a: null });
    commitFiles(scene.sandbox, { dir: "now a file\n", "a/b/c": "now a folder\n" });
    await pullExactly(scene);
    expect(scene.local("status", "--porcelain")).toBe("");
  });

  it("are refused where something else is in it", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { dir: null });
    commitFiles(scene.sandbox, { dir: "now a file\n" });
    writeFile(scene.local, ".git/info/exclude", "*.o\n");
    writeFile(scene.local, "dir/x.o", "built\n");
    expect(await pullRefused(scene)).toMatchObject({ verdict: { blocked_by: ["dir"] } });
  });

  it("come where only empty folders are", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { n: "n\n" });
    mkdirSync(`${scene.local.folder}/n`);
    await pullExactly(scene);
  });
});
