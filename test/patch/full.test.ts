import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { pullElsewhere } from "../../src/patch/worktree/pull.ts";
import { commitFiles, gitBytes, gitIn, makeFolder } from "../support/git.ts";
import { edited, parkedTree, resume } from "../support/parking.ts";
import { makeDeps, pullInto, pullRequest } from "../support/pulling.ts";
import { makeScene, pullExactly, removeScenes } from "../support/scene.ts";
import { stateOf } from "../support/state.ts";

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

describe.runIf(isMounted)("a disk that fills up", () => {
  const scene = makeScene();
  commitFiles(scene.sandbox, { big: randomBytes(400_000), a: "x\n", c: null });
  commitFiles(scene.sandbox, { big: randomBytes(400_000), "new/n": "n\n" });
  const filler = `${disk}/filler`;

  // From too little for anything to enough for all but the last steps.
  it.each([50, 800, 1700, 3500, 4400, 5000, 5500, 6000, 6600, 7400])(
    "with %i kB left: nothing changes, or all came",
    async (left) => {
      const local = gitIn(`${disk}/local`);
      rmSync(local.folder, { recursive: true, force: true });
      gitBytes(disk, ["clone", "--quiet", "--no-local", scene.local.folder, local.folder]);
      makeDirt(local.folder);
      const before = stateOf(local.folder);
      const { bavail, bsize } = statfsSync(disk);
      writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - left * 1024)));
      const verdict = await pullInto(local.folder, scene.source).catch((error: unknown) => error);
      rmSync(filler);
      if (verdict instanceof Error) {
        // A full disk is nobody's lie.
        expect(verdict).not.toMatchObject({ code: expect.stringMatching(/lie|policy/u) as string });
        expect({ ...stateOf(local.folder), objects: "" }).toEqual({ ...before, objects: "" });
        expect(existsSync(`${local.folder}/.git/ferry/journal`)).toBe(false);
        await pullExactly({ ...scene, local });
      } else expect(verdict).toMatchObject({ applied: true });
      expect(local("status", "--porcelain")).toBe(" M b\n?? mine");
    },
  );
});

describe.runIf(isMounted)("a disk that fills up, with --autostash", () => {
  const scene = makeScene({ files: { big: randomBytes(900_000), a: edited({}) } });
  commitFiles(scene.sandbox, { a: edited({ 9: "x" }), n: randomBytes(300_000) });
  const filler = `${disk}/filler`;

  it.each([50, 2400, 3400])("with %i kB left: no byte of the local changes is lost", async (left) => {
    const local = gitIn(`${disk}/local`);
    rmSync(local.folder, { recursive: true, force: true });
    gitBytes(disk, ["clone", "--quiet", "--no-local", scene.local.folder, local.folder]);
    const mine = randomBytes(900_000);
    writeFileSync(`${local.folder}/big`, mine);
    writeFileSync(`${local.folder}/a`, edited({ 1: "mine" }));
    local("add", "a");
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - left * 1024)));
    const failed = await pullInto(local.folder, scene.source, { autostash: true }).catch((error: unknown) => error);
    rmSync(filler);
    if (failed instanceof Error) await pullInto(local.folder, scene.source, { dryRun: true }).catch(() => undefined);
    if (local("stash", "list") !== "") {
      local("reset", "--quiet", "--hard");
      local("stash", "pop", "--quiet", "--index");
    }
    expect(readFileSync(`${local.folder}/big`).equals(mine)).toBe(true);
    expect(local("status", "--porcelain")).toBe("M  a\n M big");
    expect(existsSync(`${local.folder}/.git/ferry/journal`)).toBe(false);
    if (local("rev-parse", "HEAD") === scene.base) await pullExactly({ ...scene, local }, { autostash: true });
  });
});

describe.runIf(isMounted)("a disk that fills up, with the other flags", () => {
  const scene = makeScene({ files: { f: edited({}), b: "b\n", big: randomBytes(400_000) } });
  commitFiles(scene.sandbox, { n: randomBytes(300_000) }, "one");
  commitFiles(scene.sandbox, { f: edited({ 2: "theirs" }) }, "two");
  writeFileSync(`${scene.sandbox.folder}/u`, randomBytes(200_000));
  const filler = `${disk}/filler`;
  const whileFull = async (left: number, work: () => Promise<unknown>) => {
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - left * 1024)));
    const failed = await work().catch((error: unknown) => error);
    rmSync(filler);
    return failed;
  };
  const make = () => {
    for (const name of ["local", "tree"]) rmSync(`${disk}/${name}`, { recursive: true, force: true });
    gitBytes(disk, ["clone", "--quiet", "--no-local", scene.local.folder, `${disk}/local`]);
    makeDirt(`${disk}/local`);
    return gitIn(`${disk}/local`);
  };
  const elsewhere = (folder: string) =>
    pullElsewhere({ ...pullRequest(folder, scene.source), worktree: `${disk}/tree`, sessionBranch: "agent/x" }, makeDeps());

  it.each([
    ["--uncommitted", 600, (folder: string) => pullInto(folder, scene.source, { uncommitted: true })],
    ["--uncommitted", 1300, (folder: string) => pullInto(folder, scene.source, { uncommitted: true })],
    ["--worktree", 600, elsewhere],
    ["--worktree", 800, elsewhere],
  ] as const)("%s, %i kB left: nothing changes, and it comes later", async (_, left, work) => {
    const local = make();
    const before = stateOf(local.folder);
    expect(await whileFull(left, () => work(local.folder))).toBeInstanceOf(Error);
    expect({ ...stateOf(local.folder), objects: "" }).toEqual({ ...before, objects: "" });
    expect([readdirSync(`${local.folder}/.git/ferry`), existsSync(`${disk}/tree`)]).toEqual([[], false]);
    await work(local.folder);
    expect(local("status", "--porcelain")).toMatch(/^ M b\n\?\? mine(\n\?\? u)?$/u);
  });

  it("--park and --continue: nothing changes, and it goes on later", async () => {
    const local = make();
    commitFiles(local, { f: edited({ 2: "mine" }) }, "mine");
    const before = stateOf(local.folder);
    const park = () => pullInto(local.folder, scene.source, { onConflict: "park" });
    for (const left of [400, 700]) {
      expect(await whileFull(left, park)).not.toMatchObject({ code: "conflict" });
      expect({ ...stateOf(local.folder), objects: "" }).toEqual({ ...before, objects: "" });
    }
    await expect(park()).rejects.toMatchObject({ code: "conflict" });
    const tree = parkedTree(local);
    writeFileSync(`${tree.folder}/f`, edited({ 2: "both" }));
    tree("add", "f");
    const parked = stateOf(tree.folder);
    for (const left of [100, 300]) {
      expect(await whileFull(left, () => resume(local.folder, "continue"))).toBeInstanceOf(Error);
      expect({ ...stateOf(tree.folder), objects: "" }).toEqual({ ...parked, objects: "" });
    }
    await resume(local.folder, "continue");
    expect([local("log", "--format=%s"), local("status", "--porcelain")]).toEqual(["two\none\nmine\nbase", ""]);
  });
});

function makeDirt(local: string): void {
  writeFileSync(`${local}/b`, "dirty\n");
  writeFileSync(`${local}/mine`, "untracked\n");
}
