import { readFileSync, rmSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { type Checkpoint, checkpoints } from "../../src/patch/request.ts";
import { undo } from "../../src/patch/undo.ts";
import { ended, startPull } from "../support/dying.ts";
import { commitFiles, gitBytes, writeFile } from "../support/git.ts";
import { edited, makeConflict, parkIn, refusedBy, resume } from "../support/parking.ts";
import { makeDeps, patchEngines, pullInto } from "../support/pulling.ts";
import { makeScene, removeScenes, type Scene } from "../support/scene.ts";
import { filesBelow } from "../support/state.ts";
import { pullAll, undoIn } from "../support/uncommitted.ts";

afterAll(removeScenes);

/** What the user sees of the working copy. */
const seen = ({ local }: Pick<Scene, "local">) => ({
  files: filesBelow(local.folder),
  status: local("status", "--porcelain", "-uall"),
  head: local("rev-parse", "HEAD"),
});

/** Work that is as it comes, in each way that it can be, beside work that isn't touched. */
function makeOwn(): Scene {
  const scene = makeScene();
  commitFiles(scene.sandbox, { a: "x\n", n: "n\n", "dir/s": "s\n", c: null, b: "theirs\n", more: "m\n", "dir/d": null });
  writeFile(scene.local, "n", "n\n");
  writeFile(scene.local, "a", "x\n");
  writeFile(scene.local, "dir/s", "s\n");
  scene.local("add", "dir/s");
  rmSync(`${scene.local.folder}/c`);
  scene.local("rm", "--quiet", "dir/d");
  writeFile(scene.local, "staged", "s\n");
  scene.local("add", "staged");
  writeFile(scene.local, "untracked", "u\n");
  return scene;
}

describe("undo leaves what was as it came already", () => {
  it.each([...patchEngines, "bundle"] as const)("by %s", async (engine) => {
    const scene = makeOwn();
    const before = seen(scene);
    expect(before.status).toBe(" M a\n D c\nD  dir/d\nA  dir/s\nA  staged\n?? n\n?? untracked");
    const verdict = await pullInto(scene.local.folder, scene.source, { engine });
    expect(verdict).toMatchObject({ applied: true, engine });
    expect(seen(scene).status).toBe("A  staged\n?? untracked");
    expect(await undoIn(scene)).toMatchObject({ to: scene.base, files: 2 });
    expect(seen(scene)).toEqual(before);
    expect(scene.local("fsck", "--strict", "--no-dangling")).toBe("");
    expect(await pullInto(scene.local.folder, scene.source)).toMatchObject({ applied: true });
    expect(seen(scene).status).toBe("A  staged\n?? untracked");
  });

  it("with what isn't committed", async () => {
    const scene = makeOwn();
    writeFile(scene.sandbox, "a", "uncommitted\n");
    writeFile(scene.sandbox, "nn", "nn\n");
    writeFile(scene.sandbox, "u", "u\n");
    writeFile(scene.local, "a", "uncommitted\n");
    writeFile(scene.local, "nn", "nn\n");
    const before = seen(scene);
    await pullAll(scene);
    expect(seen(scene).status).toBe(" M a\nA  staged\n?? nn\n?? u\n?? untracked");
    expect(await undoIn(scene)).toMatchObject({ to: scene.base, files: 3 });
    expect(seen(scene)).toEqual(before);
    expect(await pullAll(scene)).toMatchObject({ applied: true });
  });

  it("of no commit", async () => {
    const scene = makeScene();
    for (const side of [scene.local, scene.sandbox]) {
      writeFile(side, "a", "uncommitted\n");
      writeFile(side, "nn", "nn\n");
    }
    writeFile(scene.sandbox, "u", "u\n");
    const before = seen(scene);
    await pullAll(scene);
    await undoIn(scene);
    expect(seen(scene)).toEqual(before);
  });

  it("what --here landed", async () => {
    const scene = makeConflict();
    writeFile(scene.local, "n", "n\n");
    const before = seen(scene);
    await refusedBy(pullInto(scene.local.folder, scene.source, { onConflict: "here" }));
    scene.local("cherry-pick", "--abort");
    expect(seen(scene).status).toBe("");
    await undoIn(scene);
    expect(seen(scene)).toEqual(before);
  });

  it("what was parked", async () => {
    const scene = makeConflict();
    writeFile(scene.local, "n", "n\n");
    const before = seen(scene);
    const tree = await parkIn(scene);
    writeFile(tree, "f", edited({ 2: "both" }));
    tree("add", "f");
    await resume(scene.local.folder, "continue");
    expect(seen(scene).status).toBe("");
    await undoIn(scene);
    expect(seen(scene)).toEqual(before);
  });

  it("beside what --autostash carried", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n2\n3\n", n: "n\n" });
    writeFile(scene.local, "a", "1\n2\n3\nmine\n");
    writeFile(scene.local, "n", "n\n");
    await pullInto(scene.local.folder, scene.source, { autostash: true });
    expect(seen(scene).status).toBe(" M a");
    scene.local("checkout", "--quiet", "HEAD", "--", "a");
    await undoIn(scene);
    expect(seen(scene).status).toBe("?? n");
  });

  it("that came while the pull was at work", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n", n: "n\n" });
    const checkpoint = (name: string) => {
      if (name === "promoted") writeFile(scene.local, "n", "n\n");
      return Promise.resolve();
    };
    await pullInto(scene.local.folder, scene.source, { deps: { checkpoint } });
    await undoIn(scene);
    expect(seen(scene).status).toBe("?? n");
  });

  it("that came while a pull with --autostash was at work", async () => {
    const scene = makeScene({ files: { a: edited({}), b: "b\n" } });
    commitFiles(scene.sandbox, { a: edited({ 9: "theirs" }), n: "n\n" });
    writeFile(scene.local, "a", edited({ 1: "mine" }));
    let times = 0;
    const checkpoint = (name: Checkpoint) => {
      if (name === "promoted" && ++times === 1) writeFile(scene.local, "n", "n\n");
      return Promise.resolve();
    };
    await pullInto(scene.local.folder, scene.source, { autostash: true, deps: { checkpoint } });
    expect([times, seen(scene).status]).toEqual([2, " M a"]);
    scene.local("checkout", "--quiet", "HEAD", "--", "a");
    await undoIn(scene);
    expect(seen(scene).status).toBe("?? n");
  });

  it("but is refused where that was edited since, here or on top", async () => {
    const scene = makeOwn();
    await pullInto(scene.local.folder, scene.source);
    writeFile(scene.local, "n", "edited\n");
    const before = seen(scene);
    await expect(undoIn(scene)).rejects.toMatchObject({ kind: "attention", details: ["n has local changes"] });
    expect(seen(scene)).toEqual(before);
    commitFiles(scene.local, { n: "edited\n" }, "on top");
    await expect(undoIn(scene)).rejects.toMatchObject({ hint: expect.stringContaining("git revert") as string });
    expect(readFileSync(`${scene.local.folder}/n`, "utf8")).toBe("edited\n");
  });

  it("and what the user removed since stays away", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n", n: "n\n" });
    writeFile(scene.local, "n", "n\n");
    await pullInto(scene.local.folder, scene.source);
    rmSync(`${scene.local.folder}/n`);
    await undoIn(scene);
    expect(seen(scene).status).toBe("");
  });

  it("only where the branch is checked out", async () => {
    const scene = makeOwn();
    await pullInto(scene.local.folder, scene.source);
    const branch = scene.local("branch", "--show-current");
    scene.local("switch", "--quiet", "--create", "other");
    const errand = { origin: "https://agents.example.com", workspace: "wsp_1", session: "ses_1", repositoryId: "rep_1" };
    await expect(undo({ folder: scene.local.folder, ...errand, branch }, makeDeps())).rejects.toMatchObject({
      kind: "attention",
      hint: `git switch ${branch} && ferry pull --undo`,
    });
  });

  it("where an earlier version noted nothing of it, all goes back", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n", n: "n\n" });
    writeFile(scene.local, "n", "n\n");
    await pullInto(scene.local.folder, scene.source);
    const ref = scene.local("for-each-ref", "--format=%(refname)", "refs/ferry/*/undo/*");
    const note = { ...(JSON.parse(scene.local("cat-file", "blob", ref)) as object), own: undefined };
    const id = gitBytes(scene.local.folder, ["hash-object", "-w", "--stdin"], { input: JSON.stringify(note) });
    scene.local("update-ref", ref, id.toString("latin1").trim());
    await undoIn(scene);
    expect(seen(scene).status).toBe("");
  });
});

/** Those that an undo goes through. */
const points = checkpoints.slice(checkpoints.indexOf("journaled"), checkpoints.indexOf("finished"));

describe.each([
  ["of commits", false],
  ["of what isn't committed, too", true],
])("kill -9 of an undo, %s", (_, uncommitted) => {
  it.each(points)("at %s: the next takes it back or ends it", async (dieAt) => {
    const scene = makeOwn();
    if (uncommitted)
      for (const side of [scene.local, scene.sandbox]) {
        writeFile(side, "a", "uncommitted\n");
        writeFile(side, "nn", "nn\n");
      }
    const before = seen(scene);
    await pullInto(scene.local.folder, scene.source, { uncommitted });
    const pulled = seen(scene);
    expect(await ended(startPull(scene, dieAt, { how: "undo" }))).toEqual({ code: null, signal: "SIGKILL" });
    await pullInto(scene.local.folder, scene.source, { dryRun: true, uncommitted });
    expect(seen(scene)).toEqual(dieAt === "committed" ? before : pulled);
    if (dieAt !== "committed") await undoIn(scene);
    expect(seen(scene)).toEqual(before);
    expect(scene.local("fsck", "--strict", "--no-dangling")).toBe("");
  });
});
