import { lstatSync, renameSync, symlinkSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { preview } from "../../src/patch/preview/preview.ts";
import { undo } from "../../src/patch/undo.ts";
import { commitFiles, makeRepository, type TestGit, writeFile } from "../support/git.ts";
import { edited, expectNoDebris, makeConflict, parkIn, resume } from "../support/parking.ts";
import { makeDeps, pullInto, pullRequest } from "../support/pulling.ts";
import { makeScene, pullExactly, pullRefused, removeScenes } from "../support/scene.ts";
import { sandboxSource } from "../support/series.ts";
import { makeTimeline } from "../support/timeline.ts";

afterAll(removeScenes);

const without = (...exclude: string[]) => ({ shape: { exclude } });
const names = (git: TestGit, commit = "HEAD") => git("ls-tree", "-r", "--name-only", commit).split("\n");

/** Sources and what is built of them, in four commits; the third is of the latter alone. */
function makeBuilt() {
  const scene = makeScene({ files: { a: "1\n", "dist/old": "o\n", "dist/gone": "g\n", k: "k\n" } });
  commitFiles(scene.sandbox, { a: "2\n", "dist/new": "n\n", "dist/old": "O\n" }, "one");
  renameSync(`${scene.sandbox.folder}/k`, `${scene.sandbox.folder}/dist/k`);
  commitFiles(scene.sandbox, { "dist/gone": null }, "two");
  commitFiles(scene.sandbox, { "dist/new": "N\n" }, "three");
  commitFiles(scene.sandbox, { a: "3\n" }, "four");
  return scene;
}

describe("--exclude", () => {
  it("leaves out what is new, changed, removed and moved there, and a commit of which nothing is left", async () => {
    const scene = makeBuilt();
    const verdict = await pullInto(scene.local.folder, scene.source, without("dist"));
    const [one, two, four] = scene.local("rev-list", "--reverse", `${scene.base}..HEAD`).split("\n");
    expect(scene.local("log", "--format=%s")).toBe("four\ntwo\none\nbase");
    const three = scene.sandbox("rev-parse", "HEAD~");
    expect(verdict).toMatchObject({
      applied: true,
      exactness: "approximate",
      files: 2,
      notices: [
        "approximate: dist/new, and 3 more are left out; later changes of them will conflict: give --exclude again",
        `nothing else is in commit ${three.slice(0, 12)} (three)`,
      ],
    });
    expect(verdict.commits.map(({ applied_as }) => applied_as)).toEqual([one, two, null, four]);
    expect(scene.local("log", "-1", "-g", "--format=%gs")).toBe("ferry pull: 3 commits");
    expect(names(scene.local)).toEqual(["a", "dist/gone", "dist/old"]);
    expect(scene.local("diff", "--stat", scene.base, "HEAD", "--", "dist")).toBe("");
    expect(scene.local("status", "--porcelain")).toBe("");
    expect(scene.local("log", "-1", "--format=%an %cn")).toBe("Ada Agent");
    expect(scene.local("fsck", "--strict", "--no-dangling")).toBe("");
  });

  it("takes pathspecs as git does, several, and those that take back", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { "x.lock": "x\n", "y.lock": "y\n", "d/z.lock": "z\n", "-n": "n\n", ü: "ü\n", N: "N\n" });
    await pullInto(scene.local.folder, scene.source, without("*.lock", ":!y.lock", "-n", ":(icase)n", "ü"));
    expect(names(scene.local).slice(-1)).toEqual(["y.lock"]);
    expect(scene.local("diff", "--name-only", scene.base, "HEAD")).toBe("y.lock");
  });

  it("changes nothing where nothing is of these paths, and says so", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" });
    const { notices } = await pullExactly(scene, without("nowhere"));
    expect(notices).toEqual(["--exclude names nothing that these commits change"]);
  });

  it("what git doesn't take for a pathspec is told in one line, before anything is asked of the service", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" });
    const bad = {
      ":(odd)x": "odd",
      "../x": "outside",
      "": "empty",
      [`${scene.local.folder}/a`]: "outside",
      ":(attr:x)": "attribute",
    };
    for (const [pathspec, said] of Object.entries(bad)) {
      const error = await pullRefused(scene, without("fine", pathspec));
      expect(error).toMatchObject({ kind: "usage", message: expect.stringMatching(`^--exclude: .*${said}`) as string });
    }
    expect(scene.source.calls).toEqual([]);
  });

  it("lets the rest come where what is left out would be refused", async () => {
    const scene = makeScene();
    symlinkSync("/etc/passwd", `${scene.sandbox.folder}/out`);
    commitFiles(scene.sandbox, { a: "x\n" });
    expect(await pullRefused(scene)).toMatchObject({ code: "policy" });
    await pullInto(scene.local.folder, scene.source, without("out"));
    expect(lstatSync(`${scene.local.folder}/out`, { throwIfNoEntry: false })).toBeUndefined();
    symlinkSync("/etc/passwd", `${scene.sandbox.folder}/other`);
    const bad = commitFiles(scene.sandbox, { a: "y\n" });
    const refused = await pullRefused(scene, without("out"));
    expect(refused.message).toContain(bad.slice(0, 12));
  });

  it("is refused where what stays needs the place of what is left out", async () => {
    const scene = makeScene({ files: { "x.txt": "x\n" } });
    commitFiles(scene.sandbox, { "x.txt": null });
    commitFiles(scene.sandbox, { "x.txt/y": "y\n" });
    expect(await pullRefused(scene, without("*.txt"))).toMatchObject({
      kind: "attention",
      message: expect.stringContaining("x.txt can't be left out") as string,
    });
  });

  it("is refused for merges", async () => {
    const scene = makeScene();
    scene.sandbox("checkout", "--quiet", "-b", "side");
    commitFiles(scene.sandbox, { n: "n\n" });
    scene.sandbox("checkout", "--quiet", "main");
    commitFiles(scene.sandbox, { a: "x\n" });
    scene.sandbox("merge", "--quiet", "--no-ff", "-m", "merged", "side");
    expect(await pullRefused(scene, without("n"))).toMatchObject({ kind: "attention", code: "merges" });
  });

  it("where the branch has no commit yet, it begins with the first of which something is left", async () => {
    const { local, sandbox } = makeScene();
    const fresh = makeRepository(`${local.folder}/../fresh`);
    sandbox("checkout", "--quiet", "--orphan", "own");
    sandbox("rm", "--quiet", "-rf", ".");
    commitFiles(sandbox, { secret: "s\n" }, "root");
    const source = sandboxSource({ folder: sandbox.folder, branch: "HEAD", base: "" });
    expect(await pullRefused({ local: fresh, source }, without("secret"))).toMatchObject({ kind: "attention" });
    commitFiles(sandbox, { a: "a\n", secret: "S\n" }, "next");
    await pullInto(fresh.folder, source, without("secret"));
    expect({ log: fresh("log", "--format=%s"), names: names(fresh), status: fresh("status", "--porcelain") }).toEqual({
      log: "next",
      names: ["a"],
      status: "",
    });
  });
});

