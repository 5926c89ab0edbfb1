import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import type { FerryError } from "../../src/base/errors.ts";
import { undo } from "../../src/patch/undo.ts";
import { ended, startPull } from "../support/dying.ts";
import { commitFiles, gitIn, type TestGit, writeFile } from "../support/git.ts";
import {
  edited,
  expectNoDebris,
  makeConflict,
  makeResolved,
  parkIn,
  refusedBy,
  rescueOf,
  resume,
  resumeWhile,
  errandIn,
} from "../support/parking.ts";
import { makeDeps, pullInto } from "../support/pulling.ts";
import { makeScene, removeScenes, type Scene } from "../support/scene.ts";

afterAll(removeScenes);

/** A shell that stands in the worktree is in it still when that was moved aside. */
const asideOf = (tree: TestGit) => gitIn(`${tree.folder}.over`);

function kept({ local }: Scene): string[] {
  return local("for-each-ref", "--format=%(objectname)", "refs/ferry/rescue/").split("\n").filter(Boolean);
}

function commitTwice(git: TestGit): string[] {
  return ["v1", "v2"].map((version) => commitFiles(git, { b: `${version}\n` }, version));
}

/** Stages something, and changes the file again. */
function stage(git: TestGit): void {
  writeFile(git, "b", "staged\n");
  git("add", "b");
  writeFile(git, "b", "later\n");
}

describe("what is done in a parked worktree while it is taken away is kept, and told", () => {
  for (const how of ["continue", "abort"] as const) {
    it(`commits, after a kill of --${how}`, async () => {
      const { scene, tree } = await makeResolved();
      await ended(startPull(scene, "park-aside", { how }));
      const [, last = ""] = commitTwice(asideOf(tree));
      const error = await refusedBy(pullInto(scene.local.folder, scene.source, { onConflict: "park" }));
      expect(error.details).toContainEqual(expect.stringContaining(`${last.slice(0, 12)}: refs/ferry/rescue/`));
      expect(kept(scene)).toEqual([last]);
      expect(error.message).toContain(`what was written is in ${rescueOf(scene)} and refs/ferry/rescue/`);
      expect(error.hint).toMatch(/; git log -p refs\/ferry\/rescue\/\S+ shows the commits/u);
    });

    it(`what is staged, after a kill of --${how}`, async () => {
      const { scene, tree } = await makeResolved();
      await ended(startPull(scene, "park-aside", { how }));
      stage(asideOf(tree));
      const error = await refusedBy(pullInto(scene.local.folder, scene.source, { onConflict: "park" }));
      expect(error.code).toBe("edited_meanwhile");
      expect(readFileSync(`${rescueOf(scene)}/b.staged`, "utf8")).toBe("staged\n");
      expect(readFileSync(`${rescueOf(scene)}/b`, "utf8")).toBe("later\n");
    });

    it(`commits that HEAD left again, while --${how} runs`, async () => {
      const { scene, tree } = await makeResolved();
      let last: string | undefined;
      const work = () => {
        const before = asideOf(tree)("rev-parse", "HEAD");
        [, last] = commitTwice(asideOf(tree));
        asideOf(tree)("checkout", "--quiet", before);
      };
      await refusedBy(resumeWhile(scene, how, { at: "park-aside", work }));
      expect(kept(scene)).toEqual([last]);
    });
  }

  it("commits, in a repository with a broken ref", async () => {
    const { scene, tree } = await makeResolved();
    writeFile(scene.local, ".git/refs/heads/cut-off", "");
    let last: string | undefined;
    const work = () => void ([, last] = commitTwice(asideOf(tree)));
    const error = await refusedBy(resumeWhile(scene, "abort", { at: "park-aside", work }));
    expect(error.details).toContainEqual(expect.stringContaining(`${(last ?? "").slice(0, 12)}: refs/ferry/rescue/`));
    rmSync(`${scene.local.folder}/.git/refs/heads/cut-off`);
    expect(kept(scene)).toEqual([last]);
  });

  it("once: a kill after that makes no second ref, and what it kept is told by the next run", async () => {
    const { scene, tree } = await makeResolved();
    await ended(startPull(scene, "park-aside", { how: "abort" }));
    const [, last = ""] = commitTwice(asideOf(tree));
    await ended(startPull(scene, "park-closed"));
    await ended(startPull(scene, "park-closed"));
    expect(kept(scene)).toEqual([last]);
    const error = await refusedBy(pullInto(scene.local.folder, scene.source));
    expect(error.details).toContainEqual(expect.stringContaining(`${last.slice(0, 12)}: refs/ferry/rescue/`));
    expect(existsSync(`${scene.local.folder}/.git/ferry/untold`)).toBe(false);
    await refusedBy(pullInto(scene.local.folder, scene.source)).then(({ code }) => expect(code).not.toBe("edited_meanwhile"));
  });

  it("nobody can stage or commit any more once it was looked at last", async () => {
    const { scene, tree } = await makeResolved();
    const gitDir = tree("rev-parse", "--absolute-git-dir");
    const tried: unknown[] = [];
    const work = () => {
      const late = gitIn(scene.local.folder, { GIT_DIR: gitDir, GIT_WORK_TREE: scene.local.folder });
      for (const act of [
        ["add", "b"],
        ["commit", "--quiet", "--allow-empty", "-m", "late"],
      ] as const) {
        try {
          tried.push(late(...act));
        } catch (error) {
          tried.push(/Unable to create '.*(index|HEAD)\.lock': File exists/u.test(String(error)));
        }
      }
    };
    await resumeWhile(scene, "abort", { at: "park-closed", work });
    expect(tried).toEqual([true, true]);
    expectNoDebris(scene);
  });
});

