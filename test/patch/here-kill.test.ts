import { existsSync, readdirSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { checkpoints, moreCheckpoints } from "../../src/patch/request.ts";
import { ended, startPull } from "../support/dying.ts";
import { commitFiles, gitBytes, gitIn, type TestGit, writeFile } from "../support/git.ts";
import { edited, makeConflict, refusedBy } from "../support/parking.ts";
import { pullInto } from "../support/pulling.ts";
import { makeScene, removeScenes } from "../support/scene.ts";
import { stateOf } from "../support/state.ts";

afterAll(removeScenes);

describe("kill -9 of a pull with --here", () => {
  const landing = checkpoints.slice(checkpoints.indexOf("journaled"), checkpoints.indexOf("finished"));
  it.each([...landing, ...moreCheckpoints.here] as const)("at %s: nothing came, or what fits, or git's stop", async (dieAt) => {
    const scene = makeConflict();
    writeFile(scene.local, "b", "dirty\n");
    const before = { ...stateOf(scene.local.folder), objects: "" };
    expect(await ended(startPull(scene, dieAt, { options: { onConflict: "here" } }))).toMatchObject({
      signal: "SIGKILL",
    });
    await pullInto(scene.local.folder, scene.source, { dryRun: true }).catch(() => undefined);
    const at = scene.local("log", "-1", "--format=%s");
    if (at === "mine") expect({ ...stateOf(scene.local.folder), objects: "" }).toEqual(before);
    if (!existsSync(`${scene.local.folder}/.git/CHERRY_PICK_HEAD`)) {
      expect(scene.local("status", "--porcelain")).toBe(" M b");
      await refusedBy(pullInto(scene.local.folder, scene.source, { onConflict: "here" }));
    }
    expect(scene.local("status", "--porcelain")).toBe(" M b\nUU f");
    expect(readdirSync(`${scene.local.folder}/.git/ferry`)).toEqual([]);
    writeFile(scene.local, "f", edited({ 2: "both" }));
    scene.local("add", "f");
    gitBytes(scene.local.folder, ["-c", "core.editor=true", "cherry-pick", "--continue"]);
    await pullInto(scene.local.folder, scene.source);
    expect(scene.local("log", "--format=%s")).toBe("four\nthree\ntwo\none\nmine\nbase");
    expect(scene.local("status", "--porcelain")).toBe(" M b");
    expect(await pullInto(scene.local.folder, scene.source)).toMatchObject({ applied: false, commits: [] });
  });

  it.each(moreCheckpoints.here)("at %s, in a sparse checkout: what is out of sight stays so", async (dieAt) => {
    const scene = makeScene({ files: { "in/f": edited({}), "out/g": edited({}), "out/h": "h\n", "out/deep/i": "i\n" } });
    const files = { "in/f": edited({ 2: "theirs" }), "out/g": edited({ 5: "theirs" }), "out/new": "new\n", "out/deep/i": null };
    commitFiles(scene.sandbox, files, "one");
    commitFiles(scene.local, { "in/f": edited({ 2: "mine" }), "out/g": edited({ 9: "mine" }) }, "mine");
    scene.local("sparse-checkout", "set", "--cone", "in");
    const state = () => ({ ...stateOf(scene.local.folder), objects: "", refs: "", tags: scene.local("ls-files", "-t") });
    const before = state();
    expect(before.tags).toBe("H in/f\nS out/deep/i\nS out/g\nS out/h");
    expect(await ended(startPull(scene, dieAt, { options: { onConflict: "here" } }))).toMatchObject({ signal: "SIGKILL" });
    await pullInto(scene.local.folder, scene.source, { dryRun: true }).catch(() => undefined);
    if (!existsSync(`${scene.local.folder}/.git/CHERRY_PICK_HEAD`)) {
      expect(state()).toEqual(before);
      await refusedBy(pullInto(scene.local.folder, scene.source, { onConflict: "here" }));
    }
    const reference = gitIn(`${scene.local.folder}-reference`);
    gitBytes(scene.local.folder, ["worktree", "add", "--quiet", "--detach", reference.folder, "HEAD"]);
    reference("sparse-checkout", "set", "--cone", "in");
    expect(() => reference("cherry-pick", scene.sandbox("rev-parse", "HEAD"))).toThrow();
    const listing = (git: TestGit) => [git("ls-files", "-t", "--stage"), git("status", "--porcelain")];
    expect(listing(scene.local)).toEqual(listing(reference));
  });
});
