import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { commit, commitAll } from "../support/histories.ts";
import { operation } from "../support/operations.ts";
import { commitFiles, gitEnv, type TestGit } from "../support/git.ts";
import { pullInto } from "../support/pulling.ts";
import { makeScene, removeScenes } from "../support/scene.ts";
import { PullRefused } from "../../src/patch/verdict.ts";

afterAll(removeScenes);

/** The trees that the commits of a branch make one after the other on another, by a git of its own for each step; or the first that doesn't fit. */
function picked(git: TestGit, onto: string, commits: readonly string[]): { trees: string[]; conflict: string | undefined } {
  const trees: string[] = [];
  let tree = git("rev-parse", `${onto}^{tree}`);
  for (const each of commits) {
    const ours = git("commit-tree", "-p", `${each}~`, "-m", "ours", tree);
    const args = [
      "-c",
      "merge.directoryRenames=conflict",
      "merge-tree",
      "--write-tree",
      "--name-only",
      "--no-messages",
      ours,
      each,
    ];
    const { status, stdout } = spawnSync("git", args, { cwd: git.folder, env: gitEnv, encoding: "utf8" });
    if (status !== 0) return { trees, conflict: each };
    tree = stdout.trim();
    trees.push(tree);
  }
  return { trees, conflict: undefined };
}

it("a moved series is rebuilt as if each commit was merged by a git of its own", async () => {
  const outcomes = { came: 0, conflicts: 0 };
  const linear = fc.array(
    commit.map((one) => ({ ...one, isMerge: false })),
    { minLength: 1, maxLength: 5 },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 6 }), linear, linear, async (base, theirs, ours) => {
      const scene = makeScene({
        files: { "always here": "1\n" },
        prepare: (local) => commitAll(local, { operations: base, message: "base", isMerge: false }),
      });
      for (const one of theirs) commitAll(scene.sandbox, one);
      for (const one of ours) commitAll(scene.local, { ...one, message: "mine" });
      const onto = commitFiles(scene.local, { mine: "m\n" }, "mine");
      scene.sandbox("fetch", "--quiet", scene.local.folder, "HEAD");
      const commits = scene.sandbox("rev-list", "--reverse", `${scene.base}..HEAD`).split("\n");
      const expected = picked(scene.sandbox, onto, commits);
      const pulled = await pullInto(scene.local.folder, scene.source, { acceptDeletion: true }).catch((error: unknown) => {
        if (!(error instanceof PullRefused)) throw error;
        return error;
      });
      if (pulled instanceof PullRefused) {
        outcomes.conflicts += 1;
        expect(pulled).toMatchObject({
          code: "conflict",
          message: expect.stringContaining(expected.conflict?.slice(0, 12) ?? "none") as string,
        });
        return;
      }
      outcomes.came += 1;
      expect(expected.conflict).toBeUndefined();
      expect(pulled.commits.map(({ applied_as }) => scene.local("rev-parse", `${applied_as}^{tree}`))).toEqual(expected.trees);
    }),
    {
      numRuns: Number(process.env["FERRY_TEST_RUNS"] ?? 16),
      endOnFailure: true,
      seed: Number(process.env["FERRY_TEST_SEED"] ?? 11),
    },
  );
  expect(Math.min(outcomes.came, outcomes.conflicts)).toBeGreaterThan(0);
}, 240_000);

it("a series of any length takes a few gits", async () => {
  const scene = makeScene();
  for (let at = 0; at < 12; at += 1) commitFiles(scene.sandbox, { a: `${at}\n`, [`n${at}`]: "n\n" }, `c${at}`);
  commitFiles(scene.local, { b: "mine\n" }, "mine");
  const { makeDeps } = await import("../support/pulling.ts");
  const { git } = makeDeps();
  const started: string[] = [];
  const counting = {
    run: (...[args, options]: Parameters<typeof git.run>) => (started.push(args[0] ?? ""), git.run(args, options)),
    ok: (...[args, options]: Parameters<typeof git.ok>) => (started.push(args[0] ?? ""), git.ok(args, options)),
    stream: (...[args, options]: Parameters<typeof git.stream>) => (started.push(args[0] ?? ""), git.stream(args, options)),
  };
  await pullInto(scene.local.folder, scene.source, { deps: { git: counting } });
  const few = started.length;
  started.length = 0;
  for (let at = 0; at < 24; at += 1) commitFiles(scene.sandbox, { a: `${at}!\n` }, `d${at}`);
  expect((await pullInto(scene.local.folder, scene.source, { deps: { git: counting } })).commits).toHaveLength(24);
  expect(started.length).toBeLessThanOrEqual(few + 3);
});
