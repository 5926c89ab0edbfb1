import { afterAll, describe, expect, it } from "vitest";
import type { Checkpoint } from "../../src/patch/request.ts";
import { ended, startPull } from "../support/dying.ts";
import { commitFiles, writeFile } from "../support/git.ts";
import { makeConflict } from "../support/parking.ts";
import { pullInto } from "../support/pulling.ts";
import { makeScene, pullExactly, removeScenes, type Scene } from "../support/scene.ts";
import { stateOf } from "../support/state.ts";

afterAll(removeScenes);

/** The user has git take all away that nothing points to (git-prune(1), which git gc runs), while a landing is under way or was cut short. */

function makeEdit(): Scene {
  const scene = makeScene();
  commitFiles(scene.sandbox, { a: "1\n2\nx\n", n: "n\n", c: null });
  return scene;
}

const visible = ({ local }: Scene) => ({ ...stateOf(local.folder), objects: "" });
const landings = ({ local }: Scene) => local("for-each-ref", "refs/ferry/landing/");

describe("while a pull lands", () => {
  it.each(["held", "prepared", "adopted", "tree-written"] as const)("at %s", async (at) => {
    const scene = makeEdit();
    const checkpoint = (name: Checkpoint) => {
      if (name === at) scene.local("prune", "--expire=now");
      return Promise.resolve();
    };
    await pullExactly(scene, { deps: { checkpoint } });
    expect([scene.local("status", "--porcelain"), landings(scene)]).toEqual(["", ""]);
  });

  it("before: nothing changes, and it comes with the next", async () => {
    const scene = makeEdit();
    const before = visible(scene);
    const checkpoint = (name: Checkpoint) => {
      if (name === "promoted") scene.local("prune", "--expire=now");
      return Promise.resolve();
    };
    await expect(pullInto(scene.local.folder, scene.source, { deps: { checkpoint } })).rejects.toThrow("nonexistent object");
    expect(visible(scene)).toEqual(before);
    await pullExactly(scene);
  });
});

describe("after a pull was killed", () => {
  it.each(["journaled", "held", "prepared", "adopted", "tree-written", "committed"] as const)(
    "at %s: the next takes it back or ends it all the same",
    async (dieAt) => {
      const scene = makeEdit();
      const before = visible(scene);
      await ended(startPull(scene, dieAt));
      scene.local("prune", "--expire=now");
      await pullInto(scene.local.folder, scene.source, { dryRun: true });
      if (dieAt !== "committed") {
        expect(visible(scene)).toEqual(before);
        await pullExactly(scene);
      }
      expect([scene.local("status", "--porcelain"), landings(scene)]).toEqual(["", ""]);
      expect(scene.local("rev-parse", "HEAD")).toBe(scene.sandbox("rev-parse", "HEAD"));
    },
  );

  it("with --autostash", async () => {
    const scene = makeEdit();
    writeFile(scene.local, "a", "mine\n2\n3\n");
    const before = visible(scene);
    await ended(startPull(scene, "tree-written", { options: { autostash: true } }));
    scene.local("prune", "--expire=now");
    await pullInto(scene.local.folder, scene.source, { dryRun: true, autostash: true });
    expect([visible(scene), landings(scene)]).toEqual([before, ""]);
    await pullExactly(scene, { autostash: true });
    expect(scene.local("status", "--porcelain")).toBe(" M a");
  });

  it("with --here, at its stop", async () => {
    const scene = makeConflict();
    await ended(startPull(scene, "here-picked", { options: { onConflict: "here" } }));
    scene.local("prune", "--expire=now");
    await pullInto(scene.local.folder, scene.source, { dryRun: true }).catch(() => undefined);
    expect([scene.local("status", "--porcelain"), landings(scene)]).toEqual(["UU f", ""]);
  });
});