describe("after --exclude", () => {
  it("only what is new comes, here without the flag: what was left out stays so", async () => {
    const scene = makeBuilt();
    await pullInto(scene.local.folder, scene.source, without("dist"));
    expect(await pullInto(scene.local.folder, scene.source)).toMatchObject({ applied: false, commits: [] });
    commitFiles(scene.sandbox, { a: "4\n" }, "five");
    expect((await pullInto(scene.local.folder, scene.source)).commits).toHaveLength(1);
    expect(names(scene.local)).toEqual(["a", "dist/gone", "dist/old"]);
    commitFiles(scene.sandbox, { a: "5\n", "dist/new": "again\n" }, "six");
    expect(await pullRefused(scene)).toMatchObject({ code: "conflict", hint: expect.stringContaining("--exclude") as string });
    expect(await pullInto(scene.local.folder, scene.source, without("dist"))).toMatchObject({ files: 1 });
    expect(scene.local("show", "HEAD:a")).toBe("5");
  });

  it("--undo takes it back, and all of it comes", async () => {
    const scene = makeBuilt();
    await pullInto(scene.local.folder, scene.source, without("dist"));
    await undo(pullRequest(scene.local.folder, scene.source), makeDeps());
    expect(scene.local("rev-parse", "HEAD")).toBe(scene.base);
    await pullExactly(scene);
  });

  it("where all of it is left out, it is known, and doesn't come again", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { n: "n\n" }, "one");
    const verdict = await pullInto(scene.local.folder, scene.source, without("n"));
    expect(verdict).toMatchObject({ applied: false, tip: scene.base, files: 0, commits: [{ applied_as: null }] });
    expect(scene.local("rev-parse", "HEAD")).toBe(scene.base);
    expect(await pullInto(scene.local.folder, scene.source)).toMatchObject({ applied: false, commits: [] });
  });

  it("on a HEAD that moved on, and parked at a conflict: to the end", async () => {
    const scene = makeConflict();
    const tree = await parkIn(scene, without("n", "g"));
    scene.local("gc", "--quiet", "--prune=now");
    writeFile(tree, "f", edited({ 2: "both" }));
    tree("add", "f");
    const { verdict } = await resume(scene.local.folder, "continue");
    expect(verdict).toMatchObject({
      exactness: "approximate",
      notices: [
        expect.stringContaining("n, and 1 more") as string,
        expect.stringContaining("nothing else is in commits") as string,
      ],
    });
    expect(verdict.commits).toHaveLength(4);
    expect(scene.local("log", "--format=%s")).toBe("three\ntwo\nmine\nbase");
    expectNoDebris(scene);
    expect(await pullInto(scene.local.folder, scene.source)).toMatchObject({ commits: [] });
  });

  it("a preview shows it without, and what isn't committed comes without, too", async () => {
    const scene = makeBuilt();
    writeFile(scene.sandbox, "dist/more", "m\n");
    writeFile(scene.sandbox, "u", "u\n");
    const request = { ...pullRequest(scene.local.folder, scene.source), ...without("dist"), dryRun: true };
    let shown = "";
    await preview(request, makeDeps(), async ({ diff }) => {
      for await (const piece of diff(["--name-only"])) shown += Buffer.from(piece).toString();
    });
    expect(shown).toBe("a\nk\n");
    const verdict = await pullInto(scene.local.folder, scene.source, { ...without("dist"), uncommitted: true });
    expect(verdict).toMatchObject({ uncommitted: { files: 1, written: 1 } });
    expect(verdict.notices).toContain("left out of what isn't committed: dist/more");
    expect(scene.local("status", "--porcelain")).toBe("?? u");
  });
});