describe("on the way to the next conflict", () => {
  it("what is staged while slow filters run is kept, or git refuses to stage it", async () => {
    const { scene, tree } = await makeResolved({ twice: true });
    const script = `${scene.local.folder}/../clean`;
    writeFileSync(
      script,
      `cat; [ -e '${script}.armed' ] || exit 0; rm '${script}.armed'; cd '${tree.folder}' && unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
echo staged > b; git add b && : > '${script}.done'; echo later > b\n`,
    );
    scene.local("config", "filter.slow.clean", `sh '${script}'`);
    writeFile(scene.local, ".git/info/attributes", "n filter=slow\n");
    const work = () => {
      writeFileSync(`${script}.armed`, "");
      writeFileSync(`${tree.folder}/n`, "n\n");
    };
    const error = await refusedBy(resumeWhile(scene, "continue", { at: "park-moved", work }));
    expect(existsSync(`${script}.armed`)).toBe(false);
    expect(readFileSync(`${tree.folder}/b`, "utf8")).toBe("later\n");
    if (existsSync(`${script}.done`)) {
      expect(error.details).toContainEqual(`b: ${rescueOf(scene)}/b.staged`);
      expect(readFileSync(`${rescueOf(scene)}/b.staged`, "utf8")).toBe("staged\n");
    }
  });

  it("what git stash pop brought back counts as staged by a person", async () => {
    const { scene, tree } = await makeResolved({ twice: true });
    await ended(startPull(scene, "park-moved", { how: "continue" }));
    tree("stash", "--quiet");
    writeFile(tree, "mine", "staged\n");
    tree("add", "mine");
    tree("stash", "--quiet");
    tree("stash", "pop", "--quiet");
    writeFile(tree, "mine", "later\n");
    expect(tree("status", "--porcelain")).toBe("AM mine");
    expect(await refusedBy(resume(scene.local.folder, "continue"))).toMatchObject({ code: "edited_meanwhile" });
    expect(readFileSync(`${rescueOf(scene)}/mine.staged`, "utf8")).toBe("staged\n");
  });

  it("what was rescued by a step that fails is told with that", async () => {
    const { scene, tree } = await makeResolved();
    const gitDir = tree("rev-parse", "--absolute-git-dir");
    const work = () => {
      writeFile(asideOf(tree), "own", "mine\n");
      mkdirSync(`${gitDir}/index.lock.ferry`);
    };
    const error = await resumeWhile(scene, "abort", { at: "park-aside", work }).catch((cause: unknown) => cause as FerryError);
    expect(error).toMatchObject({ code: "edited_meanwhile" });
    expect((error as FerryError).details).toContain(`own: ${rescueOf(scene)}/own`);
    rmSync(`${gitDir}/index.lock.ferry`, { recursive: true });
    await resume(scene.local.folder, "abort").catch(() => undefined);
    expect(readFileSync(`${rescueOf(scene)}/own`, "utf8")).toBe("mine\n");
  });

  it("a lock of another git's that stays is named", async () => {
    const { scene, tree } = await makeResolved();
    const lock = `${tree("rev-parse", "--absolute-git-dir")}/index.lock`;
    writeFileSync(lock, "");
    await expect(resume(scene.local.folder, "continue")).rejects.toMatchObject({
      kind: "attention",
      message: `another git holds a lock: ${lock} exists`,
    });
    expect(existsSync(lock)).toBe(true);
  });

  it("a lock that a killed run left is ours to take away", async () => {
    const { scene, tree } = await makeResolved({ twice: true });
    await ended(startPull(scene, "park-moved", { how: "continue" }));
    writeFileSync(`${tree("rev-parse", "--absolute-git-dir")}/index.lock`, "ferry pull: a parked worktree\n");
    // Whatever ferry does next.
    await refusedBy(pullInto(scene.local.folder, scene.source));
    tree("status");
    await refusedBy(resume(scene.local.folder, "continue"));
    expect(tree("status", "--porcelain")).toBe("UU g");
  });

  it.each(["skip", "continue"] as const)(
    "nothing is told of what nobody made: --%s, with CRLF in the working copy",
    async (how) => {
      const scene = makeConflict({ twice: true });
      scene.local("config", "core.autocrlf", "true");
      const tree = await parkIn(scene);
      if (how === "continue") {
        writeFile(tree, "f", edited({ 2: "both" }).replaceAll("\n", "\r\n"));
        tree("add", "f");
      }
      const error = await refusedBy(resume(scene.local.folder, how));
      expect(error).toMatchObject({ code: "conflict", details: ["g"] });
      expect(existsSync(rescueOf(scene))).toBe(false);
    },
  );

  it("a file in the place of a folder that the series doesn't touch is no fault", async () => {
    const scene = makeScene({ files: { f: edited({}), "docs/d": "d\n" } });
    commitFiles(scene.sandbox, { f: edited({ 2: "theirs" }) }, "one");
    commitFiles(scene.local, { f: edited({ 2: "mine" }) }, "mine");
    rmSync(`${scene.local.folder}/docs`, { recursive: true });
    writeFile(scene.local, "docs", "mine\n");
    await refusedBy(pullInto(scene.local.folder, scene.source, { onConflict: "here" }));
    expect(scene.local("status", "--porcelain")).toBe(" D docs/d\nUU f\n?? docs");
    expect(readFileSync(`${scene.local.folder}/docs`, "utf8")).toBe("mine\n");
  });
});

