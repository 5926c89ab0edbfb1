import { execFileSync } from "node:child_process";
import { chmodSync, lstatSync, readdirSync, readFileSync, rmSync, statSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { FerryError } from "../../src/base/errors.ts";
import type { Checkpoint } from "../../src/patch/request.ts";
import { commitFiles, gitBytes, makeRepository, type TestGit, writeFile } from "../support/git.ts";
import { edited, refusedBy } from "../support/parking.ts";
import { pullInto } from "../support/pulling.ts";
import { makeScene, pullExactly, removeScenes, type Scene } from "../support/scene.ts";
import { stateOf } from "../support/state.ts";

afterAll(removeScenes);

const precious = "PRECIOUS\n";

/** A series that changes `a` and `b`, while `a` has changes that go with it. */
function makeDirty(): Scene {
  const scene = makeScene({ files: { a: edited({}), b: edited({}), z: edited({}), "d/x": "1\n" } });
  commitFiles(scene.sandbox, { a: edited({ 1: "top" }), b: edited({ 1: "top" }) });
  writeFile(scene.local, "a", edited({ 9: "mine" }));
  return scene;
}

const replace = (path: string, make: (git: TestGit) => void) => (git: TestGit) => {
  rmSync(join(git.folder, path), { recursive: true });
  make(git);
};
const folder = (path: string) => replace(path, (git) => writeFile(git, `${path}/n`, precious));
const fifo = (path: string) => replace(path, ({ folder }) => void execFileSync("mkfifo", [join(folder, path)]));
const clone = (path: string) =>
  replace(path, ({ folder }) => void commitFiles(makeRepository(join(folder, path)), { p: precious }));
const assumed = (path: string, bit: string) => (git: TestGit) => {
  git("update-index", bit, path);
  writeFile(git, path, precious);
};

const besides: Readonly<Record<string, (git: TestGit) => void>> = {
  "a folder in place of a file": folder("z"),
  "an embedded clone in place of a file": clone("z"),
  "a fifo in place of a file": fifo("z"),
  "a file in place of a folder": replace("d", (git) => writeFile(git, "d", precious)),
  "a file in place of a folder, staged for deletion": (git) => {
    git("rm", "--quiet", "-r", "d");
    writeFile(git, "d", precious);
  },
  "a fifo in place of a folder": fifo("d"),
  "assume-unchanged": assumed("z", "--assume-unchanged"),
  "skip-worktree": assumed("z", "--skip-worktree"),
  "CRLF that git would drop": (git) => {
    git("config", "core.autocrlf", "input");
    writeFile(git, "z", "one\r\ntwo\r\n");
  },
  "a mode that git doesn't keep": (git) => {
    writeFile(git, "z", precious);
    chmodSync(`${git.folder}/z`, 0o600);
  },
  "intent to add": (git) => {
    writeFile(git, "i", precious);
    git("add", "-N", "i");
  },
};

const inTheWay: Readonly<Record<string, readonly [path: string, make: (git: TestGit) => void, why: string]>> = {
  "a folder in place of a file": ["a", folder("a"), "is a folder where git has a file"],
  "an embedded clone in place of a file": ["b", clone("b"), "is a folder where git has a file"],
  "a folder in place of a file that is staged for deletion": [
    "b",
    (git) => {
      git("rm", "--quiet", "--cached", "b");
      folder("b")(git);
    },
    "is a folder where git has a file",
  ],
  "a fifo in place of a file": ["b", fifo("b"), "is neither a file nor a link"],
  "assume-unchanged": ["b", assumed("b", "--assume-unchanged"), "is out of git's sight"],
  "skip-worktree": ["b", assumed("b", "--skip-worktree"), "is out of git's sight"],
  "CRLF that git would drop": [
    "b",
    (git) => {
      git("config", "core.autocrlf", "input");
      writeFile(git, "b", edited({ 9: "mine" }).replaceAll("\n", "\r\n"));
    },
    "has bytes that git would not give back",
  ],
  "a filter that fails": [
    "b",
    (git) => {
      for (const [name, value] of [
        ["clean", "sed s/x/y/"],
        ["smudge", "false"],
        ["required", "true"],
      ] as const)
        git("config", `filter.f.${name}`, value);
      writeFile(git, ".git/info/attributes", "b filter=f\n");
      writeFile(git, "b", edited({ 9: "mine" }));
    },
    "has bytes that git would not give back",
  ],
};

/** All below a folder, embedded git folders included, fifos by name. */
function bytesOf(path: string): Record<string, string> {
  const found: Record<string, string> = {};
  const walk = (name: string) => {
    const status = lstatSync(join(path, name));
    if (status.isDirectory()) for (const each of readdirSync(join(path, name))) walk(join(name, each));
    else found[name] = status.isFile() ? `${status.mode} ${readFileSync(join(path, name), "latin1")}` : "special";
  };
  for (const name of readdirSync(path)) if (name !== ".git") walk(name);
  return found;
}

describe("--autostash leaves alone what isn't in its way", () => {
  it.each(Object.keys(besides))("%s", async (name) => {
    const scene = makeDirty();
    besides[name]?.(scene.local);
    const before = bytesOf(scene.local.folder);
    const status = scene.local("status", "--porcelain");
    const inodes = Object.keys(before).map((path) => lstatSync(join(scene.local.folder, path)).ino);
    await pullExactly(scene, { autostash: true });
    expect(bytesOf(scene.local.folder)).toMatchObject({
      ...before,
      a: before["a"]?.replace("\n1\n", "\ntop\n"),
      b: before["b"]?.replace("\n1\n", "\ntop\n"),
    });
    expect(scene.local("status", "--porcelain")).toBe(status);
    const changed = Object.keys(before).filter((path, at) => lstatSync(join(scene.local.folder, path)).ino !== inodes[at]);
    expect(changed.filter((path) => path !== "a" && path !== "b")).toEqual([]);
    expect(scene.local("stash", "list")).toBe("");
  });
});

describe("--autostash refuses what git would not give back", () => {
  it.each(Object.keys(inTheWay))("%s", async (name) => {
    const scene = makeDirty();
    const [path, make, why] = inTheWay[name] ?? expect.fail();
    make(scene.local);
    const before = bytesOf(scene.local.folder);
    const state = () => ({ refs: scene.local("for-each-ref"), index: scene.local("ls-files", "--stage", "-v") });
    const [refs, objects] = [state(), scene.local("count-objects")];
    const error = await refusedBy(pullInto(scene.local.folder, scene.source, { autostash: true }));
    expect(error.kind).toBe("attention");
    expect(error.message).toContain(`${path} ${why}`);
    expect(error.hint).toContain(path);
    expect(bytesOf(scene.local.folder)).toEqual(before);
    expect([state(), scene.local("count-objects")]).toEqual([refs, objects]);
    expect(readdirSync(`${scene.local.folder}/.git/ferry`)).toEqual([]);
  });

  it("an untracked file: says why, once", async () => {
    const scene = makeDirty();
    commitFiles(scene.sandbox, { n: "n\n" });
    writeFile(scene.local, "n", precious);
    const error = await refusedBy(pullInto(scene.local.folder, scene.source, { autostash: true }));
    expect(error.message).toBe("--autostash puts changes of tracked files away, and not this: n is here, but not in git");
    expect(error.hint).toBe("nothing was changed; move it away, then try again");
    expect([error.details, error.verdict.blocked_by]).toEqual([[], ["a", "n"]]);
  });

  it.each(["promoted", "prepared", "checked"] as const)("an edit that comes at %s", async (at) => {
    const scene = makeDirty();
    const checkpoint = (name: Checkpoint) => {
      if (name === at) writeFile(scene.local, "a", precious);
      return Promise.resolve();
    };
    const pulled = pullInto(scene.local.folder, scene.source, { autostash: true, deps: { checkpoint } });
    await expect(pulled).rejects.toBeInstanceOf(FerryError);
    expect(readFileSync(`${scene.local.folder}/a`, "utf8")).toBe(precious);
    expect(scene.local("rev-parse", "HEAD")).toBe(scene.base);
  });
});

describe("--autostash keeps the permissions of what it takes along", () => {
  const permissions = (scene: Scene) =>
    ["a", "b", "z"].map((path) => (statSync(`${scene.local.folder}/${path}`).mode & 0o777).toString(8));
  const make = (local: string) => {
    const scene = makeScene({ files: { a: edited({}), b: edited({}), z: edited({}) } });
    commitFiles(scene.sandbox, { a: edited({ 1: "theirs" }), b: edited({ 1: "theirs" }) });
    chmodSync(`${scene.sandbox.folder}/b`, 0o755);
    commitFiles(scene.sandbox, {});
    writeFile(scene.local, "a", local);
    writeFile(scene.local, "b", edited({ 9: "mine" }));
    for (const [path, mode] of Object.entries({ a: 0o600, b: 0o640, z: 0o600 })) chmodSync(`${scene.local.folder}/${path}`, mode);
    return scene;
  };

  it("that comes back merged", async () => {
    const scene = make(edited({ 9: "mine" }));
    await pullExactly(scene, { autostash: true });
    expect(permissions(scene)).toEqual(["600", "750", "600"]);
  });

  it("that conflicts", async () => {
    const scene = make(edited({ 1: "mine" }));
    await expect(pullInto(scene.local.folder, scene.source, { autostash: true })).rejects.toMatchObject({
      code: "stash_conflict",
    });
    expect(permissions(scene)).toEqual(["600", "750", "600"]);
  });

  it("in a pull that is taken back", async () => {
    const scene = make(edited({ 9: "mine" }));
    const before = stateOf(scene.local.folder);
    const checkpoint = (name: Checkpoint) => (name === "tree-written" ? Promise.reject(new Error("late")) : Promise.resolve());
    await expect(pullInto(scene.local.folder, scene.source, { autostash: true, deps: { checkpoint } })).rejects.toThrow("late");
    expect({ ...stateOf(scene.local.folder), objects: "" }).toEqual({ ...before, objects: "" });
    // Of any pull, not of this one only.
    scene.local("checkout", "--quiet", "a", "b");
    chmodSync(`${scene.local.folder}/a`, 0o600);
    const plain = stateOf(scene.local.folder);
    await expect(pullInto(scene.local.folder, scene.source, { deps: { checkpoint } })).rejects.toThrow("late");
    expect({ ...stateOf(scene.local.folder), objects: "" }).toEqual({ ...plain, objects: "" });
  });
});

const kinds: Readonly<Record<string, (path: string) => (git: TestGit) => void>> = {
  edit: (path) => (git) => writeFile(git, path, edited({ 9: path })),
  conflict: (path) => (git) => writeFile(git, path, edited({ 1: path })),
  staged: (path) => (git) => {
    writeFile(git, path, edited({ 7: "staged" }));
    git("add", path);
    writeFile(git, path, edited({ 7: "staged", 9: "more" }));
  },
  deleted:
    (path) =>
    ({ folder }) =>
      unlinkSync(join(folder, path)),
  "staged deletion": (path) => (git) => void git("rm", "--quiet", path),
  unlisted: (path) => (git) => {
    git("rm", "--quiet", "--cached", path);
    writeFile(git, path, precious);
  },
  folder,
  fifo,
  clone,
  assumed: (path) => assumed(path, "--assume-unchanged"),
  skipped: (path) => assumed(path, "--skip-worktree"),
  mode:
    (path) =>
    ({ folder }) =>
      chmodSync(join(folder, path), 0o755),
  added: (path) => (git) => {
    writeFile(git, `${path}2`, precious);
    git("add", `${path}2`);
  },
  announced: (path) => (git) => {
    writeFile(git, `${path}2`, precious);
    git("add", "-N", `${path}2`);
  },
  untracked: (path) => (git) => writeFile(git, `${path}2`, precious),
};

it("whatever lies around: no byte is lost, neither in the tree nor by a conflict", async () => {
  const outcomes = { came: 0, stash: 0, refused: 0 };
  const dirt = fc.constantFrom("", ...Object.keys(kinds));
  const mild = fc.oneof({ weight: 3, arbitrary: fc.constantFrom("edit", "staged", "conflict") }, { weight: 1, arbitrary: dirt });
  const seldom = fc.oneof({ weight: 2, arbitrary: fc.constant("") }, { weight: 1, arbitrary: dirt });
  const run = async (plan: Readonly<Record<"a" | "b" | "z", string>>) => {
    const scene = makeScene({ files: { a: edited({}), b: edited({}), z: edited({}) } });
    commitFiles(scene.sandbox, { a: edited({ 1: "top" }), b: null, a2: "theirs\n" });
    for (const path of ["a", "b", "z"] as const) kinds[plan[path]]?.(path)(scene.local);
    const { folder } = scene.local;
    const before = bytesOf(folder);
    let error: FerryError | undefined;
    try {
      await pullInto(folder, scene.source, { autostash: true });
    } catch (cause) {
      if (!(cause instanceof FerryError) || cause.kind !== "attention") throw cause;
      error = cause;
    }
    const after = bytesOf(folder);
    if (scene.local("rev-parse", "HEAD") === scene.base) {
      outcomes.refused += 1;
      expect(after).toEqual(before);
      expect(scene.local("stash", "list")).toBe("");
      return;
    }
    const isStashed = scene.local("stash", "list") !== "";
    expect(isStashed).toBe(error !== undefined);
    outcomes[isStashed ? "stash" : "came"] += 1;
    for (const [path, content] of Object.entries(before)) {
      const text = content.slice(content.indexOf(" ") + 1);
      const mine = isStashed
        ? () =>
            gitBytes(folder, ["ls-tree", "-r", "--name-only", "stash@{0}", path]).length > 0 &&
            gitBytes(folder, ["show", `stash@{0}:${path}`]).toString("latin1") === text
        : () => false;
      const merged = text
        .split("\n")
        .filter((line) => line !== "1")
        .join("\n");
      const kept = after[path]?.replace("\ntop\n", "\n").includes(merged) === true || after[path] === content;
      const isSeries = text === edited({}) || (path === "a" && text === edited({ 1: "top" }));
      if (!kept && !isSeries && !mine()) expect.fail(`${path} (${JSON.stringify(plan)}) is lost`);
    }
  };
  await fc.assert(fc.asyncProperty(fc.record({ a: mild, b: seldom, z: dirt }), run), {
    numRuns: Number(process.env["FERRY_TEST_RUNS"] ?? 12),
    endOnFailure: true,
    seed: Number(process.env["FERRY_TEST_SEED"] ?? 7),
  });
  expect(Math.min(...Object.values(outcomes))).toBeGreaterThan(0);
}, 120_000);
