import { existsSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { checkpoints } from "../../src/patch/request.ts";
import { ended, startPull } from "../support/dying.ts";
import { commitFiles, gitBytes, gitIn, writeFile } from "../support/git.ts";
import { pullInto } from "../support/pulling.ts";
import { makeScene, pullExactly, removeScenes, type Scene } from "../support/scene.ts";
import { type Slow, slowAt, whenWaitedFor, writingGit } from "../support/slow.ts";
import { stateOf } from "../support/state.ts";

afterAll(removeScenes);

/** Every kind of change, with every kind of local work beside it. */
function makeBusy(files: Readonly<Record<string, string>> = {}): Scene {
  const scene = makeScene({
    files: { a: "1\n2\n3\n", b: "b\n", c: "c\n", "dir/d": "d\n", "dir/e": "e\n", gone: "g\n", same: "s\n", ...files },
  });
  commitFiles(scene.sandbox, { a: "1\nzwei\n3\n", "new/deep/n": "n\n", c: null, same: "S\n", extra: "x\n" });
  commitFiles(scene.sandbox, { dir: null, gone: null });
  commitFiles(scene.sandbox, { dir: "a file now\n", "gone/x": "a folder now\n" });
  writeFile(scene.local, "b", "dirty\n");
  writeFile(scene.local, "staged", "s\n");
  scene.local("add", "staged");
  writeFile(scene.local, "untracked", "u\n");
  // Already as it will be, known to git and not.
  writeFile(scene.local, "same", "S\n");
  writeFile(scene.local, "extra", "x\n");
  return scene;
}

/** The state without what a pull that is taken back may leave: objects that nothing points to. */
function visible(scene: Scene): Record<string, string> {
  return { ...stateOf(scene.local.folder), objects: "" };
}

async function expectComplete(scene: Scene): Promise<void> {
  expect(scene.local("rev-parse", "HEAD")).toBe(scene.sandbox("rev-parse", "HEAD"));
  expect(scene.local("status", "--porcelain")).toBe(" M b\nA  staged\n?? untracked");
  expect(readdirSync(`${scene.local.folder}/.git/ferry`)).toEqual([]);
  expect(scene.local("fsck", "--strict", "--no-dangling")).toBe("");
  expect(await pullInto(scene.local.folder, scene.source)).toMatchObject({ applied: false });
}

describe("kill -9 of the pull", () => {
  it.each(checkpoints.filter((name) => name !== "fetched"))(
    "at %s: the next run takes it back or ends it, and nothing is lost",
    async (dieAt) => {
      const scene = makeBusy();
      const before = visible(scene);
      expect(await ended(startPull(scene, dieAt))).toEqual({ code: null, signal: "SIGKILL" });
      await pullInto(scene.local.folder, scene.source, { dryRun: true });
      if (scene.local("rev-parse", "HEAD") === scene.base) {
        expect(visible(scene)).toEqual(before);
        await pullExactly(scene);
      }
      await expectComplete(scene);
    },
  );

  it.each(["spooled", "applied", "grafted", "written"] as const)("at %s, by am", async (dieAt) => {
    const scene = makeBusy();
    const before = visible(scene);
    expect(await ended(startPull(scene, dieAt, { engine: "am" }))).toEqual({ code: null, signal: "SIGKILL" });
    await pullInto(scene.local.folder, scene.source, { dryRun: true });
    expect(visible(scene)).toEqual(before);
    await pullExactly(scene, { engine: "am" });
    await expectComplete(scene);
  });

  it("takes files back as they lay there, also where git would write them otherwise by now", async () => {
    const scene = makeBusy({ pointer: "oid 1\n" });
    commitFiles(scene.sandbox, { pointer: "oid 2\n" });
    // Both came after the files: what lies there is unconverted, and git takes it for unmodified.
    scene.local("config", "core.autocrlf", "true");
    scene.local("config", "filter.blow.smudge", "sed s/oid/whole/");
    scene.local("config", "filter.blow.clean", "sed s/whole/oid/");
    writeFile(scene.local, ".git/info/attributes", "pointer filter=blow\n");
    const before = visible(scene);
    await ended(startPull(scene, "tree-written"));
    expect(readFileSync(`${scene.local.folder}/pointer`, "latin1")).toBe("whole 2\r\n");
    await pullInto(scene.local.folder, scene.source, { dryRun: true });
    expect(scene.local("rev-parse", "HEAD")).toBe(scene.base);
    expect(visible(scene)).toEqual(before);
  });

  it("in one worktree is ended by a pull in another", async () => {
    const scene = makeBusy();
    const before = visible(scene);
    await ended(startPull(scene, "tree-written"));
    const linked = `${scene.local.folder}-linked`;
    gitBytes(scene.local.folder, ["worktree", "add", "--quiet", "-b", "side", linked]);
    await pullExactly({ ...scene, local: gitIn(linked) });
    expect({ ...visible(scene), refs: "", worktrees: "", gitFolder: "", reflog: "" }).toEqual({
      ...before,
      refs: "",
      worktrees: "",
      gitFolder: "",
      reflog: "",
    });
  });

  it("and then the user edits what had come: the edit stays, with a copy, and is told", async () => {
    const scene = makeBusy();
    await ended(startPull(scene, "tree-written"));
    writeFile(scene.local, "a", "mine\n");
    await expect(pullInto(scene.local.folder, scene.source)).rejects.toMatchObject({
      kind: "attention",
      details: [expect.stringContaining("a, which") as string],
    });
    expect(readFileSync(`${scene.local.folder}/a`, "utf8")).toBe("mine\n");
    expect(readFileSync(`${scene.local.folder}/.git/ferry/rescue/a`, "utf8")).toBe("mine\n");
    await expect(pullInto(scene.local.folder, scene.source)).rejects.toMatchObject({ verdict: { blocked_by: ["a"] } });
  });

  it("and the locks of another git, taken since, are left alone", async () => {
    const scene = makeBusy();
    await ended(startPull(scene, "tree-written"));
    const lock = `${scene.local.folder}/.git/index.lock`;
    writeFile(scene.local, ".git/index.lock", "theirs");
    // As if it was taken an hour after.
    const journal = `${scene.local.folder}/.git/ferry/journal`;
    writeFileSync(journal, readFileSync(journal, "utf8").replace(/"at":\d+/gu, `"at":${Date.now() - 3_600_000}`));
    await expect(pullInto(scene.local.folder, scene.source)).rejects.toMatchObject({
      kind: "attention",
      message: expect.stringContaining("index.lock") as string,
    });
    expect(readFileSync(lock, "utf8")).toBe("theirs");
    unlinkSync(lock);
    await pullExactly(scene);
    await expectComplete(scene);
  });

  it("and then the user commits: nothing is touched, once it is said", async () => {
    const scene = makeBusy();
    await ended(startPull(scene, "prepared"));
    // Its git sees the end of its input, and unlocks.
    await expect
      .poll(() => ["HEAD.lock", "refs/heads/main.lock"].some((lock) => existsSync(`${scene.local.folder}/.git/${lock}`)))
      .toBe(false);
    const mine = commitFiles(scene.local, {}, "mine");
    // A file that an earlier run was just taking out when it was killed.
    writeFile(scene.local, ".git/ferry/taken-out/b", "of an hour\n");
    await expect(pullInto(scene.local.folder, scene.source)).rejects.toMatchObject({ kind: "attention" });
    expect(readFileSync(`${scene.local.folder}/.git/ferry/rescue/b`, "utf8")).toBe("of an hour\n");
    expect(scene.local("rev-parse", "HEAD")).toBe(mine);
    expect(await pullInto(scene.local.folder, scene.source)).toMatchObject({ applied: true, base: mine, exactness: "rebuilt" });
  });
});

describe("kill -9 in the middle of writing the tree", () => {
  const makeSlow = (): { scene: Scene; slow: Slow } => {
    const scene = makeBusy({ "m.slow": "m\n" });
    const slow = slowAt(scene.local, { path: "m.slow", word: "M" });
    commitFiles(scene.sandbox, { "m.slow": "M\n", z: "z\n" });
    return { scene, slow };
  };

  it("of ferry and git: taken back", async () => {
    const { scene, slow } = makeSlow();
    const before = visible(scene);
    const child = startPull(scene, "");
    await slow.reached();
    child.kill("SIGKILL");
    process.kill(-writingGit(scene.local), "SIGKILL");
    await ended(child);
    expect(existsSync(`${scene.local.folder}/.git/index.lock`)).toBe(true);
    slow.pass();
    await pullInto(scene.local.folder, scene.source, { dryRun: true });
    expect(visible(scene)).toEqual(before);
    await pullExactly(scene);
    await expectComplete(scene);
  });

  it("of ferry alone: its git is waited for", async () => {
    const { scene, slow } = makeSlow();
    const before = visible(scene);
    const child = startPull(scene, "");
    await slow.reached();
    child.kill("SIGKILL");
    await ended(child);
    const { host, times } = whenWaitedFor(writingGit(scene.local), slow.release);
    await pullInto(scene.local.folder, scene.source, { dryRun: true, deps: { host } });
    expect(times()).toBeGreaterThan(1);
    expect(visible(scene)).toEqual(before);
    await pullExactly(scene);
    await expectComplete(scene);
  });

  it("of git alone: the pull takes it back itself", async () => {
    const { scene, slow } = makeSlow();
    const before = visible(scene);
    const child = startPull(scene, "");
    await slow.reached();
    process.kill(-writingGit(scene.local), "SIGKILL");
    slow.pass();
    expect((await ended(child)).code).not.toBe(0);
    expect(visible(scene)).toEqual(before);
    await pullExactly(scene);
    await expectComplete(scene);
  });
});
