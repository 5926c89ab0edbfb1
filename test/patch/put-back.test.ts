import { spawnSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  existsSync,
  futimesSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import type { Checkpoint, PullDeps } from "../../src/patch/request.ts";
import { ended, startPull } from "../support/dying.ts";
import { commitFiles, gitIn, headOf, makeFolder, type TestGit, writeFile } from "../support/git.ts";
import { pullInto } from "../support/pulling.ts";
import { makeScene, pullExactly, removeScenes, type Scene } from "../support/scene.ts";
import { stateOf } from "../support/state.ts";

/** A pull that is taken back gives files their own bytes again, also where git would make others of what it has of them. */

const folder = makeFolder();
const disk = `${folder.path}/disk`;
mkdirSync(disk);
/** A file system of its own, which only root can make, and not in every container. */
const isMounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=12m", "tmpfs", disk]).status === 0;

afterAll(() => {
  if (isMounted) spawnSync("umount", [disk]);
  folder.remove();
  removeScenes();
});

const visible = ({ local }: Scene) => ({ ...stateOf(local.folder), objects: "" });
const content = ({ local }: Scene, path: string) => readFileSync(`${local.folder}/${path}`, "latin1");
/** What is left there, but for the quarantine of a pull that was killed, which goes with the next one that comes so far. */
const inFerry = ({ local }: Scene) => readdirSync(`${local.folder}/.git/ferry`).filter((name) => !name.startsWith("quarantine-"));
const rescued = ({ local }: Scene, name: string) => readFileSync(`${local.folder}/.git/ferry/rescue/${name}`, "latin1");

/** A filter as of notebooks: what a run has put out is in the working tree only. Git takes the files for unmodified. */
function stripOutput(local: TestGit): void {
  writeFile(local, ".git/info/attributes", "*.nb filter=strip\n");
  local("config", "filter.strip.clean", "sed /^out/d");
  local("config", "filter.strip.smudge", "cat");
}

function makeNotebook(): Scene {
  const scene = makeScene({ files: { a: "a\n", "nb/one.nb": "in 1\n", "nb/two.nb": "in 2\n", "z.nb": "in z\n" } });
  stripOutput(scene.local);
  writeFile(scene.local, "nb/one.nb", "in 1\nout of one\n");
  writeFile(scene.local, "z.nb", "in z\nout of z\n");
  chmodSync(`${scene.local.folder}/z.nb`, 0o600);
  commitFiles(scene.sandbox, { a: "A\n", nb: null, "z.nb": "in Z\n" });
  scene.local("add", "--update");
  return scene;
}

/** A disk that gives way at that point. */
function failingAt(at: Checkpoint): Partial<PullDeps> {
  return { checkpoint: (name) => (name === at ? Promise.reject(new Error("gave way")) : Promise.resolve()) };
}

describe("a filter that loses bytes", () => {
  it.each(["adopted", "tree-started", "tree-written"] as const)("and the pull fails at %s", async (at) => {
    const scene = makeNotebook();
    const before = visible(scene);
    await expect(pullInto(scene.local.folder, scene.source, { deps: failingAt(at) })).rejects.toThrow("gave way");
    expect(visible(scene)).toEqual(before);
    expect([content(scene, "nb/one.nb"), inFerry(scene)]).toEqual(["in 1\nout of one\n", []]);
    await pullExactly(scene);
    expect(inFerry(scene)).toEqual([]);
  });

  it.each(["checked", "tree-started", "tree-written"] as const)("and the pull is killed at %s: the next run", async (at) => {
    const scene = makeNotebook();
    const before = visible(scene);
    await ended(startPull(scene, at));
    await pullInto(scene.local.folder, scene.source, { dryRun: true });
    expect([visible(scene), inFerry(scene)]).toEqual([before, []]);
  });

  it("with local changes that come along", async () => {
    const scene = makeNotebook();
    writeFile(scene.local, "a", "mine\n");
    commitFiles(scene.sandbox, { a: "a\n" });
    const before = visible(scene);
    const deps = failingAt("tree-written");
    await expect(pullInto(scene.local.folder, scene.source, { uncommitted: true, deps })).rejects.toThrow();
    expect([visible(scene), inFerry(scene)]).toEqual([before, []]);
  });
});

describe("an edit by a program that has the file open while the tree is written", () => {
  const edited = (): Scene => {
    const scene = makeScene({ files: { a: "a\n", m: "m\n", z: "z\n" } });
    commitFiles(scene.sandbox, { a: "A\n", m: "M\n", z: "Z\n" });
    return scene;
  };
  const place = ({ local }: Scene) => `${local.folder}/.git/ferry/rescue/z`;
  const opened = <T>({ local }: Scene, work: (file: number) => Promise<T>): Promise<T> => {
    const file = openSync(`${local.folder}/z`, "a");
    return work(file).finally(() => {
      closeSync(file);
    });
  };
  /** Where the old file is out of the tree, and the new one about to come. */
  const whenMoved = (act: () => void): Partial<PullDeps> => ({
    checkpoint: (name) => {
      if (name === "tree-started") act();
      return Promise.resolve();
    },
  });

  it("is kept, and the pull that came says where", async () => {
    const scene = edited();
    await opened(scene, async (file) => {
      const deps = whenMoved(() => writeSync(file, "mine\n"));
      await expect(pullInto(scene.local.folder, scene.source, { deps })).rejects.toMatchObject({
        kind: "attention",
        message: `all is done, but z was edited while it was replaced: what was written is in ${place(scene)}`,
        verdict: { applied: true, tip: headOf(scene.sandbox) },
      });
    });
    expect([content(scene, "z"), rescued(scene, "z"), inFerry(scene)]).toEqual(["Z\n", "z\nmine\n", ["rescue"]]);
    expect(headOf(scene.local)).toBe(headOf(scene.sandbox));
  });

  it("is kept, and the next pull says where after one that was killed", async () => {
    const scene = edited();
    await opened(scene, async (file) => {
      await ended(startPull(scene, "committed"));
      writeSync(file, "mine\n");
    });
    await expect(pullInto(scene.local.folder, scene.source)).rejects.toMatchObject({ code: "edited_meanwhile" });
    expect([rescued(scene, "z"), inFerry(scene)]).toEqual(["z\nmine\n", ["rescue"]]);
  });

  it("is kept beside local changes that conflict, and both are told", async () => {
    const scene = edited();
    writeFile(scene.local, "a", "mine\n");
    await opened(scene, async (file) => {
      const deps = whenMoved(() => writeSync(file, "mine\n"));
      await expect(pullInto(scene.local.folder, scene.source, { autostash: true, deps })).rejects.toMatchObject({
        message: expect.stringMatching(/conflict with them in a.*; and z was edited/u) as string,
        verdict: { applied: true },
      });
    });
    expect([rescued(scene, "z"), scene.local("stash", "list")]).toEqual(["z\nmine\n", "stash@{0}: ferry pull: autostash"]);
  });

  it("that leaves what was there is none", async () => {
    const scene = edited();
    await opened(scene, async (file) => {
      await pullExactly(scene, {
        deps: whenMoved(() => {
          futimesSync(file, 1, 1);
        }),
      });
    });
    expect(inFerry(scene)).toEqual([]);
  });

  it("comes back with the file where the pull fails", async () => {
    const scene = edited();
    await opened(scene, async (file) => {
      const deps = {
        checkpoint: async (name: Checkpoint) => {
          await whenMoved(() => writeSync(file, "mine\n")).checkpoint?.(name);
          await failingAt("tree-written").checkpoint?.(name);
        },
      };
      await expect(pullInto(scene.local.folder, scene.source, { deps })).rejects.toThrow("gave way");
    });
    expect([content(scene, "z"), content(scene, "m"), inFerry(scene)]).toEqual(["z\nmine\n", "m\n", []]);
  });
});

describe("a required filter that fails", () => {
  it("at a file in the middle, and for what was there before as well", async () => {
    const scene = makeScene({ files: { a: "a\n", "m.big": "1\n", "n.big": "1\n", z: "z\n" } });
    commitFiles(scene.sandbox, { a: "A\n", "m.big": "2\n", "n.big": null, z: null });
    writeFile(scene.local, ".git/info/attributes", "*.big filter=big\n");
    scene.local("config", "filter.big.clean", "echo 1");
    scene.local("config", "filter.big.smudge", "false");
    scene.local("config", "filter.big.required", "true");
    writeFile(scene.local, "m.big", "the first\n");
    writeFile(scene.local, "n.big", "the other\n");
    scene.local("add", "--update");
    const before = visible(scene);
    await expect(pullInto(scene.local.folder, scene.source)).rejects.toThrow("m.big");
    expect([visible(scene), inFerry(scene)]).toEqual([before, []]);
  });
});

describe("the executable bit alone", () => {
  it.each([
    ["comes", { "bin/one": 0o755 }],
    ["goes", { "bin/two": 0o644 }],
    ["goes from one file to one with the same content", { "bin/one": 0o755, "bin/two": 0o644 }],
  ])("%s, and the pull fails", async (_, modes) => {
    const prepare = (local: TestGit) => {
      for (const name of ["bin/one", "bin/two"]) writeFile(local, name, "same\n");
      chmodSync(`${local.folder}/bin/two`, 0o755);
      commitFiles(local, {});
    };
    const scene = makeScene({ prepare });
    for (const [path, mode] of Object.entries(modes)) chmodSync(`${scene.sandbox.folder}/${path}`, mode);
    commitFiles(scene.sandbox, {});
    const before = visible(scene);
    await expect(pullInto(scene.local.folder, scene.source, { deps: failingAt("tree-written") })).rejects.toThrow("gave way");
    expect([visible(scene), scene.local("status", "--porcelain"), inFerry(scene)]).toEqual([before, "", []]);
    await pullExactly(scene);
  });
});

describe("line ends that git takes for others", () => {
  it.each(["* text=auto\n", "* text=auto eol=crlf\n", "* text\n"])("mixed, by %j", async (attributes) => {
    const scene = makeScene({ files: { a: "a\n", mixed: "1\n2\n3\n" } });
    writeFile(scene.local, ".git/info/attributes", attributes);
    writeFile(scene.local, "mixed", "1\r\n2\n3\r\n");
    commitFiles(scene.sandbox, { a: "A\n", mixed: "1\r\n2\r\n3\r\n" });
    scene.local("add", "--update");
    expect(scene.local("diff", "--name-only")).toBe("");
    const before = visible(scene);
    await ended(startPull(scene, "tree-written"));
    expect(content(scene, "mixed")).not.toBe("1\r\n2\n3\r\n");
    await pullInto(scene.local.folder, scene.source, { dryRun: true });
    expect([visible(scene), inFerry(scene)]).toEqual([before, []]);
  });
});

describe("and someone writes meanwhile", () => {
  const killed = async () => {
    const scene = makeNotebook();
    await ended(startPull(scene, "tree-written"));
    return scene;
  };
  const taken = (scene: Scene) => pullInto(scene.local.folder, scene.source, { dryRun: true });
  const told = (path: string) => ({ kind: "attention", details: [`${path}, which was changed meanwhile`] });

  it("what came: that stays, and what was there is kept", async () => {
    const scene = await killed();
    writeFile(scene.local, "z.nb", "in mine\n");
    await expect(taken(scene)).rejects.toMatchObject(told("z.nb"));
    expect(content(scene, "z.nb")).toBe("in mine\n");
    expect([rescued(scene, "z.nb"), rescued(scene, "z.nb.2")]).toEqual(["in mine\n", "in z\nout of z\n"]);
    expect(content(scene, "nb/one.nb")).toBe("in 1\nout of one\n");
    expect(inFerry(scene)).toEqual(["rescue"]);
  });

  it("what git takes for what came: what was there comes back, and theirs is kept", async () => {
    const scene = await killed();
    writeFile(scene.local, "z.nb", "in Z\nout of Z\n");
    await expect(taken(scene)).rejects.toMatchObject(told("z.nb"));
    expect([content(scene, "z.nb"), rescued(scene, "z.nb")]).toEqual(["in z\nout of z\n", "in Z\nout of Z\n"]);
  });

  it("what git takes for what was there: that stays, and what was there is kept", async () => {
    const scene = await killed();
    writeFile(scene.local, "z.nb", "in z\nout of another\n");
    await expect(taken(scene)).rejects.toMatchObject(told("z.nb"));
    expect(content(scene, "z.nb")).toBe("in z\nout of another\n");
    expect(rescued(scene, "z.nb.2")).toBe("in z\nout of z\n");
  });

  it("where a file was that goes: that stays, and the file is kept", async () => {
    const scene = await killed();
    rmSync(`${scene.local.folder}/nb`, { recursive: true, force: true });
    writeFile(scene.local, "nb", "mine\n");
    await expect(taken(scene)).rejects.toMatchObject({ kind: "attention" });
    expect([content(scene, "nb"), rescued(scene, "nb%2Fone.nb")]).toEqual(["mine\n", "in 1\nout of one\n"]);
  });

  it("a commit: nothing is touched, and what was there is kept", async () => {
    const scene = await killed();
    for (const lock of ["HEAD.lock", "refs/heads/main.lock"])
      await expect.poll(() => existsSync(`${scene.local.folder}/.git/${lock}`)).toBe(false);
    scene.local("commit", "--quiet", "--allow-empty", "-m", "mine");
    const status = scene.local("status", "--porcelain");
    await expect(taken(scene)).rejects.toMatchObject({
      details: ["nb/one.nb", "z.nb"],
      hint: expect.stringContaining(".git/ferry/rescue") as string,
    });
    expect([content(scene, "z.nb"), rescued(scene, "z.nb")]).toEqual(["in Z\n", "in z\nout of z\n"]);
    expect([scene.local("status", "--porcelain"), inFerry(scene)]).toEqual([status, ["rescue"]]);
  });
});

it("a file is the very one again, with its times", async () => {
  const scene = makeScene();
  const file = `${scene.local.folder}/a`;
  commitFiles(scene.sandbox, { a: "A\n" });
  const before = lstatSync(file);
  await expect(pullInto(scene.local.folder, scene.source, { deps: failingAt("tree-written") })).rejects.toThrow("gave way");
  expect(lstatSync(file)).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs, nlink: before.nlink });
});

describe.runIf(isMounted)("in a worktree on another file system, which no link leads to", () => {
  it("the bytes come back, by a copy", async () => {
    const scene = makeNotebook();
    const linked = gitIn(`${disk}/linked`);
    scene.local("worktree", "add", "--quiet", "--detach", linked.folder);
    writeFile(linked, "z.nb", "in z\nout of z\n");
    linked("add", "--update");
    const there = { ...scene, local: linked };
    const before = visible(there);
    await expect(pullInto(linked.folder, scene.source, { deps: failingAt("tree-written") })).rejects.toThrow("gave way");
    expect([visible(there), inFerry(scene)]).toEqual([before, []]);
    expect(content(there, "z.nb")).toBe("in z\nout of z\n");
  });
});
