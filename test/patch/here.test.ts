import { existsSync, readFileSync, utimesSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { undo } from "../../src/patch/undo.ts";
import { commitFiles, gitBytes, type TestGit, writeFile } from "../support/git.ts";
import { edited, makeConflict, parkIn, refusedBy, resume, errandIn } from "../support/parking.ts";
import { makeDeps, pullInto } from "../support/pulling.ts";
import { makeScene, removeScenes, type Scene } from "../support/scene.ts";
import { stateOf } from "../support/state.ts";

afterAll(removeScenes);

const subjects = (git: TestGit) => git("log", "--format=%s").replaceAll("\n", " ");

async function stopIn({ local, source }: Scene) {
  const error = await refusedBy(pullInto(local.folder, source, { onConflict: "here" }));
  expect(error).toMatchObject({ kind: "attention", code: "conflict", verdict: { conflicts: ["f"] } });
  expect(local("status", "--porcelain", "--untracked-files=no")).toContain("UU f");
  return error;
}

function resolve(local: TestGit, how: "continue" | "commit" | "reword" = "continue"): void {
  writeFile(local, "f", edited({ 2: "both" }));
  local("add", "f");
  if (how === "continue") gitBytes(local.folder, ["-c", "core.editor=true", "cherry-pick", "--continue"]);
  else local("commit", "--quiet", ...(how === "reword" ? ["-m", "in my own words"] : ["--no-edit"]));
}

/** What is left of the series comes, and nothing twice. */
async function expectTheRest({ local, source }: Scene, before: string): Promise<void> {
  expect(subjects(local)).toBe(before);
  expect(await pullInto(local.folder, source)).toMatchObject({ applied: true, commits: [{ sequence: 3 }, { sequence: 4 }] });
  expect(subjects(local)).toBe(`four three ${before}`);
  expect(await pullInto(local.folder, source)).toMatchObject({ applied: false, commits: [] });
  expect(local("for-each-ref", "--format=%(refname)", "refs/ferry")).not.toContain("/here/");
}

describe("--here", () => {
  it("takes an untouched file whose times changed for what it is", async () => {
    const scene = makeConflict();
    utimesSync(`${scene.local.folder}/f`, 1_700_000_000, 1_700_000_000);
    await stopIn(scene);
  });

  it("lands what fits, and leaves git's own stop", async () => {
    const scene = makeConflict();
    const mine = scene.local("rev-parse", "HEAD");
    writeFile(scene.local, "b", "dirty\n");
    const error = await stopIn(scene);
    expect(error.verdict).toMatchObject({
      applied: true,
      base: mine,
      tip: scene.local("rev-parse", "HEAD"),
      commits: [{ sequence: 1 }],
    });
    expect(error.hint).toContain("cherry-pick --continue; then ferry pull brings the other 2");
    expect(subjects(scene.local)).toBe("one mine base");
    expect(scene.local("status", "--porcelain")).toBe(" M b\nUU f");
    expect(scene.local("rev-parse", "CHERRY_PICK_HEAD")).toBe(scene.sandbox("rev-parse", "HEAD~2"));
    await expect(pullInto(scene.local.folder, scene.source)).rejects.toMatchObject({ kind: "attention" });
  });

  it.each(["continue", "commit", "reword"] as const)("ended by %s: the next pull goes on behind it", async (how) => {
    const scene = makeConflict();
    await stopIn(scene);
    resolve(scene.local, how);
    await expectTheRest(scene, `${how === "reword" ? "in my own words" : "two"} one mine base`);
  });

  it.each(["abort", "skip", "quit"] as const)("ended by git's --%s: it hasn't come, and is tried again", async (how) => {
    const scene = makeConflict();
    await stopIn(scene);
    scene.local("cherry-pick", `--${how}`);
    if (how === "quit") scene.local("reset", "--quiet", "--hard");
    const before = { ...stateOf(scene.local.folder), objects: "" };
    expect(await refusedBy(pullInto(scene.local.folder, scene.source))).toMatchObject({ code: "conflict" });
    expect({ ...stateOf(scene.local.folder), objects: "" }).toEqual(before);
    commitFiles(scene.local, { other: "o\n" }, "on top");
    expect((await refusedBy(pullInto(scene.local.folder, scene.source))).message).toContain("two");
    await stopIn(scene);
    resolve(scene.local);
    await expectTheRest(scene, "two on top one mine base");
  });

  it("what the user does to it afterwards doesn't bring it again: amend, rebase, squash, dropping it", async () => {
    for (const change of [
      (git: TestGit) => git("commit", "--quiet", "--amend", "--reset-author", "-m", "amended"),
      (git: TestGit) => {
        git("reset", "--quiet", "--soft", "HEAD~2");
        git("commit", "--quiet", "-m", "squashed");
      },
      (git: TestGit) => git("rebase", "--quiet", "--force-rebase", "HEAD~2"),
      (git: TestGit) => git("reset", "--quiet", "--hard", "HEAD^"),
    ]) {
      const scene = makeConflict();
      await stopIn(scene);
      resolve(scene.local);
      change(scene.local);
      commitFiles(scene.local, { later: "l\n" }, "later");
      const verdict = await pullInto(scene.local.folder, scene.source).catch((error: unknown) => error);
      if (verdict instanceof Error) expect(verdict.message).toContain("three");
      else expect(verdict).toMatchObject({ applied: true, commits: [{ sequence: 3 }, { sequence: 4 }] });
    }
  });

  it("without a reflog it is known by its author, date and subject", async () => {
    const scene = makeConflict();
    await stopIn(scene);
    resolve(scene.local);
    scene.local("reflog", "expire", "--expire=now", "--all");
    await expectTheRest(scene, "two one mine base");
  });

  it("ferry pull --skip leaves it out for good, standing or not", async () => {
    for (const standing of [true, false]) {
      const scene = makeConflict();
      await stopIn(scene);
      if (!standing) scene.local("cherry-pick", "--abort");
      const { verdict } = await resume(scene.local.folder, "skip");
      expect(verdict.notices.join()).toContain("(two) is left out");
      expect(scene.local("status", "--porcelain")).toBe("");
      // Three changes the file that two did, and fits without it.
      expect(await pullInto(scene.local.folder, scene.source)).toMatchObject({ commits: [{ sequence: 3 }, { sequence: 4 }] });
      await expect(resume(scene.local.folder, "skip")).rejects.toMatchObject({ kind: "not_found" });
    }
  });

  it("one that was given up goes behind the same pull, parked since, whose ends are ferry's", async () => {
    for (const how of ["continue", "skip", "abort"] as const) {
      const scene = makeConflict();
      await stopIn(scene);
      scene.local("cherry-pick", "--abort");
      await expect(resume(scene.local.folder, "continue")).rejects.toMatchObject({
        message: expect.stringContaining("stands here no longer") as string,
        hint: "ferry pull tries it again, ferry pull --skip leaves it out",
      });
      const tree = await parkIn(scene);
      writeFile(tree, "f", edited({ 2: "both" }));
      tree("add", "f");
      await resume(scene.local.folder, how);
      expect(scene.local("worktree", "list").split("\n")).toHaveLength(1);
      const came = { continue: "four three two one mine base", skip: "four three one mine base", abort: "one mine base" };
      expect(subjects(scene.local)).toBe(came[how]);
    }
  });

  it("its other ends are git's, and said so", async () => {
    const scene = makeConflict();
    await stopIn(scene);
    for (const how of ["continue", "abort"] as const)
      await expect(resume(scene.local.folder, how)).rejects.toMatchObject({
        kind: "attention",
        hint: expect.stringContaining(`git cherry-pick --${how}`) as string,
      });
  });

  it("at the first commit nothing lands; undo then has nothing, else takes what landed back", async () => {
    const scene = makeScene({ files: { f: edited({}) } });
    commitFiles(scene.sandbox, { f: edited({ 2: "theirs" }) }, "one");
    commitFiles(scene.sandbox, { n: "n\n" }, "two");
    const mine = commitFiles(scene.local, { f: edited({ 2: "mine" }) }, "mine");
    expect((await stopIn(scene)).verdict).toMatchObject({ applied: false, commits: [], base: mine, tip: mine });
    resolve(scene.local);
    expect(await pullInto(scene.local.folder, scene.source)).toMatchObject({ commits: [{ sequence: 2 }] });
    await undo(errandIn(scene), makeDeps());
    expect(subjects(scene.local)).toBe("one mine base");
    expect(await pullInto(scene.local.folder, scene.source)).toMatchObject({ commits: [{ sequence: 2 }] });
    const other = makeConflict();
    await stopIn(other);
    await expect(undo({ ...errandIn(scene), folder: other.local.folder }, makeDeps())).rejects.toMatchObject({
      kind: "attention",
    });
    other.local("cherry-pick", "--abort");
    await undo({ ...errandIn(scene), folder: other.local.folder }, makeDeps());
    expect(subjects(other.local)).toBe("mine base");
    await stopIn(other);
  });

  it.each([
    [
      "staged work",
      (git: TestGit) => {
        writeFile(git, "b", "staged\n");
        git("add", "b");
      },
      "b",
    ],
    ["dirt where it doesn't fit", (git: TestGit) => writeFile(git, "f", "dirty\n"), "f"],
    ["an untracked file where what fits goes", (git: TestGit) => writeFile(git, "n", "mine\n"), "n"],
    [
      "an ignored one",
      (git: TestGit) => {
        writeFile(git, ".git/info/exclude", "n\n");
        writeFile(git, "n", "mine\n");
      },
      "n",
    ],
  ] as const)("is refused with %s, and nothing changes", async (_, spoil, path) => {
    const scene = makeConflict();
    spoil(scene.local);
    const before = stateOf(scene.local.folder);
    expect(await refusedBy(pullInto(scene.local.folder, scene.source, { onConflict: "here" }))).toMatchObject({
      verdict: { applied: false, blocked_by: [path] },
    });
    expect(stateOf(scene.local.folder)).toEqual(before);
  });

  it("on a detached HEAD, and where rerere knows the resolution", async () => {
    const scene = makeConflict();
    scene.local("switch", "--quiet", "--detach");
    scene.local("config", "rerere.enabled", "true");
    scene.local("config", "rerere.autoUpdate", "true");
    await stopIn(scene);
    resolve(scene.local);
    await expectTheRest(scene, "two one mine base");
    await undo(errandIn(scene), makeDeps());
    scene.local("reset", "--quiet", "--hard", "HEAD~2");
    await expect(pullInto(scene.local.folder, scene.source, { onConflict: "here", session: "ses_2" })).rejects.toMatchObject({
      kind: "attention",
    });
    expect(readFileSync(`${scene.local.folder}/f`, "utf8")).toBe(edited({ 2: "both" }));
  });

  it("a merge driver of the user's that resolves it: the rest comes at once", async () => {
    const scene = makeConflict();
    scene.local("config", "merge.mine.driver", "cp %B %A");
    writeFile(scene.local, ".git/info/attributes", "f merge=mine\n");
    expect(await pullInto(scene.local.folder, scene.source, { onConflict: "here" })).toMatchObject({ applied: true });
    expect(await pullInto(scene.local.folder, scene.source)).toMatchObject({ applied: false, commits: [] });
    expect(existsSync(`${scene.local.folder}/.git/CHERRY_PICK_HEAD`)).toBe(false);
  });
});
