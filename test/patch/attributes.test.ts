import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { commitFiles, gitBytes, gitIn, type TestGit, writeFile } from "../support/git.ts";
import { pullInto } from "../support/pulling.ts";
import { makeScene, pullExactly, removeScenes, type Scene } from "../support/scene.ts";
import { stateOf } from "../support/state.ts";

afterAll(removeScenes);

const content = ({ folder }: TestGit, path: string) => readFileSync(`${folder}/${path}`);

async function pullCleanly(scene: Scene) {
  expect(scene.local("status", "--porcelain")).toBe("");
  const verdict = await pullExactly(scene);
  expect(scene.local("status", "--porcelain")).toBe("");
  return verdict;
}

describe("line ends that the series begins to convert", () => {
  const configs = ["nothing set", "core.autocrlf=true", "core.autocrlf=input", "core.eol=crlf"];
  it.each(configs)("text=auto eol=crlf on CRLF, mixed and LF, %s", async (config) => {
    const scene = makeScene({ files: { crlf: "a\r\nb\r\n", mixed: "a\r\nb\n", lf: "a\nb\n", bin: "a\0\n\r\n" } });
    const [name = "", value] = config.split("=");
    if (value !== undefined) scene.local("config", name, value);
    scene.local("read-tree", "--empty");
    scene.local("reset", "--quiet", "--hard");
    commitFiles(scene.sandbox, { lf: "a\nB\n", "one.txt": "1\n" });
    writeFile(scene.sandbox, ".gitattributes", "* text=auto eol=crlf\n");
    commitFiles(scene.sandbox, { "two.txt": "2\n", mixed: "a\r\nB\n" });
    commitFiles(scene.sandbox, { "one.txt": "1\n1\n", bin: "b\0\n\r\n" });
    await pullCleanly(scene);
    expect(content(scene.local, "two.txt").toString()).toBe("2\r\n");
    expect(content(scene.local, "one.txt").toString()).toBe("1\r\n1\r\n");
    expect(content(scene.local, "bin").toString()).toBe("b\0\n\r\n");
  });
});

describe("attributes that change what is on disk", () => {
  const utf16 = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);

  it("ident, working-tree-encoding, export-subst, union", async () => {
    const attributes = "*.c ident\n*.u16 text working-tree-encoding=UTF-16LE-BOM eol=lf\nv export-subst\nlog merge=union\n";
    const scene = makeScene({
      files: { ".gitattributes": attributes, "x.c": "$Id$\n", v: "$Format:%H$\n", log: "1\n" },
      prepare: (local) => void commitFiles(local, { "t.u16": utf16("über\n") }, "encoded"),
    });
    commitFiles(scene.sandbox, { "x.c": "$Id$\nint x;\n", "t.u16": utf16("über\nunter\n"), v: "$Format:%H$ \n", log: "1\n2\n" });
    commitFiles(scene.sandbox, { "new.c": "// $Id$\n", "new.u16": utf16("neu\n"), log: "1\n2\n3\n" });
    await pullCleanly(scene);
    const id = (path: string) => scene.local("rev-parse", `HEAD:${path}`);
    expect(content(scene.local, "new.c").toString()).toBe(`// $Id: ${id("new.c")} $\n`);
    expect(content(scene.local, "t.u16")).toEqual(utf16("über\nunter\n"));
    expect(content(scene.local, "new.u16")).toEqual(utf16("neu\n"));
    expect(gitBytes(scene.local.folder, ["cat-file", "blob", "HEAD:new.u16"]).toString()).toBe("neu\n");
  });
});

