import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { FerryError } from "../../src/base/errors.ts";
import { commit, commitAll } from "../support/histories.ts";
import { act, operation } from "../support/operations.ts";
import { patchEngines, pullInto } from "../support/pulling.ts";
import { makeScene, removeScenes } from "../support/scene.ts";
import { filesBelow, stateOf } from "../support/state.ts";

afterAll(removeScenes);

const dirt = fc.record({ operation, isStaged: fc.boolean() });

it.each(patchEngines)(
  "whatever the sandbox did and whatever lies around here: all of it comes, byte for byte, or nothing changes, by %s",
  async (engine) => {
    const outcomes = { came: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          base: fc.array(operation, { maxLength: 6 }),
          commits: fc.array(commit, { minLength: 1, maxLength: 4 }),
          dirt: fc.array(dirt, { maxLength: 3 }),
        }),
        async (plan) => {
          const scene = makeScene({
            files: { "always here": "1\n" },
            prepare: (local) => {
              commitAll(local, { operations: plan.base, message: "base", isMerge: false });
            },
          });
          for (const one of plan.commits) commitAll(scene.sandbox, one);
          for (const { operation: one, isStaged } of plan.dirt) {
            act(scene.local, one);
            const top = one.path.split("/")[0] ?? "";
            if (isStaged && scene.local("ls-files", "--cached", "--others", "--", top) !== "")
              scene.local("add", "--all", "--", top);
          }
          const before = stateOf(scene.local.folder);
          const touched = new Set(
            scene
              .sandbox("-c", "core.quotePath=false", "diff", "--name-only", "-z", "--no-renames", scene.base, "HEAD")
              .split("\0"),
          );
          const kept = (lines: readonly string[]) =>
            lines.filter(
              (line) => !line.endsWith("/") && ![...touched].some((each) => each !== "" && line.startsWith(`${each} `)),
            );
          const files = kept(filesBelow(scene.local.folder));
          try {
            const verdict = await pullInto(scene.local.folder, scene.source, { deps: { engines: [engine, "bundle"] } });
            if (!plan.commits.some(({ isMerge }) => isMerge)) expect(verdict.engine).toBe(engine);
          } catch (error) {
            if (!(error instanceof FerryError) || error.kind !== "attention") throw error;
            outcomes.refused += 1;
            expect(stateOf(scene.local.folder)).toEqual(before);
            return;
          }
          outcomes.came += 1;
          expect(scene.local("rev-parse", "HEAD")).toBe(scene.sandbox("rev-parse", "HEAD"));
          expect(scene.local("fsck", "--strict", "--no-dangling")).toBe("");
          expect(kept(filesBelow(scene.local.folder))).toEqual(files);
          if (plan.dirt.length === 0) expect(scene.local("status", "--porcelain")).toBe("");
        },
      ),
      {
        numRuns: Number(process.env["FERRY_TEST_RUNS"] ?? 20),
        endOnFailure: true,
        seed: process.env["FERRY_TEST_SEED"] === undefined ? 7 : Number(process.env["FERRY_TEST_SEED"]),
      },
    );
    // A test of which all runs end the same way tests half of what it says.
    expect(Math.min(outcomes.came, outcomes.refused)).toBeGreaterThan(0);
  },
  240_000,
);
