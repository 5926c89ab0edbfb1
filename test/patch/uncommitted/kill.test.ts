import { readdirSync, unlinkSync, writeFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { checkpoints } from "../../../src/patch/request.ts";
import { ended, startPull } from "../../support/dying.ts";
import { commitFiles, writeFile } from "../../support/git.ts";
import { pullInto } from "../../support/pulling.ts";
import { makeScene, removeScenes, type Scene } from "../../support/scene.ts";
import { filesBelow, stateOf } from "../../support/state.ts";

afterAll(removeScenes);

/** Work that came before, that came and was committed since, that is new; with local work beside it. */
async function makeBusy(commits: boolean): Promise<Scene> {
  const scene = makeScene({ files: { a: "1\n2\n3\n", b: "b\n", c: "c\n", "dir/d": "d\n", gone: "g\n", mine: "m\n" } });
  const { sandbox, local } = scene;
  writeFile(sandbox, "a", "dirt\n");
  writeFile(sandbox, "u", "u\n");
  unlinkSync(`${sandbox.folder}/c`);
  await pullInto(local.folder, scene.source, { uncommitted: true });
  if (commits) {
    sandbox("add", "a");
    sandbox("commit", "--quiet", "-m", "one");
    commitFiles(sandbox, { "new/deep/n": "n\n", gone: null, b: "committed\n" }, "more");
  }
  writeFile(sandbox, "b", "and dirt on it\n");
  writeFile(sandbox, "u", "u again\n");
  writeFile(sandbox, "v/w", "w\n");
  writeFile(sandbox, "c", "c\n");
  unlinkSync(`${sandbox.folder}/dir/d`);
  writeFile(local, "mine", "dirty\n");
  writeFile(local, "staged", "s\n");
  local("add", "staged");
  return scene;
}

function visible({ local }: Scene): Record<string, string> {
  return { ...stateOf(local.folder), objects: "" };
}

/** A pull that was completed, whoever completed it. */
async function expectComplete({ local, sandbox, source }: Scene): Promise<void> {
  expect(local("rev-parse", "HEAD")).toBe(sandbox("rev-parse", "HEAD"));
  const own = new Set(["mine", "staged"]);
  const files = (at: string) => filesBelow(at).filter((line) => !line.endsWith("/") && !own.has(line.split(" ")[0] ?? ""));
  expect(files(local.folder)).toEqual(files(sandbox.folder));
  expect(local("diff", "--cached", "--name-only")).toBe("staged");
  expect(readdirSync(`${local.folder}/.git/ferry`)).toEqual([]);
  expect(local("fsck", "--strict", "--no-dangling")).toBe("");
  expect(await pullInto(local.folder, source, { uncommitted: true })).toMatchObject({
    applied: false,
    uncommitted: { written: 0 },
  });
}

/** Before these nothing is written: kill.test.ts beside has them all. */
const landing = checkpoints.slice(checkpoints.indexOf("promoted"), checkpoints.indexOf("finished"));

describe.each([
  ["with commits", true, landing],
  ["alone", false, landing.filter((name) => name !== "journaled" && name !== "adopted")],
] as const)("kill -9 of a pull of what isn't committed, %s", (_, commits, points) => {
  it.each(points)("at %s: the next run takes it back or ends it, and nothing is lost", async (dieAt) => {
    const scene = await makeBusy(commits);
    const before = visible(scene);
    expect(await ended(startPull(scene, dieAt, { options: { uncommitted: true } }))).toEqual({
      code: null,
      signal: "SIGKILL",
    });
    await pullInto(scene.local.folder, scene.source, { dryRun: true, uncommitted: true });
    const after = visible(scene);
    if (dieAt !== "committed") {
      expect(after).toEqual(before);
      expect(await pullInto(scene.local.folder, scene.source, { uncommitted: true })).toMatchObject({ applied: true });
    }
    await expectComplete(scene);
  });
});

it("and then the user edits what was being written: the edit stays, with a copy, and is told", async () => {
  const scene = await makeBusy(false);
  await ended(startPull(scene, "tree-written", { options: { uncommitted: true } }));
  writeFileSync(`${scene.local.folder}/b`, "mine\n");
  await expect(pullInto(scene.local.folder, scene.source, { uncommitted: true })).rejects.toMatchObject({
    kind: "attention",
    details: [expect.stringContaining("b, which") as string],
  });
  expect(readdirSync(`${scene.local.folder}/.git/ferry/rescue`)).toEqual(["b"]);
  await expect(pullInto(scene.local.folder, scene.source, { uncommitted: true })).rejects.toMatchObject({
    verdict: { blocked_by: ["b"] },
  });
});
