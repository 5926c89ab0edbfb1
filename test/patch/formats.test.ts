import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { commitFiles, gitBytes, gitEnv, makeFolder, type TestGit, writeFile } from "../support/git.ts";
import { pullInto } from "../support/pulling.ts";
import { makeScene, pullExactly, removeScenes, type Scene } from "../support/scene.ts";

const folder = makeFolder();
afterAll(() => {
  folder.remove();
  removeScenes();
});

/** Whether this machine's git can do it. */
const succeeds = (...args: string[]) => spawnSync("git", args, { cwd: folder.path, env: gitEnv, stdio: "ignore" }).status === 0;
const [, major = 0, minor = 0] = /(\d+)\.(\d+)/u.exec(gitBytes("/", ["version"]).toString())?.map(Number) ?? [];
const isSince = (wanted: number) => major > 2 || (major === 2 && minor >= wanted);

/** Pulls, and expects that git finds the working copy clean: by its index, and by comparing each file anew. */
async function pullCleanly(scene: Scene) {
  const verdict = await pullExactly(scene);
  expect(scene.local("status", "--porcelain")).toBe("");
  expectSame(scene.local);
  return verdict;
}

/** By an index that knows no file's times, so that git reads each of them. */
function expectSame({ folder: top }: TestGit): void {
  const index = `${folder.path}/fresh-index`;
  rmSync(index, { force: true });
  const env = { GIT_INDEX_FILE: index };
  gitBytes(top, ["-c", "core.splitIndex=false", "-c", "core.fsmonitor=false", "read-tree", "--reset", "HEAD"], { env });
  gitBytes(top, ["-c", "core.splitIndex=false", "-c", "core.fsmonitor=false", "update-index", "--refresh"], { env });
}

describe("an index of another kind stays so, and tells the truth", () => {
  const index = ({ folder: top }: TestGit) => readFileSync(`${top}/.git/index`);
  interface Kind {
    readonly set: (local: TestGit) => void;
    /** Whether the index is of that kind. */
    readonly is: (local: TestGit) => boolean;
    readonly since?: number;
  }
  const kinds: Readonly<Record<string, Kind>> = {
    "split index": {
      set: (local) => {
        local("config", "core.splitIndex", "true");
        local("update-index", "--split-index");
      },
      is: (local) => local("rev-parse", "--shared-index-path") !== "",
    },
    "index v4": {
      set: (local) => {
        local("config", "index.version", "4");
        local("update-index", "--index-version", "4");
      },
      is: (local) => index(local).readUInt32BE(4) === 4,
    },
    "untracked cache": {
      set: (local) => {
        local("config", "core.untrackedCache", "true");
        local("update-index", "--force-untracked-cache");
      },
      is: (local) => index(local).includes("UNTR"),
    },
    "index.skipHash": {
      set: (local) => {
        local("config", "index.skipHash", "true");
        local("update-index", "--force-write-index");
      },
      is: (local) => index(local).subarray(-20).equals(Buffer.alloc(20)),
      since: 40,
    },
    "feature.manyFiles": {
      set: (local) => {
        local("config", "feature.manyFiles", "true");
        local("update-index", "--index-version", "4", "--force-untracked-cache");
      },
      is: (local) => index(local).readUInt32BE(4) === 4 && index(local).includes("UNTR"),
    },
  };

  for (const [name, { set, is, since = 0 }] of Object.entries(kinds))
    it.skipIf(!isSince(since))(name, async () => {
      const scene = makeScene({ files: { ".gitignore": "*.o\n", a: "a\n", "d/x": "x\n", "d/y": "y\n", "gone/z": "z\n" } });
      set(scene.local);
      expect(scene.local("status", "--porcelain")).toBe("");
      expect(is(scene.local)).toBe(true);
      commitFiles(scene.sandbox, { a: "A\n", "d/x": null, gone: null, "new/deep/n": "n\n" });
      commitFiles(scene.sandbox, { "d/y": "Y\n", gone: "a file now\n" });
      await pullCleanly(scene);
      expect(is(scene.local)).toBe(true);
      // What is new beside what came is still seen.
      writeFile(scene.local, "new/deep/mine", "m\n");
      writeFile(scene.local, "d/x", "again\n");
      writeFile(scene.local, "d/y.o", "ignored\n");
      expect(scene.local("status", "--porcelain")).toBe("?? d/x\n?? new/deep/mine");
      commitFiles(scene.sandbox, { "new/deep/n": null, "d/y": "yy\n" });
      await pullExactly(scene);
      expect(scene.local("status", "--porcelain")).toBe("?? d/x\n?? new/");
      expect(is(scene.local)).toBe(true);
    });
});