describe("Git LFS", () => {
  const hasLfs = spawnSync("git", ["lfs", "version"], { stdio: "ignore" }).status === 0;
  const notice = (names: string) => `Git LFS pointers whose content isn't here: ${names}; get it with git lfs pull`;

  /** In both repositories git-lfs is set up as its own command does it, with the filter required. */
  const makeLarge = () => {
    const scene = makeScene({ files: { ".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n", a: "a\n", z: "z\n" } });
    for (const git of [scene.local, scene.sandbox]) git("lfs", "install", "--local", "--skip-repo");
    return scene;
  };
  /** As if its remote had sent the objects. */
  const sendObjects = ({ local, sandbox }: Scene) =>
    spawnSync("cp", ["-r", `${sandbox.folder}/.git/lfs`, `${local.folder}/.git/lfs`]);

  it.skipIf(!hasLfs)("whose objects are there: the content comes", async () => {
    const scene = makeLarge();
    commitFiles(scene.sandbox, { "x.bin": "large\n", a: "A\n" });
    sendObjects(scene);
    expect((await pullCleanly(scene)).notices).toEqual([]);
    expect(content(scene.local, "x.bin").toString()).toBe("large\n");
    expect(gitBytes(scene.local.folder, ["cat-file", "blob", "HEAD:x.bin"]).toString()).toMatch(/^version https:/u);
  });

  it.skipIf(!hasLfs)("whose objects are missing: all comes, pointers stay and are named", async () => {
    const scene = makeLarge();
    commitFiles(scene.sandbox, { "x.bin": "here\n" });
    sendObjects(scene);
    await pullCleanly(scene);
    commitFiles(scene.sandbox, { "x.bin": "not here\n", "y.bin": "nor this\n", a: "A\n", z: null, "after.txt": "n\n" });
    expect((await pullCleanly(scene)).notices).toEqual([notice("x.bin, y.bin")]);
    expect(content(scene.local, "y.bin").toString()).toMatch(/^version https:.*\noid sha256:[0-9a-f]{64}\nsize 9\n$/u);
    // What the notice says, once the objects can be had.
    rmSync(`${scene.local.folder}/.git/lfs`, { recursive: true });
    sendObjects(scene);
    scene.local("lfs", "checkout");
    expect(content(scene.local, "y.bin").toString()).toBe("nor this\n");
    expect(scene.local("status", "--porcelain")).toBe("");
  });

  it.skipIf(!hasLfs)("beside uncommitted work", async () => {
    const scene = makeLarge();
    commitFiles(scene.sandbox, { a: "A\n" });
    writeFile(scene.sandbox, "u.bin", "uncommitted\n");
    const verdict = await pullInto(scene.local.folder, scene.source, { uncommitted: true });
    expect(verdict.notices).toEqual([notice("u.bin")]);
    expect(scene.local("status", "--porcelain")).toBe("?? u.bin");
  });

  it.skipIf(!hasLfs)("that the user wants to stay pointers", async () => {
    const scene = makeLarge();
    commitFiles(scene.sandbox, { "x.bin": "large\n" });
    sendObjects(scene);
    const { notices } = await pullExactly(scene, { env: { GIT_LFS_SKIP_SMUDGE: "1" } });
    expect(notices).toEqual([notice("x.bin")]);
    expect(scene.local("status", "--porcelain")).toBe("");
  });

  it.skipIf(!hasLfs)("that isn't set up here: the pointers are named all the same", async () => {
    const scene = makeLarge();
    scene.local("lfs", "uninstall", "--local");
    commitFiles(scene.sandbox, { "x.bin": "large\n", "no.txt": "version https://git-lfs.github.com/spec/v1\n" });
    expect((await pullCleanly(scene)).notices).toEqual([notice("x.bin")]);
  });

  it.skipIf(!hasLfs)("in a dry run: nothing is fetched, written or told", async () => {
    const scene = makeLarge();
    commitFiles(scene.sandbox, { "x.bin": "large\n" });
    const before = stateOf(scene.local.folder);
    expect((await pullInto(scene.local.folder, scene.source, { dryRun: true })).notices).toEqual([]);
    expect(stateOf(scene.local.folder)).toEqual(before);
    expect(gitIn(scene.local.folder)("status", "--porcelain")).toBe("");
  });
});
