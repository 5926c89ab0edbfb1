import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import type { Plan } from "../../src/patch/recovery/journal.ts";
import { placesNow } from "../../src/patch/recovery/places.ts";
import type { Checkpoint } from "../../src/patch/request.ts";
import { ended, startPull } from "../support/dying.ts";
import { commitFiles, gitIn, type TestGit, writeFile } from "../support/git.ts";
import { pullInto } from "../support/pulling.ts";
import { makeScene, pullExactly, removeScenes, type Scene } from "../support/scene.ts";
import { stateOf } from "../support/state.ts";

/** A pull that was killed, in a working copy that has another path by the time of the next one. */

afterAll(removeScenes);

const visible = ({ folder }: Pick<TestGit, "folder">) => ({ ...stateOf(folder), objects: "" });
const ferry = ({ local }: Pick<Scene, "local">) => `${local.folder}/.git/ferry`;
const dryRun = (folder: string, { source }: Scene) => pullInto(folder, source, { dryRun: true });
const at = (scene: Scene, folder: string): Scene => ({ ...scene, local: gitIn(folder) });

/** With a file of which git would not make the same again: a filter takes it for what is committed. */
function makeDirty(): Scene {
  const scene = makeScene({ files: { a: "1\n2\n3\n", b: "b\n", gone: "g\n", z: "keep\n" } });
  commitFiles(scene.sandbox, { a: "1\nzwei\n3\n", gone: null, n: "n\n", z: "new\n" }, "one");
  scene.local("config", "filter.low.clean", "tr A-Z a-z");
  writeFile(scene.local, ".git/info/attributes", "z filter=low\n");
  writeFile(scene.local, "z", "KEEP\n");
  writeFile(scene.local, "b", "dirty\n");
  scene.local("update-index", "-q", "--refresh");
  return scene;
}

async function kill(scene: Scene, dieAt: Checkpoint = "tree-written"): Promise<void> {
  expect(await ended(startPull(scene, dieAt))).toMatchObject({ signal: "SIGKILL" });
}

/** As `cp -a`, and `mv`, do it. */
function copy(from: string, to: string): string {
  expect(spawnSync("cp", ["-a", from, to]).status).toBe(0);
  return to;
}

/** As an earlier version wrote it: by absolute paths. */
function makeEarlier({ local }: Scene, gitDir = `${local.folder}/.git`): void {
  const journal = `${local.folder}/.git/ferry/journal`;
  const [first = "", ...rest] = readFileSync(journal, "utf8").split("\n");
  const plan = JSON.parse(first) as Plan;
  const whole = (paths: readonly string[]) => paths.map((path) => `${local.folder}/.git/${path}`);
  const locks = { refs: whole(plan.locks.refs), index: whole(plan.locks.index), tree: [] };
  writeFileSync(journal, [JSON.stringify({ ...plan, gitDir, locks }), ...rest].join("\n"));
}

async function expectTakenBack(scene: Scene, before: ReturnType<typeof visible>): Promise<void> {
  await dryRun(scene.local.folder, scene);
  expect({ ...visible(scene.local), worktrees: "" }).toEqual({ ...before, worktrees: "" });
  expect(readFileSync(`${scene.local.folder}/z`, "utf8")).toBe("KEEP\n");
  expect(readdirSync(ferry(scene))).toEqual([]);
  await pullExactly(scene);
}

