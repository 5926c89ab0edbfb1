import { appendFileSync, cpSync, existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import type { Checkpoint } from "../../src/patch/request.ts";
import { ended, startPull } from "../support/dying.ts";
import { commitFiles, gitIn, makeRepository, type TestGit, writeFile } from "../support/git.ts";
import { edited, expectNoDebris, makeConflict, parkedTree, parkIn, refusedBy, resume } from "../support/parking.ts";
import { pullInto } from "../support/pulling.ts";
import { removeScenes, type Scene } from "../support/scene.ts";

afterAll(removeScenes);

const rescueOf = ({ local }: Pick<Scene, "local">) => `${local.folder}/.git/ferry/rescue`;

/** Parks a pull, and resolves its conflict. */
async function makeResolved(options: { twice?: boolean } = {}): Promise<{ scene: Scene; tree: TestGit }> {
  const scene = makeConflict(options);
  const tree = await parkIn(scene);
  writeFile(tree, "f", edited({ 2: "both" }));
  tree("add", "f");
  return { scene, tree };
}

/** Ends a parked pull, and does something the first time that it comes to a point. */
function resumeWhile(
  { local }: Scene,
  how: "continue" | "skip" | "abort",
  { at, work, isForced = false }: { at: Checkpoint; work: () => void; isForced?: boolean },
) {
  let isDone = false;
  const checkpoint = (name: Checkpoint) => {
    if (name === at && !isDone) {
      isDone = true;
      work();
    }
    return Promise.resolve();
  };
  return resume(local.folder, how, { deps: { checkpoint }, acceptDeletion: isForced });
}

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
    expect(error.message).toContain("5 more were saved in the parked worktree meanwhile");
    expectMuch(scene);
    expect(tree("status", "--porcelain")).toBe("UU g");
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
