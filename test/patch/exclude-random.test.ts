import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { FerryError } from "../../src/base/errors.ts";
import { commit, commitAll } from "../support/histories.ts";
import { operation } from "../support/operations.ts";
import { gitBytes, gitEnv, type TestGit } from "../support/git.ts";
import { pullInto } from "../support/pulling.ts";
import { makeScene, removeScenes } from "../support/scene.ts";

afterAll(removeScenes);

const pathspec = fc.constantFrom("a", "d", "d/*", ":(glob)*", "e/", "d/e", ":!d/x", "*[xf]");

/** What a commit has, by path, and of that what git ls-files finds by these pathspecs in an index. */
function listed(git: TestGit, commit: string, pathspecs: readonly string[]) {
  const index = `${git.folder}/.git/listing`;
  const run = (...args: string[]) =>
    gitBytes(git.folder, args, { env: { ...gitEnv, GIT_INDEX_FILE: index } })
      .toString("latin1")
      .split("\0")
      .filter(Boolean)
      .map((line): [string, string] => [line.slice(line.indexOf("\t") + 1), line]);
  run("read-tree", commit);
  return { all: new Map(run("ls-files", "-s", "-z")), named: new Map(run("ls-files", "-s", "-z", "--", ...pathspecs)) };
}

/** The tree with the named paths as the base has them; undefined where there is no such tree. */
function expected(git: TestGit, base: string, commit: string, pathspecs: readonly string[]): string[] | undefined {
  const [before, now] = [listed(git, base, pathspecs), listed(git, commit, pathspecs)];
  const kept = [...now.all].filter(([path]) => !now.named.has(path));
  const all = new Map([...before.named, ...kept]);
  const paths = [...all.keys()];
  if (paths.some((path) => paths.some((other) => other.startsWith(`${path}/`)))) return undefined;
  return [...all.values()].sort();
}

it("each commit is the sandbox's, but for the paths that are left out, which are as in its base", async () => {
  const outcomes = { came: 0, taken: 0, emptied: 0 };
  const linear = fc.array(
    commit.map((one) => ({ ...one, isMerge: false })),
    { minLength: 1, maxLength: 4 },
  );
  const specs = fc.array(pathspec, { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 8 }), linear, specs, async (base, commits, pathspecs) => {
      const scene = makeScene({
        files: { "always here": "1\n" },
        prepare: (local) => commitAll(local, { operations: base, message: "base", isMerge: false }),
      });
      for (const one of commits) commitAll(scene.sandbox, one);
      const theirs = scene.sandbox("rev-list", "--reverse", `${scene.base}..HEAD`).split("\n");
      const trees = theirs.map((id) => expected(scene.sandbox, scene.base, id, pathspecs));
      const shape = { exclude: pathspecs };
      const pulled = await pullInto(scene.local.folder, scene.source, { shape, acceptDeletion: true }).catch((error: unknown) => {
        if (!(error instanceof FerryError)) throw error;
        return error;
      });
      if (trees.includes(undefined)) {
        outcomes.taken += 1;
        expect(pulled).toMatchObject({ kind: "attention", message: expect.stringContaining("can't be left out") as string });
        return;
      }
      if (pulled instanceof FerryError) throw pulled;
      outcomes.came += 1;
      let last = scene.base;
      const here = pulled.commits.map(({ applied_as }) => (last = applied_as ?? last));
      expect(here.map((id) => [...listed(scene.local, id, ["."]).all.values()].sort())).toEqual(trees);
      const ours = scene.local("rev-list", "--reverse", `${scene.base}..HEAD`).split("\n").filter(Boolean);
      expect([...new Set(here)].filter((id) => id !== scene.base)).toEqual(ours);
      if (ours.length < theirs.length) outcomes.emptied += 1;
      expect(scene.local("status", "--porcelain")).toBe("");
    }),
    {
      numRuns: Number(process.env["FERRY_TEST_RUNS"] ?? 20),
      endOnFailure: true,
      seed: Number(process.env["FERRY_TEST_SEED"] ?? 5),
    },
  );
  expect(Math.min(...Object.values(outcomes))).toBeGreaterThan(0);
}, 240_000);
