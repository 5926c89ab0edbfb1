import { spawnSync } from "node:child_process";
import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import type { Checkpoint, PullDeps } from "../../src/patch/request.ts";
import { ended, startPull } from "../support/dying.ts";
import { commitFiles, gitIn, headOf, makeFolder, type TestGit, writeFile } from "../support/git.ts";
import { pullInto } from "../support/pulling.ts";
import { makeScene, pullExactly, removeScenes, type Scene } from "../support/scene.ts";
import { undoIn } from "../support/uncommitted.ts";

/** A file that is saved, by an editor or a generator, while a pull writes the working tree is never written over. */

const folder = makeFolder();
const disk = `${folder.path}/disk`;
mkdirSync(disk);
/** A file system of its own, which only root can make, and not in every container. */
const isMounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=12m", "tmpfs", disk]).status === 0;

afterAll(() => {
  if (isMounted) spawnSync("umount", [disk]);
  folder.remove();
  removeScenes();
});

/** As editors do: beside the file, and then in its place. */
function save({ folder: tree }: TestGit, path: string, content = "mine\n"): void {
  writeFileSync(`${tree}/.saving`, content);
  renameSync(`${tree}/.saving`, `${tree}/${path}`);
}

const content = ({ local }: Pick<Scene, "local">, path: string) => readFileSync(`${local.folder}/${path}`, "utf8");

/** The deed is done once, at that point of the pull. */
function once(at: Checkpoint, act: () => void): Partial<PullDeps> {
  let done = false;
  return {
    checkpoint: (name) => {
      if (name === at && !done) {
        done = true;
        act();
      }
      return Promise.resolve();
    },
  };
}

const stays = { kind: "attention", details: ["a has local changes"] };
const foreign = (path: string) => ({ kind: "attention", details: [`${path}, which was changed meanwhile`] });

describe("before its turn comes: it is in the way as if it had been saved before", () => {
  it.each(["checked", "adopted"] as const)("at %s", async (at) => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "A\n", b: "B\n", c: null, n: "n\n" });
    const deps = once(at, () => save(scene.local, "a"));
    await expect(pullInto(scene.local.folder, scene.source, { deps })).rejects.toMatchObject(stays);
    expect([content(scene, "a"), scene.local("status", "--porcelain"), headOf(scene.local)]).toEqual([
      "mine\n",
      " M a",
      scene.base,
    ]);
  });

  it("of the same length and time", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "A\n" });
    const { local } = scene;
    const deps = once("adopted", () => {
      const { atime, mtime } = lstatSync(`${local.folder}/a`);
      save(local, "a", content(scene, "a").toUpperCase().replace("1", "9"));
      utimesSync(`${local.folder}/a`, atime, mtime);
    });
    await expect(pullInto(local.folder, scene.source, { deps })).rejects.toMatchObject({ kind: "attention" });
    expect([content(scene, "a"), headOf(local)]).toEqual(["9\n2\n3\n", scene.base]);
  });

  it("that is to be removed, or become a folder, or lies in one that becomes a file", async () => {
    for (const [path, then] of [
      ["c", {}],
      ["c", { "c/d": "d\n" }],
      ["dir/d", { dir: "a file\n" }],
    ] as const) {
      const scene = makeScene();
      commitFiles(scene.sandbox, { a: "A\n", [path.split("/", 1)[0] ?? ""]: null });
      commitFiles(scene.sandbox, { b: "B\n", ...then });
      const deps = once("adopted", () => {
        save(scene.local, path);
      });
      await expect(pullInto(scene.local.folder, scene.source, { deps })).rejects.toMatchObject({
        details: expect.arrayContaining([`${path} has local changes`]) as string[],
      });
      expect([content(scene, path), scene.local("status", "--porcelain")]).toEqual(["mine\n", ` M ${path}`]);
    }
  });

  it("a link, which is made a file", async () => {
    const scene = makeScene({
      prepare: (local) => {
        symlinkSync("a", `${local.folder}/link`);
        commitFiles(local, {});
      },
    });
    commitFiles(scene.sandbox, { link: null });
    const deps = once("adopted", () => {
      save(scene.local, "link");
    });
    await expect(pullInto(scene.local.folder, scene.source, { deps })).rejects.toMatchObject({ kind: "attention" });
    expect(content(scene, "link")).toBe("mine\n");
    scene.local("checkout", "--quiet", "link");
    await pullExactly(scene);
  });

  it("a folder in its place", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "A\n" });
    const deps = once("adopted", () => {
      rmSync(`${scene.local.folder}/a`);
      writeFile(scene.local, "a/mine", "mine\n");
    });
    await expect(pullInto(scene.local.folder, scene.source, { deps })).rejects.toMatchObject({ kind: "attention" });
    expect([content(scene, "a/mine"), headOf(scene.local)]).toEqual(["mine\n", scene.base]);
  });

  it("while a filter takes its time with another", async () => {
    const scene = makeScene({ files: { a: "a\n", m: "m\n", z: "z\n" } });
    writeFile(scene.local, ".git/info/attributes", "m filter=save\n");
    scene.local("config", "filter.save.clean", "cat");
    scene.local("config", "filter.save.smudge", "test -e .saved || { echo mine > .saved; cp .saved .z; mv .z z; }; cat");
    commitFiles(scene.sandbox, { a: "A\n", m: "M\n", z: "Z\n" });
    await expect(pullInto(scene.local.folder, scene.source)).rejects.toMatchObject({ details: ["z has local changes"] });
    expect([content(scene, "z"), content(scene, "m"), content(scene, "a")]).toEqual(["mine\n", "m\n", "a\n"]);
  });

  it("an undo", async () => {
    const scene = makeScene();
    const tip = commitFiles(scene.sandbox, { a: "A\n", n: "n\n" });
    await pullExactly(scene);
    const deps = once("adopted", () => {
      save(scene.local, "n");
    });
    await expect(undoIn(scene, deps)).rejects.toMatchObject({ kind: "attention" });
    expect([content(scene, "n"), content(scene, "a"), headOf(scene.local)]).toEqual(["mine\n", "A\n", tip]);
  });

  it.runIf(isMounted)("in a worktree on another file system, from which nothing can be moved", async () => {
    const scene = makeScene();
    const linked = gitIn(`${disk}/linked`);
    scene.local("worktree", "add", "--quiet", "--detach", linked.folder);
    commitFiles(scene.sandbox, { a: "A\n", c: null });
    const deps = once("adopted", () => {
      save(linked, "a");
    });
    await expect(pullInto(linked.folder, scene.source, { deps })).rejects.toMatchObject(stays);
    expect(readFileSync(`${linked.folder}/a`, "utf8")).toBe("mine\n");
    linked("checkout", "--quiet", "a");
    await pullExactly({ ...scene, local: linked });
  });
});