describe("the repository", () => {
  it.each(["held", "prepared", "tree-started", "tree-written"] as const)(
    "moved since a kill at %s: it is taken back where it is now",
    async (dieAt) => {
      const scene = makeDirty();
      const before = visible(scene.local);
      await kill(scene, dieAt);
      const moved = at(scene, `${scene.local.folder}-moved`);
      renameSync(scene.local.folder, moved.local.folder);
      await expectTakenBack(moved, before);
      expect(existsSync(scene.local.folder)).toBe(false);
    },
  );

  it("moved since a kill when all was done: it is ended there", async () => {
    const scene = makeDirty();
    await kill(scene, "committed");
    const moved = at(scene, `${scene.local.folder}-moved`);
    renameSync(scene.local.folder, moved.local.folder);
    expect(await pullInto(moved.local.folder, scene.source)).toMatchObject({ applied: false });
    expect(moved.local("status", "--porcelain")).toBe(" M b");
    expect(readdirSync(ferry(moved))).toEqual([]);
  });

  it.each(["prepared", "tree-written"] as const)(
    "copied since a kill at %s: the copy alone is taken back by a pull there, and the original by one in it",
    async (dieAt) => {
      const scene = makeDirty();
      const before = visible(scene.local);
      await kill(scene, dieAt);
      const half = stateOf(scene.local.folder);
      const copied = at(scene, copy(scene.local.folder, `${scene.local.folder}-copy`));
      await expectTakenBack(copied, before);
      expect(stateOf(scene.local.folder)).toEqual(half);
      await expectTakenBack(scene, before);
    },
  );

  it("moved, with a journal of an earlier version; and one that stayed", async () => {
    for (const isMoved of [true, false]) {
      const scene = makeDirty();
      const before = visible(scene.local);
      await kill(scene);
      makeEarlier(scene);
      const now = isMoved ? at(scene, `${scene.local.folder}-moved`) : scene;
      if (isMoved) renameSync(scene.local.folder, now.local.folder);
      await expectTakenBack(now, before);
    }
  });

  it("with a journal of an earlier version that names no folder of it: nothing is touched, and it is told", async () => {
    const scene = makeDirty();
    await kill(scene);
    makeEarlier(scene, "/somewhere/else/.git");
    const half = stateOf(scene.local.folder);
    await expect(dryRun(scene.local.folder, scene)).rejects.toMatchObject({
      kind: "attention",
      message: "a pull was interrupted in /somewhere/else/.git, which is none of this repository's folders",
      hint: expect.stringContaining(`is in ${ferry(scene)}/aside`) as string,
    });
    expect(stateOf(scene.local.folder)).toEqual(half);
    expect(readdirSync(`${ferry(scene)}/aside`).length).toBeGreaterThan(0);
  });

  it("moved since a kill with --autostash: what was put away comes back", async () => {
    for (const dieAt of ["stash-stored", "tree-written", "stash-landed"] as const) {
      const scene = makeDirty();
      writeFile(scene.local, "a", "1\n2\nmine\n");
      await ended(startPull(scene, dieAt, { options: { autostash: true } }));
      const moved = at(scene, `${scene.local.folder}-moved`);
      renameSync(scene.local.folder, moved.local.folder);
      const error: unknown = await pullInto(moved.local.folder, scene.source, { autostash: true }).then(
        () => undefined,
        (cause: unknown) => cause,
      );
      const stash = moved.local("stash", "list");
      const isIn = readFileSync(`${moved.local.folder}/a`, "utf8").includes("mine");
      expect([dieAt, isIn || stash !== ""]).toEqual([dieAt, true]);
      if (error !== undefined) expect(error).toMatchObject({ kind: "attention" });
    }
  });

  it("whose main working copy is elsewhere: it is found from a worktree", async () => {
    const scene = makeDirty();
    const elsewhere = gitIn(`${scene.local.folder}-tree`);
    spawnSync("mkdir", [elsewhere.folder]);
    for (const name of readdirSync(scene.local.folder))
      if (name !== ".git") renameSync(`${scene.local.folder}/${name}`, `${elsewhere.folder}/${name}`);
    scene.local("config", "core.worktree", elsewhere.folder);
    writeFile(elsewhere, ".git", `gitdir: ${scene.local.folder}/.git\n`);
    const linked = `${scene.local.folder}-linked`;
    elsewhere("worktree", "add", "--quiet", "-b", "other", linked);
    await ended(startPull({ ...scene, local: elsewhere }, "tree-written"));
    const now = gitIn(`${scene.local.folder}-now`);
    renameSync(elsewhere.folder, now.folder);
    scene.local("config", "core.worktree", now.folder);
    await dryRun(linked, scene);
    expect(now("status", "--porcelain")).toBe(" M b");
    expect(readFileSync(`${now.folder}/z`, "utf8")).toBe("KEEP\n");
    expect(readdirSync(ferry(scene))).toEqual([]);
  });
});

