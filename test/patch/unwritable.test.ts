import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { afterAll, describe, expect, inject, it } from "vitest";
import { ended, startPull } from "../support/dying.ts";
import { commitFiles, gitIn, writeFile } from "../support/git.ts";
import { edited, makeConflict, parkIn } from "../support/parking.ts";
import { pullInto } from "../support/pulling.ts";
import { makeScene, pullExactly, removeScenes, type Scene } from "../support/scene.ts";
import { filesBelow, stateOf } from "../support/state.ts";

const freeze = (path: string, how: "+i" | "-i") => spawnSync("chattr", [how, path]).status === 0;
/** Root's privilege, and not on every file system. */
const canFreeze = (() => {
  const path = `${makeScene().local.folder}/a`;
  return freeze(path, "+i") && freeze(path, "-i");
})();

afterAll(removeScenes);

describe("a file that can't be written", () => {
  it("or read, saved in the worktree of a parked pull: it doesn't go with it", async () => {
    const scene = makeConflict();
    const tree = await parkIn(scene);
    writeFile(tree, "f", edited({ 2: "both" }));
    tree("add", "f");
    await ended(startPull(scene, "park-landed", { how: "continue" }));
    for (const path of ["secret", "closed/c", "read-only/r"]) writeFile(tree, path, `${path}\n`);
    chmodSync(`${tree.folder}/secret`, 0);
    chmodSync(`${tree.folder}/f`, 0);
    chmodSync(`${tree.folder}/closed`, 0);
    chmodSync(`${tree.folder}/read-only`, 0o555);
    const child = startPull(scene, "", { ...nobody, program: asNobody(scene) });
    let said = "";
    child.stderr?.on("data", (chunk: Buffer) => (said += chunk.toString()));
    expect(await ended(child)).toMatchObject({ code: 1 });
    expect(said).toMatch(/were saved in the parked worktree meanwhile: what was written is in \S+\/rescue$/u);
    const rescue = `${scene.local.folder}/.git/ferry/rescue`;
    const whole = readdirSync(rescue).find((name) => name.startsWith("ses_1-")) ?? expect.fail("no worktree was kept");
    execFileSync("chmod", ["-R", "u+rwX", rescue]);
    for (const path of ["secret", `${whole}/closed/c`, `${whole}/read-only/r`])
      expect(readFileSync(`${rescue}/${path}`, "utf8")).toBe(`${path.replace(`${whole}/`, "")}\n`);
    expect(existsSync(`${scene.local.folder}/.git/worktrees`)).toBe(false);
  });

  // Permissions don't hold root back, so there the pull runs as somebody else.
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const env = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "safe.directory", GIT_CONFIG_VALUE_0: "*" };
  /** Gives the repositories of a scene away, with the program of the pull. */
  const asNobody = ({ local }: Scene) => {
    const program = `${local.folder}/../pull-child.mjs`;
    copyFileSync(inject("pullChild"), program);
    if (nobody.uid !== undefined) execFileSync("chown", ["-R", `${nobody.uid}:${nobody.gid}`, `${local.folder}/..`]);
    chmodSync(`${local.folder}/../..`, 0o711);
    return program;
  };
  const edits: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
    edited: { a: "A\n", "ro/b": "B\n", z: "Z\n" },
    removed: { a: "A\n", "ro/b": null, z: "Z\n" },
    added: { a: "A\n", "ro/c": "C\n", z: null },
  };
  it.each(Object.keys(edits))("in a read-only folder, %s: all is taken back, and the file is named", async (name) => {
    const scene = makeScene({ files: { a: "a\n", "ro/b": "b\n", "ro/keep": "k\n", z: "z\n" } });
    commitFiles(scene.sandbox, edits[name] ?? {});
    const program = asNobody(scene);
    chmodSync(`${scene.local.folder}/ro`, 0o555);
    const visible = () => ({
      files: filesBelow(scene.local.folder),
      status: gitIn(scene.local.folder, env)("status", "--porcelain"),
    });
    const before = visible();
    const child = startPull(scene, "", { ...nobody, program });
    let said = "";
    child.stderr?.on("data", (chunk: Buffer) => (said += chunk.toString()));
    expect(await ended(child)).toMatchObject({ code: 1 });
    expect(said).toMatch(/^FerryError: ro\/[bc] can't be (written: permission denied|removed)$/u);
    expect(visible()).toEqual(before);
    expect(gitIn(scene.local.folder, env)("rev-parse", "HEAD")).toBe(scene.base);
    expect(existsSync(`${scene.local.folder}/.git/ferry/journal`)).toBe(false);
    chmodSync(`${scene.local.folder}/ro`, 0o755);
  });

  it.each(["", "/objects", "/refs/heads"])("in .git%s, read-only: one line names it", async (folder) => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "A\n" });
    const program = asNobody(scene);
    const closed = `${scene.local.folder}/.git${folder}`;
    chmodSync(closed, 0o555);
    const child = startPull(scene, "", { ...nobody, program });
    let said = "";
    child.stderr?.on("data", (chunk: Buffer) => (said += chunk.toString()));
    expect(await ended(child)).toMatchObject({ code: 1 });
    chmodSync(closed, 0o755);
    expect(said).toMatch(/^FerryError: \S*\/\.git\S* can't be written: permission denied$/u);
    expect(said).toContain(`${closed}/`);
    expect(gitIn(scene.local.folder, env)("status", "--porcelain")).toBe("");
  });

  it("and can't be removed: all else is taken back, and the file is named", async () => {
    const scene = makeScene({ files: { a: "a\n", "ro/b": "b\n", "sub/keep": "k\n", z: "z\n" } });
    commitFiles(scene.sandbox, { a: "A\n", "ro/b": "B\n", "ro/c": "C\n", "sub/n": "n\n", z: null });
    // The last file that git writes closes the folder of the others behind them.
    writeFile(scene.local, ".git/info/attributes", "ro/* filter=plain\nsub/n filter=close\n");
    scene.local("config", "filter.plain.smudge", "cat");
    scene.local("config", "filter.close.smudge", "chmod 555 ro; false");
    scene.local("config", "filter.close.required", "true");
    const child = startPull(scene, "", { ...nobody, program: asNobody(scene) });
    let said = "";
    child.stderr?.on("data", (chunk: Buffer) => (said += chunk.toString()));
    expect(await ended(child)).toMatchObject({ code: 1 });
    chmodSync(`${scene.local.folder}/ro`, 0o755);
    expect(said).toContain("except for ro/b, which can't be removed, and 1 more");
    expect(gitIn(scene.local.folder, env)("status", "--porcelain")).toBe(" M ro/b\n?? ro/c");
    expect(existsSync(`${scene.local.folder}/.git/ferry/journal`)).toBe(false);
  });

  it.runIf(canFreeze)("that nobody may change (chattr +i): all is taken back, and it comes once one may", async () => {
    const scene = makeScene({ files: { a: "a\n", b: "b\n", c: "c\n" } });
    commitFiles(scene.sandbox, { a: "A\n", b: "B\n", c: null });
    const before = stateOf(scene.local.folder);
    freeze(`${scene.local.folder}/b`, "+i");
    const error = await pullInto(scene.local.folder, scene.source).catch((cause: unknown) => cause);
    freeze(`${scene.local.folder}/b`, "-i");
    expect(error).toMatchObject({ kind: "attention", message: "b can't be written: operation not permitted" });
    expect({ ...stateOf(scene.local.folder), objects: "" }).toEqual({ ...before, objects: "" });
    await pullExactly(scene);
  });

  it("because a filter fails: all is taken back", async () => {
    const scene = makeScene({ files: { ".gitattributes": "*.big filter=big\n", a: "a\n", "m.big": "1\n", z: "z\n" } });
    commitFiles(scene.sandbox, { a: "A\n", "m.big": "2\n", "n.big": "3\n", z: null });
    scene.local("config", "filter.big.clean", "cat");
    scene.local("config", "filter.big.smudge", "read first; test $first = 1 && echo 1");
    scene.local("config", "filter.big.required", "true");
    const before = stateOf(scene.local.folder);
    await expect(pullInto(scene.local.folder, scene.source)).rejects.toMatchObject({
      kind: "attention",
      message: expect.stringMatching(/^[mn]\.big can't be written: the filter big failed$/u) as string,
    });
    expect({ ...stateOf(scene.local.folder), objects: "" }).toEqual({ ...before, objects: "" });
  });
});