describe("when the old one is out of the way: it stays, and the pull is taken back", () => {
  it.each([
    ["a", {}],
    ["n", {}],
    ["ignored/n", { ".git/info/exclude": "ignored\n" }],
  ])("at %s", async (path, files) => {
    const scene = makeScene();
    for (const [name, text] of Object.entries(files)) writeFile(scene.local, name, text);
    commitFiles(scene.sandbox, { a: "A\n", b: "B\n", c: null, [path]: "theirs\n" });
    const deps = once("tree-started", () => {
      writeFile(scene.local, path, "mine\n");
    });
    await expect(pullInto(scene.local.folder, scene.source, { deps })).rejects.toMatchObject(foreign(path));
    expect([content(scene, path), content(scene, "b"), content(scene, "c"), headOf(scene.local)]).toEqual([
      "mine\n",
      "b\n",
      "c\n",
      scene.base,
    ]);
    expect(scene.local("diff", "--cached", "--name-only")).toBe("");
  });

  it("where a file was that goes: that is the user's own, and the pull comes", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "A\n", c: null });
    await pullExactly(scene, {
      deps: once("tree-started", () => {
        save(scene.local, "c");
      }),
    });
    expect([content(scene, "c"), scene.local("status", "--porcelain")]).toEqual(["mine\n", "?? c"]);
  });

  it("and the pull is killed: the next one takes it back", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "A\n", b: "B\n", c: null, n: "n\n" });
    await ended(startPull(scene, "tree-started"));
    save(scene.local, "a");
    save(scene.local, "n", "new, and mine\n");
    await expect(pullInto(scene.local.folder, scene.source)).rejects.toMatchObject({
      details: ["a", "n"].map((path) => `${path}, which was changed meanwhile`),
    });
    expect(["a", "b", "c", "n"].map((path) => content(scene, path))).toEqual(["mine\n", "b\n", "c\n", "new, and mine\n"]);
  });

  it("with what isn't committed", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "A\n" });
    writeFile(scene.sandbox, "n", "theirs\n");
    const deps = once("tree-started", () => {
      writeFile(scene.local, "n", "mine\n");
    });
    await expect(pullInto(scene.local.folder, scene.source, { uncommitted: true, deps })).rejects.toMatchObject(foreign("n"));
    expect([content(scene, "n"), content(scene, "a")]).toEqual(["mine\n", "1\n2\n3\n"]);
  });
});