describe("a worktree of it", () => {
  /** Kills a pull in a linked worktree, which has the file that only it has. */
  async function killLinked(): Promise<{ scene: Scene; linked: TestGit }> {
    const scene = makeDirty();
    const linked = gitIn(`${scene.local.folder}-linked`);
    scene.local("worktree", "add", "--quiet", "-b", "other", linked.folder);
    writeFile(linked, "z", "KEEP\n");
    linked("update-index", "-q", "--refresh");
    expect(await ended(startPull({ ...scene, local: linked }, "tree-written"))).toMatchObject({ signal: "SIGKILL" });
    expect(readFileSync(`${linked.folder}/a`, "utf8")).toContain("zwei");
    return { scene, linked };
  }

  const expectBack = (scene: Scene, linked: TestGit) => {
    expect(linked("status", "--porcelain")).toBe("");
    expect(readFileSync(`${linked.folder}/z`, "utf8")).toBe("KEEP\n");
    expect(readdirSync(ferry(scene))).toEqual([]);
  };

  it("moved since: it is taken back where it is now, by a pull in the main one", async () => {
    const { scene, linked } = await killLinked();
    const moved = gitIn(`${linked.folder}-moved`);
    scene.local("worktree", "move", linked.folder, moved.folder);
    await dryRun(scene.local.folder, scene);
    expectBack(scene, moved);
  });

  it("not there: nothing is touched till it is, and it is told where its files are", async () => {
    const { scene, linked } = await killLinked();
    renameSync(linked.folder, `${linked.folder}-away`);
    const aside = readdirSync(`${ferry(scene)}/aside`);
    await expect(dryRun(scene.local.folder, scene)).rejects.toMatchObject({
      kind: "attention",
      code: "working_copy_away",
      message: `a pull was interrupted in ${linked.folder}, and no working copy of this repository is there`,
      hint: expect.stringMatching(/git worktree repair PATH .* are in \S+\/aside$/u) as string,
    });
    expect(readdirSync(`${ferry(scene)}/aside`)).toEqual(aside);
    scene.local("worktree", "repair", `${linked.folder}-away`);
    await dryRun(scene.local.folder, scene);
    expectBack(scene, gitIn(`${linked.folder}-away`));
  });

  it("gone for good: what was put away of its files is kept, and told once", async () => {
    const { scene, linked } = await killLinked();
    rmSync(linked.folder, { recursive: true });
    scene.local("worktree", "prune");
    await expect(dryRun(scene.local.folder, scene)).rejects.toMatchObject({
      kind: "attention",
      message: `a pull was interrupted in ${linked.folder}, a worktree that is gone`,
      details: ["z"],
    });
    expect(readFileSync(`${ferry(scene)}/rescue/z`, "utf8")).toBe("KEEP\n");
    expect(scene.local("for-each-ref", "refs/ferry/landing")).toBe("");
    await dryRun(scene.local.folder, scene);
    expect(readdirSync(ferry(scene))).toEqual(["rescue"]);
  });

  it("of the original, where a pull runs in a copy: it is left alone, and told", async () => {
    const { scene, linked } = await killLinked();
    const copied = copy(scene.local.folder, `${scene.local.folder}-copy`);
    const half = readFileSync(`${linked.folder}/a`, "utf8");
    await expect(dryRun(copied, scene)).rejects.toMatchObject({ kind: "attention", code: "working_copy_away" });
    expect(readFileSync(`${linked.folder}/a`, "utf8")).toBe(half);
    await dryRun(scene.local.folder, scene);
    expectBack(scene, linked);
  });
});

describe("paths that an earlier version noted", () => {
  const [then, now] = ["/then/.git", "/now/.git"];
  const packed = (folder: string) => [`${folder}/HEAD.lock`, `${folder}/packed-refs.lock`];
  it.each([
    ["of the main one", then, packed(then), now],
    ["of a worktree", `${then}/worktrees/w`, packed(then), `${now}/worktrees/w`],
    ["of a repository in a folder called worktrees", "/then/worktrees/w", packed("/then/worktrees/w"), now],
    ["of a worktree, without the packed refs", `${then}/worktrees/w`, [], `${now}/worktrees/w`],
    ["of the main one, without the packed refs", then, [], now],
    ["of another one", "/other/.git", packed(then), undefined],
    ["that say nothing", "/then", [], undefined],
    ["that hold still", `${now}/worktrees/w`, packed(now), `${now}/worktrees/w`],
  ] as const)("%s", (_, gitDir, locks, expected) => {
    const where = placesNow({ gitDir, locks }, now);
    expect(where?.(gitDir)).toBe(expected);
    expect(where?.(`${gitDir}/index.lock`)).toBe(expected === undefined ? undefined : `${expected}/index.lock`);
  });
});