describe("a conflict that git itself resolves with --here", () => {
  function makeUnion(): Scene {
    const scene = makeScene({ files: { ".gitattributes": "*.log merge=union\n", "a.log": "1\n", c: "c\n", f: edited({}) } });
    commitFiles(scene.sandbox, { c: "c2\n" }, "zero");
    commitFiles(scene.sandbox, { "a.log": "1\ntheirs\n" }, "theirs");
    commitFiles(scene.local, { "a.log": "1\nmine\n" }, "mine");
    return scene;
  }

  it.each([0, 1])("all that came is told, and taken back by one --undo; with %i behind it", async (more) => {
    const scene = makeUnion();
    if (more > 0) commitFiles(scene.sandbox, { n: "n\n" }, "behind");
    const before = scene.local("rev-parse", "HEAD");
    const verdict = await pullInto(scene.local.folder, scene.source, { onConflict: "here" });
    const subjects = ["zero", "theirs", "behind"].slice(0, 2 + more);
    expect(verdict).toMatchObject({ applied: true, base: before, tip: scene.local("rev-parse", "HEAD"), files: 2 + more });
    expect(verdict.commits.map(({ subject }) => subject)).toEqual(subjects);
    expect(scene.local("log", "--format=%s")).toBe([...subjects.toReversed(), "mine", "base"].join("\n"));
    expect(verdict.commits.map(({ applied_as }) => applied_as)).toEqual(
      scene.local("log", "--reverse", "--format=%H", `${before}..`).split("\n"),
    );
    expect(await undo(errandIn(scene), makeDeps())).toMatchObject({ to: before });
    expect(scene.local("status", "--porcelain")).toBe("");
    expect((await pullInto(scene.local.folder, scene.source, { onConflict: "here" })).commits).toHaveLength(2 + more);
  });

  it.each(["a.log", "f"])("is refused over the user's own work, which git's --abort would take away: %s", async (path) => {
    const scene = makeScene({ files: { ".gitattributes": "*.log merge=union\n", "a.log": edited({}), f: edited({}) } });
    commitFiles(scene.sandbox, { [path]: edited({ 2: "theirs" }), "n/f": "new\n" }, "theirs");
    commitFiles(scene.local, { [path]: edited({ 2: "mine" }) }, "mine");
    writeFile(scene.local, "n/f", "new\n");
    const before = scene.local("rev-parse", "HEAD");
    const error = await refusedBy(pullInto(scene.local.folder, scene.source, { onConflict: "here" }));
    expect(error).toMatchObject({ kind: "attention", verdict: { applied: false, blocked_by: ["n/f"] } });
    expect(readFileSync(`${scene.local.folder}/n/f`, "utf8")).toBe("new\n");
    expect([scene.local("status", "--porcelain"), scene.local("rev-parse", "HEAD")]).toEqual(["?? n/", before]);
  });

  it("and local work in the way of one behind it: what came is told, and what is in the way", async () => {
    const scene = makeUnion();
    commitFiles(scene.sandbox, { n: "n\n" }, "behind");
    writeFile(scene.local, "n", "mine\n");
    const error = await refusedBy(pullInto(scene.local.folder, scene.source, { onConflict: "here" }));
    expect(error).toMatchObject({ kind: "attention", verdict: { applied: true, blocked_by: ["n"], files: 2 } });
    expect(error.verdict.commits.map(({ subject }) => subject)).toEqual(["zero", "theirs"]);
    expect(error.verdict.tip).toBe(scene.local("rev-parse", "HEAD"));
  });

  it("and one behind it that doesn't fit: what came is told with that", async () => {
    const scene = makeUnion();
    commitFiles(scene.sandbox, { f: edited({ 2: "theirs" }) }, "conflict");
    commitFiles(scene.local, { f: edited({ 2: "mine" }) }, "mine too");
    const error = await refusedBy(pullInto(scene.local.folder, scene.source, { onConflict: "here" }));
    expect(error.message).toMatch(/^2 commits came; commit /u);
    expect(error.verdict).toMatchObject({ applied: true, conflicts: ["f"], files: 2 });
    expect(error.verdict.commits.map(({ subject }) => subject)).toEqual(["zero", "theirs"]);
  });

  it("is told by git what it made, whatever strategy the user has for pulls", async () => {
    const scene = makeConflict();
    scene.local("config", "pull.twohead", "recursive");
    await refusedBy(pullInto(scene.local.folder, scene.source, { onConflict: "here" }));
    expect(scene.local("rev-parse", "AUTO_MERGE")).toMatch(/^[0-9a-f]{40}$/u);
    expect(readdirSync(`${scene.local.folder}/.git/ferry`)).toEqual([]);
  });
});