describe("wherever the commits come from", () => {
  const shape = { exclude: ["n"], trailers: ["By: Bo"] };

  it("put on HEAD by --onto-head, each is told with what it became", async () => {
    const { local, sandbox } = makeScene();
    const base = commitFiles(sandbox, { never: "pushed\n" });
    const one = commitFiles(sandbox, { n: "n\n" }, "one");
    const two = commitFiles(sandbox, { a: "x\n" }, "two");
    const source = sandboxSource({ folder: sandbox.folder, branch: "HEAD", base });
    const { commits } = await pullInto(local.folder, source, { ontoHead: true, shape });
    const head = local("rev-parse", "HEAD");
    expect(commits.map(({ commit, applied_as }) => [commit, applied_as])).toEqual([
      [one, null],
      [two, head],
    ]);
    expect(local("log", "--format=%s %(trailers:key=By,valueonly,separator=)")).toBe("two Bo\nbase ");
    expect(await pullInto(local.folder, source, { ontoHead: true })).toMatchObject({ applied: false, commits: [] });
  });

  it("made of the timeline's diffs, and then only later turns come", async () => {
    const { local } = makeScene();
    const events = makeTimeline();
    const create = (path: string) => ["agent_file_create", { file_path: path, diff: "@@ -0,0 +1 @@\n+n\n" }] as const;
    events.turn("First", create("n"), create("m"));
    await pullInto(local.folder, undefined, { offers: { events }, shape });
    events.turn("Second", create("o"));
    const { commits } = await pullInto(local.folder, undefined, { offers: { events }, shape });
    expect(commits).toMatchObject([{ subject: "Second", applied_as: local("rev-parse", "HEAD") }]);
    expect(names(local).filter((name) => "mno".includes(name))).toEqual(["m", "o"]);
    expect(local("log", "-2", "--format=%(trailers:key=By,valueonly,separator=)")).toBe("Bo\nBo");
  });

  it("a series of any length takes as many gits as a short one", async () => {
    const { git } = makeDeps();
    const started: string[] = [];
    const counting = {
      run: (...[args, options]: Parameters<typeof git.run>) => (started.push(args[0] ?? ""), git.run(args, options)),
      ok: (...[args, options]: Parameters<typeof git.ok>) => (started.push(args[0] ?? ""), git.ok(args, options)),
      stream: (...[args, options]: Parameters<typeof git.stream>) => (started.push(args[0] ?? ""), git.stream(args, options)),
    };
    const counts = [];
    for (const length of [2, 9]) {
      const scene = makeScene();
      for (let at = 0; at < length; at += 1) commitFiles(scene.sandbox, { a: `${at}\n`, n: `${at}\n` });
      started.length = 0;
      await pullInto(scene.local.folder, scene.source, { shape: { ...shape, signoff: true }, deps: { git: counting } });
      counts.push(started.length);
    }
    expect(counts[1]).toBe(counts[0]);
  });
});
