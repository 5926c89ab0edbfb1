import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { FerryError } from "../../../src/base/errors.ts";
import { writeFile } from "../../support/git.ts";
import { act, operation } from "../../support/operations.ts";
import { makeScene, removeScenes } from "../../support/scene.ts";
import { makeUncommitted } from "../../support/series.ts";
import { filesBelow, stateOf } from "../../support/state.ts";
import { pullAll } from "../../support/uncommitted.ts";

afterAll(removeScenes);

const step = fc.record({ dirt: fc.array(operation, { maxLength: 4 }), isCommitted: fc.boolean() });

it("whatever the sandbox has not committed: all of it is here, as unstaged changes, again and again, or nothing changes", async () => {
  const outcomes = { came: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        base: fc.array(operation, { maxLength: 5 }),
        steps: fc.array(step, { minLength: 1, maxLength: 3 }),
        local: fc.option(operation, { freq: 3 }),
      }),
      async (plan) => {
        const scene = makeScene({
          files: { "always here": "1\n" },
          prepare: (git) => {
            for (const one of plan.base) act(git, one);
            git("add", "--all");
            git("commit", "--quiet", "--allow-empty", "-m", "base");
          },
        });
        const { local, sandbox } = scene;
        if (plan.local !== null) act(local, plan.local);
        for (const { dirt, isCommitted } of plan.steps) {
          for (const one of dirt) act(sandbox, one);
          if (isCommitted) {
            sandbox("add", "--all");
            sandbox("commit", "--quiet", "--allow-empty", "-m", "step");
            writeFile(sandbox, "after", `${dirt.length}\n`);
          }
          const before = stateOf(local.folder);
          try {
            await pullAll(scene);
          } catch (error) {
            if (!(error instanceof FerryError) || error.kind !== "attention" || plan.local === null) throw error;
            outcomes.refused += 1;
            expect(stateOf(local.folder)).toEqual(before);
            return;
          }
          outcomes.came += 1;
          expect(local("rev-parse", "HEAD")).toBe(sandbox("rev-parse", "HEAD"));
          expect(local("diff", "--cached", "--name-only")).toBe("");
          expect(local("fsck", "--strict", "--no-dangling")).toBe("");
          if (plan.local !== null) continue;
          const files = (folder: string) => filesBelow(folder).filter((line) => !line.endsWith("/"));
          expect(files(local.folder)).toEqual(files(sandbox.folder));
          const tree = ({ folder }: typeof local) => makeUncommitted({ folder, base: scene.base }).tree;
          expect(tree(local)).toBe(tree(sandbox));
          expect(await pullAll(scene)).toMatchObject({ applied: false, uncommitted: { written: 0 } });
        }
      },
    ),
    {
      numRuns: Number(process.env["FERRY_TEST_RUNS"] ?? 12),
      endOnFailure: true,
      seed: process.env["FERRY_TEST_SEED"] === undefined ? 11 : Number(process.env["FERRY_TEST_SEED"]),
    },
  );
  expect(Math.min(outcomes.came, outcomes.refused)).toBeGreaterThan(0);
}, 240_000);
