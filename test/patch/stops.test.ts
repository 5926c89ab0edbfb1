import { execFileSync } from "node:child_process";
import { lstatSync, readFileSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { commitFiles, gitBytes, gitIn, type TestGit, writeFile } from "../support/git.ts";
import { edited, parkIn, refusedBy, resume } from "../support/parking.ts";
import { pullInto } from "../support/pulling.ts";
import { makeScene, removeScenes, type Scene } from "../support/scene.ts";

afterAll(removeScenes);

interface Kind {
  readonly config?: Readonly<Record<string, string>>;
  readonly theirs: (git: TestGit) => unknown;
  readonly ours: (git: TestGit) => unknown;
}

const remove = (git: TestGit, ...paths: string[]) => git("rm", "--quiet", "-r", ...paths);
const commit = (git: TestGit, message: string) => git("commit", "--quiet", "-m", message);
const link = (git: TestGit, path: string, target: string) => {
  symlinkSync(target, join(git.folder, path));
  return git("add", path);
};
const add = (git: TestGit, path: string, content: string | Uint8Array) => {
  writeFile(git, path, content);
  return git("add", path);
};

const attributes =
  "*.lock binary\n*.log merge=union\nlong conflict-marker-size=12\n*.my merge=my\n*.own merge=own\n*.strict filter=strict\n";
const attributed = ["a.lock", "a.log", "long", "a.my", "a.own", "p"];
const changeAll = (git: TestGit, content: string) => {
  for (const path of attributed) add(git, path, content);
};

const kinds: Readonly<Record<string, Kind>> = {
  "changed there, deleted here": { theirs: (git) => add(git, "p", "theirs\n"), ours: (git) => remove(git, "p") },
  "deleted there, changed here": { theirs: (git) => remove(git, "p"), ours: (git) => add(git, "p", "mine\n") },
  "added on both sides": { theirs: (git) => add(git, "new", "theirs\n"), ours: (git) => add(git, "new", "mine\n") },
  binary: {
    theirs: (git) => add(git, "p", Uint8Array.of(0, 1, 2)),
    ours: (git) => add(git, "p", Uint8Array.of(0, 3, 4)),
  },
  "renamed to two names": {
    theirs: (git) => git("mv", "q/long", "theirs"),
    ours: (git) => git("mv", "q/long", "mine"),
  },
  "renamed there, changed here": {
    theirs: (git) => (git("mv", "q/long", "moved"), add(git, "moved", edited({ 1: "theirs" }))),
    ours: (git) => add(git, "q/long", edited({ 1: "mine", 4: "mine" })),
  },
  "a folder there, a file here": { theirs: (git) => add(git, "d/in", "theirs\n"), ours: (git) => add(git, "d", "mine\n") },
  "a file there, a folder here": { theirs: (git) => add(git, "d", "theirs\n"), ours: (git) => add(git, "d/in", "mine\n") },
  links: { theirs: (git) => link(git, "l", "theirs"), ours: (git) => link(git, "l", "mine") },
  modes: {
    theirs: (git) => (add(git, "p", "theirs\n"), git("update-index", "--chmod=+x", "p")),
    ours: (git) => add(git, "p", "mine\n"),
  },
  "attributes of the tree": {
    config: { "merge.my.driver": "cp %B %A", "merge.own.driver": "sh ./tools/merge.sh %A %B" },
    theirs: (git) => changeAll(git, "theirs\n"),
    ours: (git) => changeAll(git, "mine\n"),
  },
  "a clean filter that takes no markers": {
    config: {
      "filter.strict.clean": "t=$(cat; echo .); case $t in *'<<<<'*) exit 1;; esac; printf %s \"${t%.}\"",
      "filter.strict.smudge": "cat",
      "filter.strict.required": "true",
    },
    theirs: (git) => add(git, "a.strict", "theirs\n"),
    ours: (git) => add(git, "a.strict", "mine\n"),
  },
  "a folder that becomes a link": {
    theirs: (git) => {
      remove(git, "q");
      link(git, "q", "tools");
      return add(git, "p", "theirs\n");
    },
    ours: (git) => add(git, "p", "mine\n"),
  },
  "a submodule there, a file here": {
    theirs: (git) => git("update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},d`),
    ours: (git) => add(git, "d", "mine\n"),
  },
};

/** All that a worktree has, and what git says of it. */
function stateOf(git: TestGit) {
  const files = execFileSync("find", [".", "-name", ".git", "-prune", "-o", "-printf", "%y %m %P %l\\n"], {
    cwd: git.folder,
    encoding: "utf8",
  });
  const contents = git("ls-files", "--others", "--cached", "--deduplicate")
    .split("\n")
    .map((path) => {
      const status = lstatSync(join(git.folder, path), { throwIfNoEntry: false });
      return status?.isFile() === true ? [path, readFileSync(join(git.folder, path), "latin1")] : [path];
    });
  return {
    files: files.split("\n").sort(),
    contents,
    index: git("ls-files", "--stage"),
    status: git("status", "--porcelain=v2", "--branch", "--ignored"),
    message: readFileSync(git("rev-parse", "--git-path", "MERGE_MSG").replace(/^(?!\/)/u, `${git.folder}/`), "utf8"),
    pick: git("rev-parse", "CHERRY_PICK_HEAD"),
    merged: git("rev-parse", "AUTO_MERGE"),
  };
}

const base = {
  ...Object.fromEntries(attributed.map((path) => [path, "base\n"])),
  ".gitattributes": attributes,
  "tools/merge.sh": 'cp "$2" "$1"\n',
  f: edited({}),
  p: "p\n",
  "q/long": edited({}),
  "q/other": "other\n",
  z: "z\n",
};

/** The last commit of the sandbox and the user's own, which don't fit together. */
function makeClash({ sandbox, local }: Scene, { config = {}, theirs, ours }: Kind): void {
  for (const [name, value] of Object.entries(config)) local("config", name, value);
  theirs(sandbox);
  add(sandbox, "besides", "besides\n");
  commit(sandbox, "clash");
  ours(local);
  add(local, "f", edited({ 2: "mine" }));
  commit(local, "mine");
}

/** Git's own cherry-pick of the commit that stands in a working copy, in another one. */
function plainPick(git: TestGit, local: TestGit): TestGit {
  const folder = `${local.folder}-twin`;
  local("worktree", "add", "--quiet", "--detach", folder, git("rev-parse", "HEAD"));
  const twin = gitIn(folder);
  expect(() => twin("cherry-pick", "--allow-empty", git("rev-parse", "CHERRY_PICK_HEAD"))).toThrow();
  return twin;
}

describe("a stop is what git's own cherry-pick leaves", () => {
  it.each(Object.entries(kinds))("the next one of a parked pull: %s", async (_, kind) => {
    const scene = makeScene({ files: base });
    commitFiles(scene.sandbox, { f: edited({ 2: "theirs" }) }, "one");
    commitFiles(scene.sandbox, { z: "new z\n", "more/m": "m\n" }, "two");
    makeClash(scene, kind);
    const tree = await parkIn(scene);
    writeFile(tree, "f", edited({ 2: "both" }));
    tree("add", "f");
    await refusedBy(resume(scene.local.folder, "continue"));
    expect(stateOf(tree)).toEqual(stateOf(plainPick(tree, scene.local)));
  });

  it.each(Object.entries(kinds))("here: %s", async (_, kind) => {
    const scene = makeScene({ files: base });
    commitFiles(scene.sandbox, { z: "new z\n", "more/m": "m\n" }, "one");
    makeClash(scene, kind);
    scene.local("switch", "--quiet", "--detach");
    await refusedBy(pullInto(scene.local.folder, scene.source, { onConflict: "here" }));
    expect(stateOf(scene.local)).toEqual(stateOf(plainPick(scene.local, scene.local)));
  });

  it("a merge driver that resolves it: the message is as git leaves it, byte for byte", async () => {
    const message = "subj\n\n#42 is fixed by this\n\n\n  keep  \n# not a comment\n";
    const scene = makeScene({ files: { f: "f\n" } });
    commitFiles(scene.sandbox, { f: "theirs\n" }, message);
    commitFiles(scene.local, { f: "mine\n" }, "mine");
    scene.local("config", "merge.my.driver", "cp %B %A");
    writeFile(scene.local, ".git/info/attributes", "f merge=my\n");
    await pullInto(scene.local.folder, scene.source, { onConflict: "here" });
    const of = (folder: string) => gitBytes(folder, ["log", "-1", "--format=%B"]).toString();
    expect(of(scene.local.folder)).toBe(of(scene.sandbox.folder));
    expect(of(scene.local.folder)).toContain("#42 is fixed by this");
  });

  it("a merge driver that leaves nothing of it: git's own stop", async () => {
    const scene = makeScene({ files: { f: "f\n" } });
    commitFiles(scene.sandbox, { f: "theirs\n" }, "one");
    commitFiles(scene.local, { f: "mine\n" }, "mine");
    scene.local("config", "merge.ours.driver", "true");
    writeFile(scene.local, ".git/info/attributes", "f merge=ours\n");
    await refusedBy(pullInto(scene.local.folder, scene.source, { onConflict: "here" }));
    expect(scene.local("rev-parse", "CHERRY_PICK_HEAD")).toBe(scene.sandbox("rev-parse", "HEAD"));
    expect(scene.local("status", "--porcelain")).toBe("");
  });

  it("with a merge driver: attributes and folders of the user's own are read, and never written to", async () => {
    const scene = makeScene({ files: { f: "f\n", "a.log": "base\n" } });
    commitFiles(scene.sandbox, { f: "theirs\n", "a.log": "theirs\n", "own/new": "new\n" }, "one");
    commitFiles(scene.local, { f: "mine\n", "a.log": "mine\n" }, "mine");
    scene.local("config", "merge.u.driver", "cp %B %A");
    writeFile(scene.local, ".gitattributes", "*.log merge=u\n# only here\n");
    writeFile(scene.local, "own/file", "own\n");
    const before = lstatSync(`${scene.local.folder}/.gitattributes`, { bigint: true });
    await refusedBy(pullInto(scene.local.folder, scene.source, { onConflict: "here" }));
    expect(lstatSync(`${scene.local.folder}/.gitattributes`, { bigint: true })).toMatchObject({
      mtimeNs: before.mtimeNs,
      ino: before.ino,
    });
    expect(scene.local("status", "--porcelain")).toBe("M  a.log\nUU f\nA  own/new\n?? .gitattributes\n?? own/file");
  });

  it("a filter that was turned off stays so, and a path with a percent sign is none of git's", async () => {
    const scene = makeScene({
      files: { f: "f\n", "1.up": "old\n", "1.on": "old\n", ".gitattributes": "*.up filter=up\n*.on filter=on\n" },
    });
    commitFiles(scene.sandbox, { f: "theirs\n", "1.up": "new\n", "1.on": "new\n" }, "one");
    commitFiles(scene.local, { f: "mine\n" }, "mine");
    const folder = `${scene.local.folder}-50%%%free`;
    renameSync(scene.local.folder, folder);
    const local = gitIn(folder);
    for (const value of ["tr a-z A-Z", ""]) local("config", "--add", "filter.up.smudge", value);
    local("config", "filter.on.smudge", "tr a-z A-Z");
    local("config", "filter.on.clean", "tr A-Z a-z");
    await refusedBy(pullInto(folder, scene.source, { onConflict: "here" }));
    expect([readFileSync(`${folder}/1.up`, "utf8"), readFileSync(`${folder}/1.on`, "utf8")]).toEqual(["new\n", "NEW\n"]);
  });
});
