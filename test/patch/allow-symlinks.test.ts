import { mkdirSync, readlinkSync, symlinkSync } from "node:fs";
import { dirname } from "node:path";
import { afterAll, expect, it } from "vitest";
import { commitFiles, gitIn, writeFile } from "../support/git.ts";
import { edited, makeConflict, parkIn, resume } from "../support/parking.ts";
import { pullInto } from "../support/pulling.ts";
import { makeScene, pullExactly, pullRefused, removeScenes, type Scene } from "../support/scene.ts";
import { stateOf } from "../support/state.ts";

afterAll(removeScenes);

const allowSymlinks = true;

function linked(links: Readonly<Record<string, string>>, scene = makeScene()): Scene {
  for (const [path, target] of Object.entries(links)) symlinkSync(target, `${scene.sandbox.folder}/${path}`);
  commitFiles(scene.sandbox, {}, "links");
  return scene;
}

it("links that leave the repository come, each told, and a second pull brings nothing", async () => {
  const scene = linked({ l: "/etc/passwd", "dir/m": "../../out", n: "a" });
  const { message, hint } = await pullRefused(scene);
  expect({ message, hint }).toEqual({
    message: expect.stringContaining("dir/m leads out of the repository") as string,
    hint: expect.stringContaining("ferry pull --allow-symlinks") as string,
  });
  const { notices } = await pullExactly(scene, { allowSymlinks });
  expect(notices).toEqual(["links that leave the repository: dir/m to ../out, l to /etc/passwd"]);
  expect(readlinkSync(`${scene.local.folder}/l`)).toBe("/etc/passwd");
  expect(await pullInto(scene.local.folder, scene.source, { allowSymlinks })).toMatchObject({ applied: false, notices: [] });
});

it("a dry run tells them and changes nothing", async () => {
  const scene = linked({ l: "../out" });
  const before = stateOf(scene.local.folder);
  const verdict = await pullInto(scene.local.folder, scene.source, { allowSymlinks, dryRun: true });
  expect(verdict).toMatchObject({ applied: false, notices: ["links that leave the repository: l to ../out"] });
  expect(stateOf(scene.local.folder)).toEqual(before);
});

it("on a HEAD that moved on", async () => {
  const scene = linked({ l: "../out" });
  commitFiles(scene.local, { mine: "m\n" }, "mine");
  const verdict = await pullInto(scene.local.folder, scene.source, { allowSymlinks });
  expect(verdict).toMatchObject({ exactness: "rebuilt", notices: ["links that leave the repository: l to ../out"] });
});

it.each([
  { l: ".git/config" },
  { l: "dir/../.git" },
  { l: "../local/.git/hooks" },
  { l: "../other/.GIT/config" },
  { up: "..", l: "up/local/.git" },
  { l: "/srv/.git" },
  { l: "/srv/git~1/hooks" },
])("but never into .git: %j", async (links) => {
  expect(await pullRefused(linked(links), { allowSymlinks })).toMatchObject({
    kind: "failure",
    code: "policy",
    message: expect.stringContaining(".git") as string,
  });
});

it.each(["../store/hooks", "/", "../beside/way/pre-commit"])(
  "nor into this repository's git folder by any name: %s",
  async (to) => {
    const scene = makeScene();
    const place = dirname(scene.local.folder);
    scene.local("clone", "--quiet", "--bare", ".", `${place}/store`);
    gitIn(`${place}/store`)("worktree", "add", "--quiet", `${place}/tree`);
    mkdirSync(`${place}/beside`);
    symlinkSync(`${place}/store/hooks`, `${place}/beside/way`);
    linked({ l: to === "/" ? `${place}/store` : to }, scene);
    await expect(pullInto(`${place}/tree`, scene.source, { allowSymlinks })).rejects.toMatchObject({
      code: "policy",
      message: expect.stringContaining("l leads out of the repository and into a .git") as string,
    });
  },
);

it("other reasons against a link stay", async () => {
  const scene = makeScene();
  linked(Object.fromEntries(Array.from({ length: 42 }, (_, at) => [`l${at}`, `l${at + 1}`])), scene);
  expect(await pullRefused(scene, { allowSymlinks })).toMatchObject({ code: "policy" });
});

it("a parked pull remembers it to its end", async () => {
  const scene = makeConflict();
  linked({ l: "../out" }, scene);
  const tree = await parkIn(scene, { allowSymlinks });
  writeFile(tree, "f", edited({ 2: "both" }));
  tree("add", "f");
  const { verdict } = await resume(scene.local.folder, "continue");
  expect(verdict.notices).toContain("links that leave the repository: l to ../out");
  expect(readlinkSync(`${scene.local.folder}/l`)).toBe("../out");
});
