import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import type { PullDeps } from "../../src/patch/request.ts";
import { pullElsewhere } from "../../src/patch/worktree/pull.ts";
import { ended, startPull } from "../support/dying.ts";
import { commitFiles, gitBytes, gitIn, writeFile } from "../support/git.ts";
import { edited, expectNoDebris, makeConflict, parkIn, refusedBy, resume } from "../support/parking.ts";
import { makeDeps, pullInto, pullRequest } from "../support/pulling.ts";
import { makeScene, pullExactly, removeScenes, type Scene } from "../support/scene.ts";
import { porcelainGit, type Slow, slowAt, whenWaitedFor, writingGit } from "../support/slow.ts";
import { stateOf } from "../support/state.ts";

/** The gits of the opt-in flags, killed in the middle of a file: alone, or with all that they started and with ferry. */

afterAll(removeScenes);

type Killed = "git" | "ferry and git";
const all: readonly Killed[] = ["git", "ferry and git"];

async function kill(scene: Scene, slow: Slow, killed: Killed, more: Parameters<typeof startPull>[2]): Promise<void> {
  const child = startPull(scene, "", more);
  await slow.reached();
  const git = porcelainGit(scene.local);
  if (killed === "ferry and git") child.kill("SIGKILL");
  process.kill(killed === "git" ? git : -git, "SIGKILL");
  slow.pass();
  expect((await ended(child)).code).not.toBe(0);
}

const visible = ({ local }: Scene) => ({ ...stateOf(local.folder), objects: "" });

describe("git worktree add of --worktree", () => {
  const make = () => {
    const scene = makeScene({ files: { a: "a\n", "dir/b": "b\n", m: "m\n", z: "z\n" } });
    commitFiles(scene.sandbox, { m: "M\n" });
    writeFile(scene.local, "a", "dirty\n");
    return { scene, slow: slowAt(scene.local, { path: "m", word: "M" }), dir: `${scene.local.folder}-tree` };
  };
  const again = ({ local, source }: Scene, worktree: string, deps: Partial<PullDeps> = {}) =>
    pullElsewhere({ ...pullRequest(local.folder, source), worktree, sessionBranch: "agent/x" }, makeDeps({}, deps));
  const expectWhole = ({ local, sandbox }: Scene, dir: string) => {
    const tree = gitIn(dir);
    expect([tree("rev-parse", "HEAD"), tree("status", "--porcelain")]).toEqual([sandbox("rev-parse", "HEAD"), ""]);
    expect([local("status", "--porcelain"), readdirSync(`${local.folder}/.git/ferry`)]).toEqual([" M a", []]);
    expect(local("worktree", "list", "--porcelain")).not.toContain("locked");
  };

  it.each(all)("%s: what there is of it goes, and the next one is whole", async (killed) => {
    const { scene, slow, dir } = make();
    await kill(scene, slow, killed, { worktree: dir });
    if (killed !== "ferry and git")
      expect([existsSync(dir), readdirSync(`${scene.local.folder}/.git/ferry`)]).toEqual([false, []]);
    await again(scene, dir);
    expectWhole(scene, dir);
  });

  it("ferry alone: its git is waited for", async () => {
    const { scene, slow, dir } = make();
    const child = startPull(scene, "", { worktree: dir });
    await slow.reached();
    child.kill("SIGKILL");
    await ended(child);
    const { host, times } = whenWaitedFor(porcelainGit(scene.local), slow.release);
    await again(scene, dir, { host });
    expect(times()).toBeGreaterThan(1);
    expectWhole(scene, dir);
  });

  it("and then the user writes there: that stays, and how to go on is said", async () => {
    const { scene, slow, dir } = make();
    await kill(scene, slow, "ferry and git", { worktree: dir });
    writeFileSync(`${dir}/mine`, "mine\n");
    await expect(again(scene, dir)).rejects.toMatchObject({
      kind: "attention",
      hint: expect.stringContaining("git worktree remove --force --force") as string,
    });
    expect(readFileSync(`${dir}/mine`, "utf8")).toBe("mine\n");
  });
});

describe("git cherry-pick of --here", () => {
  it.each(all)("%s: what fits came, the rest is taken back, and the next run stops there", async (killed) => {
    const scene = makeConflict();
    writeFile(scene.local, "b", "dirty\n");
    const slow = slowAt(scene.local, { path: "f", word: "<<<<<<<" });
    await kill(scene, slow, killed, { options: { onConflict: "here" } });
    await pullInto(scene.local.folder, scene.source, { dryRun: true }).catch(() => undefined);
    expect(scene.local("status", "--porcelain")).toBe(" M b");
    expect(readFileSync(`${scene.local.folder}/f`, "utf8")).toBe(edited({ 2: "mine" }));
    expect(readdirSync(`${scene.local.folder}/.git/ferry`)).toEqual([]);
    expect(scene.local("log", "--format=%s")).toBe("one\nmine\nbase");
    await refusedBy(pullInto(scene.local.folder, scene.source, { onConflict: "here" }));
    expect(scene.local("status", "--porcelain")).toBe(" M b\nUU f");
  });
});