describe("a file system monitor", () => {
  const place = makeScene().local;
  const hasDaemon =
    spawnSync("git", ["fsmonitor--daemon", "start"], { cwd: place.folder, env: gitEnv, stdio: "ignore" }).status === 0;
  if (hasDaemon) place("fsmonitor--daemon", "stop");

  it.skipIf(!hasDaemon)("of git's own, at work", async () => {
    const scene = makeScene();
    scene.local("config", "core.fsmonitor", "true");
    try {
      scene.local("fsmonitor--daemon", "start");
      expect(scene.local("status", "--porcelain")).toBe("");
      commitFiles(scene.sandbox, { a: "A\n", c: null, "dir/new": "n\n" });
      await pullCleanly(scene);
      writeFile(scene.local, "b", "mine\n");
      expect(scene.local("status", "--porcelain")).toBe(" M b");
    } finally {
      scene.local("fsmonitor--daemon", "stop");
    }
  });

  it("that is a hook, whose answer ferry doesn't ask for", async () => {
    const scene = makeScene();
    // Version 2 of the protocol (githooks(5)): a token, and that everything may have changed.
    writeFile(scene.local, ".git/monitor", `#!/bin/sh\necho asked >>${folder.path}/asked\nprintf 'token\\0/\\0'\n`);
    spawnSync("chmod", ["+x", `${scene.local.folder}/.git/monitor`]);
    scene.local("config", "core.fsmonitor", ".git/monitor");
    expect(scene.local("status", "--porcelain")).toBe("");
    const asked = readFileSync(`${folder.path}/asked`, "utf8");
    commitFiles(scene.sandbox, { a: "A\n", c: null, "dir/new": "n\n" });
    await pullInto(scene.local.folder, scene.source);
    expect(readFileSync(`${folder.path}/asked`, "utf8")).toBe(asked);
    expect(scene.local("rev-parse", "HEAD")).toBe(scene.sandbox("rev-parse", "HEAD"));
    expect(scene.local("status", "--porcelain")).toBe("");
    expectSame(scene.local);
  });
});

describe("how objects and refs are kept", () => {
  it("SHA-256, with a merge", async () => {
    const scene = makeScene({ init: ["--object-format=sha256"] });
    const side = commitFiles(scene.sandbox, { b: "B\n", n: "n\n" }, "side");
    scene.sandbox("reset", "--quiet", "--hard", scene.base);
    commitFiles(scene.sandbox, { a: "A\n" }, "main");
    scene.sandbox("merge", "--quiet", "--no-ff", "-m", "merge", side);
    commitFiles(scene.sandbox, { c: null }, "after");
    const verdict = await pullCleanly(scene);
    expect(verdict).toMatchObject({ engine: "bundle", tip: expect.stringMatching(/^[0-9a-f]{64}$/u) as string });
    expect(verdict.commits).toHaveLength(4);
    expect(await pullInto(scene.local.folder, scene.source)).toMatchObject({ applied: false });
  });

  it.skipIf(!succeeds("init", "--quiet", "--ref-format=reftable", "reftable"))("reftable", async () => {
    const scene = makeScene({ init: ["--ref-format=reftable"] });
    commitFiles(scene.sandbox, { a: "A\n", c: null });
    commitFiles(scene.sandbox, { "dir/new": "n\n" });
    await pullCleanly(scene);
    expect(await pullInto(scene.local.folder, scene.source)).toMatchObject({ applied: false });
    commitFiles(scene.sandbox, { a: "AA\n" });
    expect((await pullCleanly(scene)).commits).toHaveLength(1);
  });

  it("many small pulls pile up neither packs nor refs, and few objects", async () => {
    const scene = makeScene();
    const count = (name: string) =>
      Number(new RegExp(`^${name}: (\\d+)$`, "mu").exec(scene.local("count-objects", "-v"))?.[1] ?? Number.NaN);
    commitFiles(scene.sandbox, { a: "first\n" });
    await pullExactly(scene);
    const [objects, refs] = [count("count"), scene.local("for-each-ref", "--format=%(refname)")];
    const pulls = 6;
    for (let at = 0; at < pulls; at += 1) {
      commitFiles(scene.sandbox, { a: `${at}\n` });
      await pullInto(scene.local.folder, scene.source);
    }
    expect(scene.local("rev-parse", "HEAD")).toBe(scene.sandbox("rev-parse", "HEAD"));
    expect(count("packs")).toBe(0);
    expect(count("garbage")).toBe(0);
    expect(scene.local("for-each-ref", "--format=%(refname)")).toBe(refs);
    // Of each: a file, a folder, a commit, and the note for its undo.
    expect(count("count") - objects).toBeLessThanOrEqual(4 * pulls);
    expect(readdirSync(`${scene.local.folder}/.git/ferry`)).toEqual([]);
    expect(readdirSync(`${scene.local.folder}/.git`).filter((name) => name.startsWith("sharedindex"))).toEqual([]);
  });
});
