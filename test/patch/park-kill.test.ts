import { existsSync, readdirSync, readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { checkpoints, moreCheckpoints } from "../../src/patch/request.ts";
import { ended, startPull } from "../support/dying.ts";
import { commitFiles, writeFile } from "../support/git.ts";
import { edited, makeConflict, parkedTree, parkIn, refusedBy, resume } from "../support/parking.ts";
import { pullInto } from "../support/pulling.ts";
import { removeScenes, type Scene } from "../support/scene.ts";
import { stateOf } from "../support/state.ts";

afterAll(removeScenes);

const visible = ({ local }: Scene) => ({ ...stateOf(local.folder), objects: "" });

const onTheWay = ["park-moved", "park-reset", "park-made", "park-looked", "park-taken"] as const;

function expectComplete(scene: Scene): void {
  expect(scene.local("log", "--format=%s")).toBe("four\nthree\ntwo\none\nmine\nbase");
  expect(scene.local("status", "--porcelain")).toBe(" M b");
  expect(scene.local("worktree", "list").split("\n")).toHaveLength(1);
  expect(existsSync(`${scene.local.folder}/.git/worktrees`)).toBe(false);
  expect(readdirSync(`${scene.local.folder}/.git/ferry`)).toEqual([]);
  expect(scene.local("fsck", "--strict", "--no-dangling")).toBe("");
}

function makeDirty(twice: boolean): Scene {
  const scene = makeConflict({ twice });
  writeFile(scene.local, "b", "dirty\n");
  return scene;
}

describe("kill -9 of a pull that parks", () => {
  const early = checkpoints.slice(0, checkpoints.indexOf("written") + 1).filter((name) => name !== "fetched");
  const began = moreCheckpoints.park.filter((name) => name !== "park-picked");
  it.each([...early, ...began])("at %s: the next run takes away what there is of it", async (dieAt) => {
    const scene = makeDirty(false);
    const before = visible(scene);
    expect(await ended(startPull(scene, dieAt, { options: { onConflict: "park" } }))).toMatchObject({
      signal: "SIGKILL",
    });
    await refusedBy(pullInto(scene.local.folder, scene.source));
    expect(visible(scene)).toEqual(before);
    const tree = await parkIn(scene);
    writeFile(tree, "f", edited({ 2: "both" }));
    tree("add", "f");
    await resume(scene.local.folder, "continue");
    expectComplete(scene);
  });

  it("once it stands at its conflict: it is parked, and what was resolved there meanwhile comes", async () => {
    for (const committed of [false, true]) {
      const scene = makeDirty(false);
      await ended(startPull(scene, "park-picked", { options: { onConflict: "park" } }));
      const tree = parkedTree(scene.local);
      writeFile(tree, "f", edited({ 2: "both" }));
      tree("add", "f");
      if (committed) tree("commit", "--quiet", "--no-edit", "--cleanup=verbatim");
      expect(await refusedBy(pullInto(scene.local.folder, scene.source))).toMatchObject({ code: "parked" });
      await resume(scene.local.folder, "continue");
      expect(scene.local("show", "HEAD:f")).toContain("both");
      expectComplete(scene);
    }
  });

  it.each(["park-reset", "park-made", "park-taken"] as const)(
    "at %s, and then someone commits there: that is parked, and nothing goes",
    async (dieAt) => {
      const scene = makeDirty(false);
      await ended(startPull(scene, dieAt, { options: { onConflict: "park" } }));
      const tree = parkedTree(scene.local);
      tree("reset", "--quiet", "--hard");
      const mine = commitFiles(tree, { mine: "mine\n" }, "my work");
      expect(await refusedBy(pullInto(scene.local.folder, scene.source))).toMatchObject({ code: "parked" });
      expect(tree("rev-parse", "HEAD")).toBe(mine);
    },
  );

  it("before that, and then someone saves there: that is kept, and told", async () => {
    const scene = makeDirty(false);
    await ended(startPull(scene, "park-added", { options: { onConflict: "park" } }));
    writeFile(parkedTree(scene.local), "f", "since\n");
    const { message } = await refusedBy(pullInto(scene.local.folder, scene.source));
    const rescue = `${scene.local.folder}/.git/ferry/rescue`;
    expect(message).toContain(`f was saved in the parked worktree meanwhile: what was written is in ${rescue}/f`);
    expect(readFileSync(`${rescue}/f`, "utf8")).toBe("since\n");
    expect(readdirSync(`${scene.local.folder}/.git/ferry`)).toEqual(["rescue"]);
  });
});

describe("kill -9 of --continue", () => {
  const landing = checkpoints.slice(checkpoints.indexOf("journaled"), checkpoints.indexOf("finished"));
  it.each(["locked", "park-read", ...landing, "park-landed", "park-aside", "park-removed"] as const)(
    "at %s: it goes on, or has come",
    async (dieAt) => {
      const scene = makeDirty(false);
      const tree = await parkIn(scene);
      writeFile(tree, "f", edited({ 2: "both" }));
      tree("add", "f");
      const before = visible(scene);
      expect(await ended(startPull(scene, dieAt, { how: "continue" }))).toMatchObject({ signal: "SIGKILL" });
      await pullInto(scene.local.folder, scene.source, { dryRun: true }).catch(() => undefined);
      if (scene.local("log", "-1", "--format=%s") === "mine") {
        expect(visible(scene)).toEqual(before);
        await resume(scene.local.folder, "continue");
      }
      expectComplete(scene);
      expect(await pullInto(scene.local.folder, scene.source)).toMatchObject({ applied: false, commits: [] });
    },
  );

  it.each(onTheWay)("on the way to the next conflict, at %s: it stops there", async (dieAt) => {
    const scene = makeDirty(true);
    const tree = await parkIn(scene);
    writeFile(tree, "f", edited({ 2: "both" }));
    tree("add", "f");
    expect(await ended(startPull(scene, dieAt, { how: "continue" }))).toMatchObject({ signal: "SIGKILL" });
    expect(await refusedBy(pullInto(scene.local.folder, scene.source))).toMatchObject({ code: "parked" });
    expect(await refusedBy(resume(scene.local.folder, "continue"))).toMatchObject({ verdict: { conflicts: ["g"] } });
    expect(parkedTree(scene.local)("status", "--porcelain")).toBe("UU g");
    writeFile(tree, "g", edited({ 5: "both" }));
    tree("add", "g");
    await resume(scene.local.folder, "continue");
    expectComplete(scene);
  });

  it.each(onTheWay)("at %s, and then the user works there: that is kept, and told", async (dieAt) => {
    const scene = makeDirty(true);
    const tree = await parkIn(scene);
    writeFile(tree, "f", edited({ 2: "both" }));
    tree("add", "f");
    await ended(startPull(scene, dieAt, { how: "continue" }));
    const since = { f: "since\n", g: "staged since\n", n: "n, since\n", "new/u": "untracked since\n" };
    for (const [path, content] of Object.entries(since)) writeFile(tree, path, content);
    tree("add", "g");
    const { message } = await refusedBy(resume(scene.local.folder, "continue"));
    const rescue = `${scene.local.folder}/.git/ferry/rescue`;
    expect(message).toContain(rescue);
    // What is in nothing's way stays.
    for (const [path, content] of Object.entries(since))
      expect(readFileSync(`${path === "new/u" ? tree.folder : rescue}/${path}`, "utf8")).toBe(content);
  });
});

describe("kill -9 of --skip on the way to the next conflict", () => {
  const rescue = ({ local }: Scene) => `${local.folder}/.git/ferry/rescue`;
  const make = async () => {
    const scene = makeDirty(true);
    const tree = await parkIn(scene);
    expect(readFileSync(`${tree.folder}/f`, "utf8")).toContain("<<<<<<<");
    return { scene, tree };
  };

  it.each(onTheWay)("at %s: the conflict that was left out is nobody's work", async (dieAt) => {
    const { scene, tree } = await make();
    expect(await ended(startPull(scene, dieAt, { how: "skip" }))).toMatchObject({ signal: "SIGKILL" });
    const { message } = await refusedBy(resume(scene.local.folder, "continue"));
    expect([message, existsSync(rescue(scene))]).toEqual([expect.not.stringContaining("rescue"), false]);
    expect(tree("status", "--porcelain")).toBe("UU g");
  });

  it("and then the user goes on with it: that is kept, and told", async () => {
    const { scene, tree } = await make();
    await ended(startPull(scene, "park-moved", { how: "skip" }));
    writeFile(tree, "f", "resolved after all\n");
    const { message } = await refusedBy(resume(scene.local.folder, "continue"));
    expect(message).toContain(rescue(scene));
    expect(readFileSync(`${rescue(scene)}/f`, "utf8")).toBe("resolved after all\n");
  });
});
