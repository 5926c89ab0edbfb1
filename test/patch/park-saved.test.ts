import {
  appendFileSync,
  cpSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { ended, startPull } from "../support/dying.ts";
import { commitFiles, gitIn, makeRepository, type TestGit, writeFile } from "../support/git.ts";
import {
  edited,
  expectNoDebris,
  makeConflict,
  makeResolved,
  parkedTree,
  parkIn,
  refusedBy,
  rescueOf,
  resume,
  resumeWhile,
} from "../support/parking.ts";
import { pullInto } from "../support/pulling.ts";
import { removeScenes, type Scene } from "../support/scene.ts";

afterAll(removeScenes);

/** All kinds of things that someone may make there. */
function saveMuch(folder: string): void {
  const tree = gitIn(folder);
  writeFile(tree, "f", "a late fix\n");
  writeFile(tree, "NOTES.txt", "notes\n");
  writeFile(tree, "b", edited({}));
  symlinkSync("NOTES.txt", `${tree.folder}/link`);
  for (const name of ["1", "2"]) writeFile(tree, `made/deep/${name}`, `${name}\n`);
  commitFiles(makeRepository(`${tree.folder}/clone`), { c: "of its own\n" }, "of its own");
}

function expectMuch(scene: Scene): void {
  const rescue = rescueOf(scene);
  expect(readdirSync(rescue).sort()).toEqual(["NOTES.txt", "b", "clone", "f", "link", "made"]);
  expect(readFileSync(`${rescue}/f`, "utf8")).toBe("a late fix\n");
  expect(readFileSync(`${rescue}/NOTES.txt`, "utf8")).toBe("notes\n");
  expect(readlinkSync(`${rescue}/link`)).toBe("NOTES.txt");
  expect(readFileSync(`${rescue}/made/deep/2`, "utf8")).toBe("2\n");
  expect(gitIn(`${rescue}/clone`)("show", "HEAD:c")).toBe("of its own");
}

describe("what is saved in a parked worktree while a pull goes on with it", () => {
  it("before anything landed: nothing does, and it is there still", async () => {
    const { scene, tree } = await makeResolved();
    const work = () => {
      appendFileSync(`${tree.folder}/f`, "late\n");
      writeFile(tree, "NOTES.txt", "notes\n");
    };
    await expect(resumeWhile(scene, "continue", { at: "park-read", work })).rejects.toMatchObject({
      kind: "attention",
      message: "f has changes that aren't staged",
    });
    expect(scene.local("log", "-1", "--format=%s")).toBe("mine");
    expect(tree("status", "--porcelain")).toBe("MM f\n?? NOTES.txt");
    expect(existsSync(rescueOf(scene))).toBe(false);
    tree("add", ".");
    await resume(scene.local.folder, "continue");
    expect(readFileSync(`${scene.local.folder}/f`, "utf8")).toContain("late");
    expect(readFileSync(`${scene.local.folder}/NOTES.txt`, "utf8")).toBe("notes\n");
    expectNoDebris(scene);
  });

  it("committed before anything landed: it comes with the rest", async () => {
    const { scene, tree } = await makeResolved();
    const work = () => {
      tree("-c", "core.editor=true", "cherry-pick", "--continue");
      commitFiles(tree, { late: "late\n" }, "late");
    };
    await resumeWhile(scene, "continue", { at: "park-read", work });
    expect(scene.local("log", "--format=%s")).toBe("four\nthree\nlate\ntwo\none\nmine\nbase");
    expectNoDebris(scene);
  });

  it.each(["journaled", "committed", "park-landed", "park-aside"] as const)("at %s: it is kept, and told", async (at) => {
    const { scene, tree } = await makeResolved();
    scene.local("config", "core.excludesFile", `${scene.local.folder}/../ignored`);
    writeFile(scene.local, "../ignored", "NOTES.txt\n");
    const folder = at === "park-aside" ? `${tree.folder}.over` : tree.folder;
    const error = await refusedBy(resumeWhile(scene, "continue", { at, work: () => saveMuch(folder) }));
    expect(error).toMatchObject({ kind: "attention", code: "edited_meanwhile", verdict: { applied: true } });
    expect(error.message).toMatch(/^all is done, but \S+ and 5 more were saved in the parked worktree meanwhile/u);
    expect(error.message).toContain(rescueOf(scene));
    expect(scene.local("log", "--format=%s")).toBe("four\nthree\ntwo\none\nmine\nbase");
    expect(scene.local("status", "--porcelain")).toBe("");
    expect(readdirSync(`${scene.local.folder}/.git/ferry`)).toEqual(["rescue"]);
    expect(existsSync(`${scene.local.folder}/.git/worktrees`)).toBe(false);
    expectMuch(scene);
  });

  it.each(["committed", "park-landed", "park-aside"] as const)(
    "at %s, and git takes it for what it has: it is kept, and told",
    async (at) => {
      const { scene, tree } = await makeResolved();
      scene.local("config", "filter.bare.clean", "sed /^out/d");
      writeFile(scene.local, ".git/info/attributes", "b filter=bare\n");
      const folder = at === "park-aside" ? `${tree.folder}.over` : tree.folder;
      const work = () => appendFileSync(`${folder}/b`, "out of an hour\n");
      await expect(resumeWhile(scene, "continue", { at, work })).rejects.toMatchObject({ code: "edited_meanwhile" });
      expect(readFileSync(`${rescueOf(scene)}/b`, "utf8")).toBe("b\nout of an hour\n");
      expect(scene.local("log", "--format=%s")).toBe("four\nthree\ntwo\none\nmine\nbase");
    },
  );

  it("where the worktree was, once it is moved aside: that is kept, and told", async () => {
    const { scene, tree } = await makeResolved();
    const work = () => writeFile(tree, "deep/NOTES.txt", "notes\n");
    const { details } = await refusedBy(resumeWhile(scene, "continue", { at: "park-aside", work }));
    const [, copy = ""] = /^\S+: (\/.*)$/u.exec(details[0] ?? "") ?? [];
    expect(readFileSync(`${copy}/deep/NOTES.txt`, "utf8")).toBe("notes\n");
    expect(readdirSync(`${scene.local.folder}/.git/ferry`)).toEqual(["rescue"]);
  });

  it("on the way to the next conflict: it is kept, and told, and the pull stops there", async () => {
    const { scene, tree } = await makeResolved({ twice: true });
    const error = await refusedBy(resumeWhile(scene, "continue", { at: "park-moved", work: () => saveMuch(tree.folder) }));
    expect(error).toMatchObject({ code: "edited_meanwhile", verdict: { applied: false, conflicts: ["g"] } });
    expect(error.message).toContain("1 more were saved in the parked worktree meanwhile");
    expect(readdirSync(rescueOf(scene)).sort()).toEqual(["b", "f"]);
    expect(readFileSync(`${rescueOf(scene)}/f`, "utf8")).toBe("a late fix\n");
    // What is in nothing's way stays.
    expect(tree("status", "--porcelain")).toBe("UU g\n?? NOTES.txt\n?? clone/\n?? link\n?? made/");
    expect(readFileSync(`${tree.folder}/made/deep/2`, "utf8")).toBe("2\n");
  });

  it("to a file that the next stop doesn't touch: it stays", async () => {
    for (const at of ["park-reset", "park-made", "park-looked"] as const) {
      const { scene, tree } = await makeResolved({ twice: true });
      const work = () => appendFileSync(`${tree.folder}/b`, "an hour\n");
      expect(await refusedBy(resumeWhile(scene, "continue", { at, work }))).toMatchObject({ code: "conflict" });
      expect(tree("status", "--porcelain")).toBe(" M b\nUU g");
      expect(readFileSync(`${tree.folder}/b`, "utf8")).toBe("b\nan hour\n");
    }
  });

  it("and staged, and saved anew: both are kept, and told", async () => {
    const { scene, tree } = await makeResolved({ twice: true });
    const work = () => {
      writeFile(tree, "f", "staged\n");
      tree("add", "f");
      writeFile(tree, "f", "saved\n");
    };
    expect(await refusedBy(resumeWhile(scene, "continue", { at: "park-moved", work }))).toMatchObject({
      code: "edited_meanwhile",
    });
    expect(readFileSync(`${rescueOf(scene)}/f.staged`, "utf8")).toBe("staged\n");
    expect(readFileSync(`${rescueOf(scene)}/f`, "utf8")).toBe("saved\n");
  });

  it("and only staged, with a conflict in the index: it is kept, and told", async () => {
    const { scene, tree } = await makeResolved({ twice: true });
    await ended(startPull(scene, "park-made", { how: "continue" }));
    writeFile(tree, "new", "staged\n");
    tree("add", "new");
    rmSync(`${tree.folder}/new`);
    expect(await refusedBy(resume(scene.local.folder, "continue"))).toMatchObject({ code: "edited_meanwhile" });
    expect(readFileSync(`${rescueOf(scene)}/new.staged`, "utf8")).toBe("staged\n");
  });

  it("and staged just before the next commit is picked: it stays, and is told", async () => {
    const { scene, tree } = await makeResolved({ twice: true });
    const work = () => {
      writeFile(tree, "b", "staged\n");
      tree("add", "b");
    };
    await expect(resumeWhile(scene, "continue", { at: "park-reset", work })).rejects.toMatchObject({
      kind: "attention",
      message: "something was staged there meanwhile, which a cherry-pick would lose",
    });
    expect(tree("show", ":b")).toBe("staged");
  });

  const moves: Readonly<Record<string, (tree: TestGit) => void>> = {
    "commits there": (tree) => void commitFiles(tree, { mine: "mine\n" }, "my work"),
    "takes another branch there": (tree) => void tree("checkout", "--quiet", "--force", "feature"),
    "makes a branch there": (tree) => void tree("checkout", "--quiet", "-b", "new"),
  };
  it.each(Object.entries(moves))("nothing, and someone %s on the way: HEAD stays, and it is told", async (_, move) => {
    for (const isKilled of [false, true]) {
      const { scene, tree } = await makeResolved({ twice: true });
      scene.local("branch", "feature", "HEAD~1");
      if (isKilled) {
        await ended(startPull(scene, "park-moved", { how: "continue" }));
        move(tree);
      }
      let head = isKilled ? tree("rev-parse", "HEAD") : "";
      const work = () => {
        move(tree);
        head = tree("rev-parse", "HEAD");
      };
      const going = isKilled
        ? resume(scene.local.folder, "continue")
        : resumeWhile(scene, "continue", { at: "park-moved", work });
      await expect(going).rejects.toMatchObject({
        kind: "attention",
        message: `${tree.folder} was on its way to the next conflict, and HEAD was moved there since`,
      });
      expect(tree("rev-parse", "HEAD")).toBe(head);
      expect(scene.local("rev-parse", "feature")).toBe(scene.local("rev-parse", "main~1"));
      expect(tree("branch", "--show-current")).toBe(
        move === moves["commits there"] ? "" : move === moves["makes a branch there"] ? "new" : "feature",
      );
    }
  });

  it("while a commit is left out, or all is given up: what was there goes, and what came since is kept", async () => {
    for (const how of ["skip", "abort"] as const) {
      const scene = makeConflict();
      const tree = await parkIn(scene);
      writeFile(tree, "g", "given up\n");
      const [at, folder] =
        how === "skip" ? (["park-read", tree.folder] as const) : (["park-aside", `${tree.folder}.over`] as const);
      await expect(resumeWhile(scene, how, { at, work: () => saveMuch(folder) })).rejects.toMatchObject({
        kind: "attention",
        code: "edited_meanwhile",
      });
      expectMuch(scene);
      expect(lstatSync(rescueOf(scene)).isDirectory()).toBe(true);
    }
  });

  it("untracked files that -y gives up go; those that come then are kept", async () => {
    const scene = makeConflict();
    const tree = await parkIn(scene);
    writeFile(tree, "untracked", "given up\n");
    const work = () => writeFile(gitIn(`${tree.folder}.over`), "late", "late\n");
    await expect(resumeWhile(scene, "abort", { at: "park-aside", work, isForced: true })).rejects.toMatchObject({
      message: `all is done, but late was saved in the parked worktree meanwhile: what was written is in ${rescueOf(scene)}/late`,
    });
    expect(readdirSync(rescueOf(scene))).toEqual(["late"]);
  });
});

describe("kill -9, and then someone saves in the parked worktree", () => {
  it.each(["park-landed", "park-aside"] as const)("at %s: the next run keeps it, and tells", async (dieAt) => {
    const { scene, tree } = await makeResolved();
    await ended(startPull(scene, dieAt, { how: "continue" }));
    saveMuch(dieAt === "park-aside" ? `${tree.folder}.over` : tree.folder);
    const error = await refusedBy(pullInto(scene.local.folder, scene.source));
    expect(error).toMatchObject({ kind: "attention", code: "edited_meanwhile", verdict: { applied: false } });
    expectMuch(scene);
    expect(readdirSync(`${scene.local.folder}/.git/ferry`)).toEqual(["rescue"]);
    expect(await pullInto(scene.local.folder, scene.source)).toMatchObject({ applied: false, commits: [] });
  });

  it.each(["skip", "abort"] as const)("of --%s: what was given up is nobody's work", async (how) => {
    const scene = makeConflict();
    const tree = await parkIn(scene);
    await ended(startPull(scene, "park-aside", { how }));
    expect(existsSync(tree.folder)).toBe(false);
    await pullInto(scene.local.folder, scene.source).catch(() => undefined);
    expectNoDebris(scene);
  });
});

describe("a parked pull whose repository was moved", () => {
  it("goes on where it is now, and touches nothing where it was", async () => {
    const { scene, tree } = await makeResolved({ twice: true });
    const moved = `${scene.local.folder}-copy`;
    cpSync(scene.local.folder, moved, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
    const before = readFileSync(`${tree.folder}/f`, "utf8");
    await refusedBy(resume(moved, "continue"));
    expect(tree("status", "--porcelain")).toBe("M  f");
    expect(readFileSync(`${tree.folder}/f`, "utf8")).toBe(before);
    await resume(moved, "abort");
    expect(readFileSync(`${tree.folder}/f`, "utf8")).toBe(before);
    expect(parkedTree(scene.local).folder).toBe(tree.folder);
    expectNoDebris({ ...scene, local: gitIn(moved) });
  });

  it("finds a worktree that was moved out of it before, and no other's", async () => {
    const { scene, tree } = await makeResolved({ twice: true });
    const out = gitIn(`${scene.local.folder}-out`);
    scene.local("worktree", "move", tree.folder, out.folder);
    const moved = gitIn(`${scene.local.folder}-moved`);
    cpSync(scene.local.folder, moved.folder, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
    // The original is there, and the worktree is its.
    await expect(resume(moved.folder, "continue")).rejects.toMatchObject({
      kind: "attention",
      message: `the worktree of the parked pull isn't in ${out.folder}`,
    });
    rmSync(moved.folder, { recursive: true });
    renameSync(scene.local.folder, moved.folder);
    expect(await refusedBy(resume(moved.folder, "continue"))).toMatchObject({ verdict: { conflicts: ["g"] } });
    expect(out("status", "--porcelain")).toBe("UU g");
    expect(moved("worktree", "list")).toContain(out.folder);
    await resume(moved.folder, "abort");
    expect(existsSync(out.folder)).toBe(false);
    expectNoDebris({ ...scene, local: moved });
  });

  it("git works in its worktree again once ferry ran, and in a copy not in the original", async () => {
    const { scene, tree } = await makeResolved({ twice: true });
    const moved = `${scene.local.folder}-copy`;
    cpSync(scene.local.folder, moved, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
    const copied = gitIn(tree.folder.replace(scene.local.folder, moved));
    await expect(resume(copied.folder, "continue")).rejects.toMatchObject({
      kind: "attention",
      message: `${copied.folder} is a copy of a parked worktree, and git takes it for the original`,
    });
    expect(await refusedBy(pullInto(moved, scene.source))).toMatchObject({ code: "parked" });
    expect(copied("rev-parse", "--absolute-git-dir")).toContain(moved);
    expect(copied("status", "--porcelain")).toBe("M  f");
    expect(gitIn(moved)("worktree", "list")).toContain(copied.folder);
    writeFile(copied, "f", edited({ 2: "in the copy" }));
    copied("add", "f");
    expect(tree("status", "--porcelain")).toBe("M  f");
    expect(tree("show", ":f")).not.toContain("in the copy");
    expect(await refusedBy(resume(copied.folder, "continue"))).toMatchObject({ verdict: { conflicts: ["g"] } });
    expect(readFileSync(`${copied.folder}/f`, "utf8")).toContain("in the copy");
    expect(tree("status", "--porcelain")).toBe("M  f");
  });
});
