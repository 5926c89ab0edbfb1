import { existsSync, readFileSync, rmSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { writeFile } from "../support/git.ts";
import { edited, expectNoDebris, makeConflict, parkedTree, parkIn, refusedBy, resume } from "../support/parking.ts";
import { pullInto } from "../support/pulling.ts";
import { removeScenes, type Scene } from "../support/scene.ts";
import { stateOf } from "../support/state.ts";

afterAll(removeScenes);

/** All that a user could notice, but for objects that nothing points to. */
const visible = ({ local }: Scene) => ({ ...stateOf(local.folder), objects: "" });
describe("--continue is refused, and nothing is lost", () => {
  const cases: readonly [string, (tree: ReturnType<typeof parkedTree>) => void, string][] = [
    ["with the conflict still there", () => undefined, "f still has its conflict"],
    [
      "resolved, but not staged",
      (tree) => {
        tree("add", "f");
        writeFile(tree, "f", "later\n");
      },
      "f has changes that aren't staged",
    ],
    [
      "with an untracked file",
      (tree) => {
        tree("add", "f");
        writeFile(tree, "mine", "m\n");
      },
      "mine isn't in git",
    ],
    [
      "with an ignored file",
      (tree) => {
        tree("add", "f");
        writeFile(tree, "mine.o", "m\n");
      },
      "mine.o isn't in git",
    ],
    [
      "with changes out of git's sight",
      (tree) => {
        tree("add", "f");
        tree("update-index", "--assume-unchanged", "b");
        writeFile(tree, "b", "mine\n");
      },
      "b has changes out of git's sight",
    ],
    ["after git cherry-pick --skip", (tree) => tree("cherry-pick", "--skip"), "nothing was committed"],
    [
      "in the middle of something else",
      (tree) => {
        tree("cherry-pick", "--skip");
        tree("bisect", "start");
      },
      "a bisect is in progress",
    ],
    [
      "standing somewhere else",
      (tree) => {
        tree("cherry-pick", "--skip");
        tree("reset", "--quiet", "--hard", "HEAD~2");
      },
      "no longer stands",
    ],
  ];
  it.each(cases)("%s", async (_, spoil, message) => {
    const scene = makeConflict();
    writeFile(scene.local, ".git/info/exclude", "*.o\n");
    const tree = await parkIn(scene);
    spoil(tree);
    const before = [stateOf(tree.folder), visible(scene)];
    await expect(resume(scene.local.folder, "continue")).rejects.toMatchObject({
      kind: "attention",
      message: expect.stringContaining(message) as string,
    });
    expect([stateOf(tree.folder), visible(scene)].map((state) => ({ ...state, objects: "" }))).toEqual(
      before.map((state) => ({ ...state, objects: "" })),
    );
  });

  it("while local work is in the way, and goes on when it is gone", async () => {
    const scene = makeConflict();
    const tree = await parkIn(scene);
    writeFile(tree, "f", edited({ 2: "both" }));
    tree("add", "f");
    writeFile(scene.local, "f", "dirty\n");
    const before = visible(scene);
    expect(await refusedBy(resume(scene.local.folder, "continue"))).toMatchObject({ verdict: { blocked_by: ["f"] } });
    expect(visible(scene)).toEqual(before);
    scene.local("checkout", "f");
    expect((await resume(scene.local.folder, "continue")).verdict.applied).toBe(true);
  });

  it("while the checkout is in the middle of a merge", async () => {
    const scene = makeConflict();
    await parkIn(scene);
    scene.local("bisect", "start");
    await expect(resume(scene.local.folder, "skip")).rejects.toMatchObject({ kind: "attention" });
    scene.local("bisect", "reset");
    expect((await resume(scene.local.folder, "skip")).verdict.applied).toBe(true);
  });

  it("--abort keeps files that nobody else has, unless it is told otherwise", async () => {
    const scene = makeConflict();
    const tree = await parkIn(scene);
    writeFile(tree, "mine", "m\n");
    await expect(resume(tree.folder, "abort")).rejects.toMatchObject({ kind: "attention", details: ["mine"] });
    expect(readFileSync(`${tree.folder}/mine`, "utf8")).toBe("m\n");
    await resume(scene.local.folder, "abort", { acceptDeletion: true });
    expectNoDebris(scene);
  });

  it("where the worktree is gone, and --abort forgets it; moved, it is found", async () => {
    const gone = makeConflict();
    const { folder } = await parkIn(gone);
    rmSync(folder, { recursive: true });
    await expect(resume(gone.local.folder, "continue")).rejects.toMatchObject({
      kind: "attention",
      message: `the worktree of the parked pull isn't in ${folder}`,
      hint: "git worktree repair PATH names where it is now; where it is gone for good, ferry pull --abort gives the pull up",
    });
    await resume(gone.local.folder, "abort");
    expectNoDebris(gone);
    const forgotten = makeConflict();
    rmSync((await parkIn(forgotten)).folder, { recursive: true });
    forgotten.local("worktree", "prune", "--expire=now");
    await expect(resume(forgotten.local.folder, "continue")).rejects.toMatchObject({
      kind: "attention",
      message: "the worktree of the parked pull is gone",
      hint: "ferry pull --abort gives the pull up",
    });
    await resume(forgotten.local.folder, "abort");
    expectNoDebris(forgotten);
    const moved = makeConflict();
    const tree = await parkIn(moved);
    moved.local("worktree", "move", tree.folder, `${moved.local.folder}-moved`);
    expect(await refusedBy(pullInto(`${moved.local.folder}-moved`, moved.source))).toMatchObject({ code: "parked" });
    await resume(`${moved.local.folder}-moved`, "skip");
    expect(existsSync(`${moved.local.folder}-moved`)).toBe(false);
    expectNoDebris(moved);
  });

  it("where the worktree is gone, commits that were made there are kept, and told", async () => {
    const scene = makeConflict();
    const tree = await parkIn(scene);
    tree("add", "f");
    tree("-c", "core.editor=true", "cherry-pick", "--continue");
    writeFile(tree, "mine", "m\n");
    tree("add", "mine");
    tree("commit", "-qm", "mine");
    const commit = tree("rev-parse", "HEAD");
    rmSync(tree.folder, { recursive: true });
    expect(await refusedBy(resume(scene.local.folder, "abort"))).toMatchObject({
      kind: "attention",
      details: [expect.stringContaining(`${commit.slice(0, 12)}: refs/ferry/rescue/`)],
    });
    const kept = scene.local("for-each-ref", "--format=%(objectname)", "refs/ferry/rescue/");
    expect(kept).toBe(commit);
  });

  it("where several are parked, the session says which", async () => {
    const scene = makeConflict();
    await parkIn(scene);
    await refusedBy(pullInto(scene.local.folder, scene.source, { onConflict: "park", session: "ses_2" }));
    await expect(resume(scene.local.folder, "skip")).rejects.toMatchObject({ kind: "usage" });
    await expect(resume(scene.local.folder, "skip", { session: "ses_3" })).rejects.toMatchObject({ kind: "not_found" });
    await resume(scene.local.folder, "abort", { session: "ses_2" });
    expect(await resume(scene.local.folder, "abort")).toMatchObject({ session: "ses_1" });
    await expect(resume(scene.local.folder, "abort")).rejects.toMatchObject({ kind: "not_found" });
    expectNoDebris(scene);
  });
});