describe("the gits of --park", () => {
  it.each([
    ["worktree add", "ferry and git", "mine"],
    ["cherry-pick", "git", "<<<<<<<"],
  ] as const)("%s, %s: nothing is parked, and the next run parks", async (_, killed, word) => {
    const scene = makeConflict();
    writeFile(scene.local, "b", "dirty\n");
    const before = visible(scene);
    const slow = slowAt(scene.local, { path: "f", word });
    await kill(scene, slow, killed, { options: { onConflict: "park" } });
    if (killed === "ferry and git") await refusedBy(pullInto(scene.local.folder, scene.source));
    expect(visible(scene)).toEqual(before);
    const tree = await parkIn(scene);
    writeFile(tree, "f", edited({ 2: "both" }));
    tree("add", "f");
    await resume(scene.local.folder, "continue");
    expectNoDebris(scene);
  });
});

describe("the gits of --autostash", () => {
  const make = () => {
    const scene = makeScene({ files: { f: edited({}), b: "b\n", c: "c\n", old: "old\n" } });
    commitFiles(scene.sandbox, { f: edited({ 9: "theirs" }), n: "n\n" });
    writeFile(scene.local, "f", edited({ 1: "staged" }));
    writeFile(scene.local, "c", "staged\n");
    writeFile(scene.local, "added", "added\n");
    scene.local("add", "f", "c", "added");
    scene.local("rm", "--quiet", "old");
    writeFile(scene.local, "f", edited({ 1: "staged", 3: "unstaged" }));
    writeFile(scene.local, "b", "dirty\n");
    writeFile(scene.local, "u", "untracked\n");
    return scene;
  };
  const status = "A  added\n M b\nM  c\nMM f\nD  old\n?? u";
  const expectBack = ({ local }: Scene, more: Readonly<Record<number, string>>) => {
    expect(local("status", "--porcelain")).toBe(status);
    expect(readFileSync(`${local.folder}/f`, "utf8")).toBe(edited({ 1: "staged", 3: "unstaged", ...more }));
    expect(gitBytes(local.folder, ["show", ":f"]).toString()).toBe(edited({ 1: "staged", ...more }));
    expect([local("stash", "list"), readdirSync(`${local.folder}/.git/ferry`)]).toEqual(["", []]);
  };

  it.each(all)("%s: all is as it was, and comes with the next run", async (killed) => {
    const scene = make();
    const slow = slowAt(scene.local, { path: "f", word: "theirs" });
    const child = startPull(scene, "", { options: { autostash: true } });
    await slow.reached();
    const git = writingGit(scene.local);
    if (killed === "ferry and git") child.kill("SIGKILL");
    process.kill(killed === "git" ? git : -git, "SIGKILL");
    slow.pass();
    expect((await ended(child)).code).not.toBe(0);
    if (killed === "ferry and git") await pullInto(scene.local.folder, scene.source, { dryRun: true }).catch(() => undefined);
    expectBack(scene, {});
    await pullExactly(scene, { autostash: true });
    expectBack(scene, { 9: "theirs" });
  });
});

describe("the gits of --uncommitted", () => {
  it.each(all)("%s: all is as it was, and comes with the next run", async (killed) => {
    const scene = makeScene({ files: { a: "a\n", f: "f\n", m: "m\n", z: "z\n" } });
    commitFiles(scene.sandbox, { a: "A\n" });
    writeFile(scene.sandbox, "f", "theirs\n");
    writeFile(scene.sandbox, "n", "n\n");
    writeFile(scene.local, "m", "mine\n");
    const slow = slowAt(scene.local, { path: "f", word: "theirs" });
    const before = visible(scene);
    const child = startPull(scene, "", { options: { uncommitted: true } });
    await slow.reached();
    const git = writingGit(scene.local);
    if (killed === "ferry and git") child.kill("SIGKILL");
    process.kill(killed === "git" ? git : -git, "SIGKILL");
    slow.pass();
    expect((await ended(child)).code).not.toBe(0);
    if (killed === "ferry and git") await pullInto(scene.local.folder, scene.source, { dryRun: true });
    expect([visible(scene), readdirSync(`${scene.local.folder}/.git/ferry`)]).toEqual([before, []]);
    await pullInto(scene.local.folder, scene.source, { uncommitted: true });
    expect(scene.local("status", "--porcelain")).toBe(" M f\n M m\n?? n");
  });
});
