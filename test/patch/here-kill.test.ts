import { existsSync, readdirSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { checkpoints, moreCheckpoints } from "../../src/patch/request.ts";
import { ended, startPull } from "../support/dying.ts";
import { gitBytes, writeFile } from "../support/git.ts";
import { edited, makeConflict, refusedBy } from "../support/parking.ts";
import { pullInto } from "../support/pulling.ts";
import { removeScenes } from "../support/scene.ts";
import { stateOf } from "../support/state.ts";

afterAll(removeScenes);

describe("kill -9 of a pull with --here", () => {
  const landing = checkpoints.slice(checkpoints.indexOf("journaled"), checkpoints.indexOf("finished"));
  it.each([...landing, ...moreCheckpoints.here] as const)("at %s: nothing came, or what fits, or git's stop", async (dieAt) => {
    const scene = makeConflict();
    writeFile(scene.local, "b", "dirty\n");
    const before = { ...stateOf(scene.local.folder), objects: "" };
    expect(await ended(startPull(scene, dieAt, { options: { onConflict: "here" } }))).toMatchObject({
      signal: "SIGKILL",
    });
    await pullInto(scene.local.folder, scene.source, { dryRun: true }).catch(() => undefined);
    const at = scene.local("log", "-1", "--format=%s");
    if (at === "mine") expect({ ...stateOf(scene.local.folder), objects: "" }).toEqual(before);
    if (!existsSync(`${scene.local.folder}/.git/CHERRY_PICK_HEAD`)) {
      expect(scene.local("status", "--porcelain")).toBe(" M b");
      await refusedBy(pullInto(scene.local.folder, scene.source, { onConflict: "here" }));
    }
    expect(scene.local("status", "--porcelain")).toBe(" M b\nUU f");
    expect(readdirSync(`${scene.local.folder}/.git/ferry`)).toEqual([]);
    writeFile(scene.local, "f", edited({ 2: "both" }));
    scene.local("add", "f");
    gitBytes(scene.local.folder, ["-c", "core.editor=true", "cherry-pick", "--continue"]);
    await pullInto(scene.local.folder, scene.source);
    expect(scene.local("log", "--format=%s")).toBe("four\nthree\ntwo\none\nmine\nbase");
    expect(scene.local("status", "--porcelain")).toBe(" M b");
    expect(await pullInto(scene.local.folder, scene.source)).toMatchObject({ applied: false, commits: [] });
  });
});
