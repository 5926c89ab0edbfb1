import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { ended, startPull } from "../support/dying.ts";
import { commitFiles, gitBytes, gitIn, makeFolder } from "../support/git.ts";
import { patchHost } from "../support/pulling.ts";
import { makeScene, pullExactly, pullRefused, removeScenes } from "../support/scene.ts";

/** File systems of another kind, which only root can mount, and not in every container. */
const folder = makeFolder();
const mount = (kind: string) => {
  const path = `${folder.path}/${kind}`;
  mkdirSync(path);
  return spawnSync("mount", ["-t", kind, kind, path]).status === 0 ? path : undefined;
};
const disks = { tmpfs: mount("tmpfs"), ramfs: mount("ramfs") };

afterAll(() => {
  for (const path of Object.values(disks)) if (path !== undefined) spawnSync("umount", [path]);
  folder.remove();
  removeScenes();
});

describe.runIf(disks.tmpfs !== undefined)("objects that lie on another file system in part", () => {
  it.each([
    ["packs", "pack", 120],
    ["a folder of objects", undefined, 1],
  ])("%s", async (_, part, count) => {
    const scene = makeScene();
    const files = Object.fromEntries(Array.from({ length: count }, (_each, at) => [`f${at}`, `${at}\n`]));
    const tip = commitFiles(scene.sandbox, files);
    const name = part ?? tip.slice(0, 2);
    const objects = `${scene.local.folder}/.git/objects`;
    const elsewhere = `${disks.tmpfs ?? ""}/${name}`;
    mkdirSync(elsewhere);
    if (existsSync(`${objects}/${name}`)) rmSync(`${objects}/${name}`, { recursive: true });
    symlinkSync(elsewhere, `${objects}/${name}`);
    await pullExactly(scene);
    expect(readdirSync(elsewhere).filter((file) => file.startsWith("tmp_"))).toEqual([]);
    expect(readdirSync(elsewhere)).not.toEqual([]);
  });
});

describe.runIf(disks.ramfs !== undefined)("a file system that doesn't tell when a file was made", () => {
  it("a lock that a killed git left goes all the same", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" });
    const local = gitIn(`${disks.ramfs ?? ""}/local`);
    gitBytes(folder.path, ["clone", "--quiet", "--no-local", scene.local.folder, local.folder]);
    await ended(startPull({ ...scene, local }, "prepared"));
    const lock = `${local.folder}/.git/HEAD.lock`;
    // Its git sees the end of its input, and unlocks; then as if it had been killed before.
    await expect.poll(() => existsSync(lock), { timeout: 20_000 }).toBe(false);
    const journal = `${local.folder}/.git/ferry/journal`;
    writeFileSync(journal, readFileSync(journal, "utf8").replace(/"at":\d+/gu, `"at":${Date.now()}`));
    writeFileSync(lock, "");
    await pullExactly({ ...scene, local });
    expect(existsSync(lock)).toBe(false);
  });
});

describe("names that are one file there", () => {
  const makeColliding = () => {
    const scene = makeScene({ files: { README: "r\n", "dir/x": "x\n" } });
    commitFiles(scene.sandbox, { readme: "R\n", "\u00e9": "1\n", "e\u0301": "2\n", "DIR/y": "y\n" });
    return scene;
  };
  const refusal = { kind: "failure", code: "policy", message: "the series has names that are one file on this system" };

  it.each(["darwin", "win32"] as const)("are refused on %s, and listed", async (platform) => {
    const error = await pullRefused(makeColliding(), { deps: { host: { ...patchHost(), platform } } });
    expect(error).toMatchObject(refusal);
    expect(error.details.flatMap((pair) => pair.split(", ")).toSorted()).toEqual(
      ["DIR", "README", "dir", "e\u0301", "readme", "\u00e9"].toSorted(),
    );
  });

  it("are refused elsewhere, too, where .git is found by another case", async () => {
    const scene = makeColliding();
    symlinkSync(".git", `${scene.local.folder}/.GIT`);
    expect(await pullRefused(scene)).toMatchObject(refusal);
  });
});

it("names that Windows can't have are refused there, and come elsewhere", async () => {
  const deps = { host: { ...patchHost(), platform: "win32" as const } };
  const names = ["aux", "Con.txt", "lpt1", "a:b", "x.", "y ", "a*", "d/nul/x"];
  for (const name of names) {
    const scene = makeScene();
    const bad = commitFiles(scene.sandbox, { [name]: "1\n" });
    const error = await pullRefused(scene, { deps });
    expect(error).toMatchObject({ kind: "failure", code: "policy" });
    expect(error.message).toMatch(new RegExp(`^commit ${bad.slice(0, 12)} is refused: .* on Windows$`, "u"));
  }
  const scene = makeScene();
  commitFiles(scene.sandbox, Object.fromEntries(names.map((name) => [name, "1\n"])));
  await pullExactly(scene);
});
