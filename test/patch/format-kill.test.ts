import { existsSync, readdirSync, readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { type Checkpoint, checkpoints, moreCheckpoints } from "../../src/patch/request.ts";
import { ended, startPull } from "../support/dying.ts";
import { commitFiles, type TestGit, writeFile } from "../support/git.ts";
import { edited, parkIn, refusedBy, resume } from "../support/parking.ts";
import { pullInto } from "../support/pulling.ts";
import { makeScene, removeScenes, type Scene } from "../support/scene.ts";

afterAll(removeScenes);

/** What a working copy may be like that a kill must not change. */
const formats: Readonly<Record<string, (local: TestGit) => void>> = {
  "a sparse cone": (local) => void local("sparse-checkout", "set", "--cone", "in"),
  "a sparse index": (local) => void local("sparse-checkout", "set", "--cone", "--sparse-index", "in"),
  "sparse patterns": (local) => void local("sparse-checkout", "set", "--no-cone", "/*", "!out/h", "!out/deep/"),
  "files out of git's sight": (local) => void local("update-index", "--skip-worktree", "out/h", "out/deep/i"),
  "files that git takes for unchanged": (local) => void local("update-index", "--assume-unchanged", "out/g", "x"),
  "a split index": (local) => {
    local("config", "core.splitIndex", "true");
    local("update-index", "--split-index");
  },
  "index version 4, an untracked cache and no modes": (local) => {
    local("config", "core.fileMode", "false");
    local("update-index", "--index-version=4", "--force-untracked-cache");
  },
  "CRLF in the working copy": (local) => void local("config", "core.autocrlf", "true"),
  filters: (local) => {
    local("config", "filter.mark.smudge", "sed s/^/+/");
    local("config", "filter.mark.clean", "sed s/^+//");
    writeFile(local, ".git/info/attributes", "* filter=mark\n");
    local("checkout", "--quiet", "HEAD", "--", ".");
  },
};

/** Two commits of the sandbox of which the second doesn't fit, and a third that doesn't either. */
function makeFormatted(format: string): Scene {
  const out = { "out/h": "h\n", "out/deep/i": "i\n", "out/deep/j": "j\n", x: "x\n" };
  const scene = makeScene({ files: { "in/f": edited({}), "in/k": edited({}), "out/g": edited({}), ...out } });
  commitFiles(scene.sandbox, { "in/new": "new\n", "out/deep/j": "J\n" }, "one");
  commitFiles(
    scene.sandbox,
    { "in/f": edited({ 2: "theirs" }), "out/g": edited({ 5: "theirs" }), "out/new": "new\n", "out/deep/i": null },
    "two",
  );
  commitFiles(scene.sandbox, { "in/k": edited({ 5: "theirs" }), "out/later": "l\n", "out/h": "H\n" }, "three");
  commitFiles(
    scene.local,
    { "in/f": edited({ 2: "mine" }), "in/k": edited({ 5: "mine" }), "out/g": edited({ 9: "mine" }) },
    "mine",
  );
  formats[format]?.(scene.local);
  return scene;
}

/** All that a git shows of a working copy, and what lies there. */
function shown(git: TestGit): { status: string } & Record<string, unknown> {
  const files = readdirSync(git.folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !`${entry.parentPath}/`.includes("/.git/") && entry.name !== ".git")
    .map(({ parentPath, name }): [string, string] => [
      `${parentPath}/${name}`.slice(git.folder.length + 1),
      readFileSync(`${parentPath}/${name}`, "latin1").replace(/(<<<<<<<|>>>>>>>) .*/gu, "$1"),
    ]);
  return {
    files: Object.fromEntries(files.toSorted()),
    index: git("ls-files", "-v", "--stage"),
    status: git("status", "--porcelain"),
    log: git("log", "--format=%s"),
  };
}

/** Each takes long: where that is wished (FERRY_TEST_RUNS), all of them are tried, and else those that leave the most behind. */
const all = process.env["FERRY_TEST_RUNS"] !== undefined;
const landing: readonly Checkpoint[] = all
  ? checkpoints.slice(checkpoints.indexOf("journaled"), checkpoints.indexOf("finished"))
  : ["tree-written"];
const stops: readonly Checkpoint[] = all ? moreCheckpoints.here : ["here-made", "here-taken"];
const ways: readonly Checkpoint[] = all
  ? ["park-read", "park-moved", "park-reset", "park-made", "park-looked", "park-taken"]
  : ["park-made", "park-taken"];

describe.each(Object.keys(formats))("kill -9 in a working copy with %s", (format) => {
  it("of a pull: nothing came, or all", async () => {
    for (const dieAt of landing) {
      const scene = makeFormatted(format);
      scene.local("reset", "--quiet", "--hard", "HEAD~1");
      const before = shown(scene.local);
      const child = startPull(scene, dieAt);
      expect(await ended(child), dieAt).toMatchObject({ signal: "SIGKILL" });
      const { commits } = await pullInto(scene.local.folder, scene.source, { dryRun: true });
      if (commits.length > 0) expect(shown(scene.local), dieAt).toEqual(before);
      await pullInto(scene.local.folder, scene.source);
      const twin = makeFormatted(format);
      twin.local("reset", "--quiet", "--hard", "HEAD~1");
      await pullInto(twin.local.folder, twin.source);
      expect(shown(scene.local), dieAt).toEqual(shown(twin.local));
    }
  });

  it("of --here: nothing came, or what fits, or git's stop", async () => {
    const twin = makeFormatted(format);
    await refusedBy(pullInto(twin.local.folder, twin.source, { onConflict: "here" }));
    const stop = shown(twin.local);
    const before = shown(makeFormatted(format).local);
    let landed: unknown;
    for (const dieAt of [...landing, ...stops]) {
      const scene = makeFormatted(format);
      const child = startPull(scene, dieAt, { options: { onConflict: "here" } });
      expect(await ended(child), dieAt).toMatchObject({ signal: "SIGKILL" });
      await pullInto(scene.local.folder, scene.source, { dryRun: true }).catch(() => undefined);
      if (!existsSync(`${scene.local.folder}/.git/CHERRY_PICK_HEAD`)) {
        const now = shown(scene.local);
        if (scene.local("log", "-1", "--format=%s") === "mine") expect(now, dieAt).toEqual(before);
        else expect(now, dieAt).toEqual((landed ??= now));
        expect(now.status, dieAt).toBe("");
        await refusedBy(pullInto(scene.local.folder, scene.source, { onConflict: "here" }));
      }
      expect(shown(scene.local), dieAt).toEqual(stop);
    }
  });

  it("of --continue: the next stop is the same", async () => {
    let expected: unknown;
    for (const dieAt of ["", ...ways] as const) {
      const scene = makeFormatted(format);
      const tree = await parkIn(scene);
      writeFile(tree, "in/f", edited({ 2: "both" }));
      tree("add", "--sparse", "in/f");
      const before = shown(scene.local);
      if (dieAt !== "")
        expect(await ended(startPull(scene, dieAt, { how: "continue" })), dieAt).toMatchObject({ signal: "SIGKILL" });
      await refusedBy(resume(scene.local.folder, "continue"));
      expect(shown(scene.local), dieAt).toEqual(before);
      expected ??= shown(tree);
      expect(shown(tree), dieAt).toEqual(expected);
    }
  });
});
