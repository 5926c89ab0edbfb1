import { readdirSync } from "node:fs";
import { afterAll, expect, it } from "vitest";
import { commitFiles } from "../support/git.ts";
import { gitKilledAt } from "../support/killing-git.ts";
import { pullInto } from "../support/pulling.ts";
import { makeScene, removeScenes, type Scene } from "../support/scene.ts";
import { stateOf } from "../support/state.ts";

/** A git that was asked something and was killed has not said "no". */

afterAll(removeScenes);

const visible = ({ local }: Scene) => ({ ...stateOf(local.folder), objects: "" });

async function expectNothing(scene: Scene, question: string): Promise<void> {
  const { local, source } = scene;
  const before = visible(scene);
  const PATH = gitKilledAt(`${local.folder}-path`, question);
  await expect(pullInto(local.folder, source, { env: { PATH } }), question).rejects.toMatchObject({
    code: "git_killed",
    message: expect.stringMatching(/^git [a-z-]+ was killed \(SIGKILL\)$/u) as string,
  });
  expect(visible(scene), question).toEqual(before);
  expect(readdirSync(`${local.folder}/.git/ferry`)).toEqual([]);
}

it("ends a pull with an error, and changes nothing", async () => {
  const scene = makeScene({ files: { a: "a\n" } });
  commitFiles(scene.sandbox, { b: "b\n" });
  await pullInto(scene.local.folder, scene.source);
  commitFiles(scene.local, { d: "d\n" });
  const tip = scene.sandbox("rev-parse", "HEAD");
  scene.sandbox("reset", "--quiet", "--hard", scene.base);
  await expectNothing(scene, "merge-base --is-ancestor");
  scene.sandbox("reset", "--quiet", "--hard", tip);
  commitFiles(scene.sandbox, { c: "c\n" });
  const written = [
    "index-pack",
    "fast-import",
    "var GIT_COMMITTER_IDENT",
    "symbolic-ref --quiet HEAD",
    "read-tree -i -m",
    "checkout-index -u",
  ];
  const asked = ["for-each-ref", "cat-file -e", "rev-list ", "config --get-regexp ^core", "update-index -q --refresh"];
  for (const question of [...asked, ...written]) await expectNothing(scene, question);
  expect(await pullInto(scene.local.folder, scene.source)).toMatchObject({ applied: true });
  expect(scene.local("status", "--porcelain")).toBe("");
}, 60_000);
