import { chmodSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import type { Checkpoint, PullDeps } from "../../src/patch/request.ts";
import { commitFiles, headOf, writeFile } from "../support/git.ts";
import { edited } from "../support/parking.ts";
import { makeDeps, pullInto } from "../support/pulling.ts";
import { makeScene, pullExactly, removeScenes, type Scene } from "../support/scene.ts";

/** What a pull that is taken back does to what others do meanwhile, and to what git doesn't record. */

afterAll(removeScenes);

const content = ({ local }: Pick<Scene, "local">, path: string) => readFileSync(`${local.folder}/${path}`, "utf8");

function save({ local: { folder } }: Scene, path: string, text = "mine\n"): void {
  writeFileSync(`${folder}/.saving`, text);
  renameSync(`${folder}/.saving`, `${folder}/${path}`);
}

function at(place: Checkpoint, act: () => void): Partial<PullDeps> {
  let isDone = false;
  return {
    checkpoint: async (name) => {
      if (name !== place || isDone) return;
      isDone = true;
      act();
    },
  };
}

function broken(): never {
  throw new Error("broken");
}

const rescued = ({ local }: Scene): string[] => {
  const folder = `${local.folder}/.git/ferry/rescue`;
  return readdirSync(folder).map((name) => readFileSync(`${folder}/${name}`, "utf8"));
};

describe("a file that is saved while a pull is taken back", () => {
  it("stays, also where it had been looked at already", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "A\n", b: "B\n", c: null });
    const { git } = makeDeps();
    let isLate = false;
    const looking: typeof git = {
      ...git,
      stream: (args, options) => {
        // The file before it has been taken for what the pull wrote by now.
        if (args.includes("--filters") && args.includes("--path=b") && !isLate) {
          isLate = true;
          save(scene, "a");
        }
        return git.stream(args, options);
      },
    };
    const deps = at("tree-written", () => {
      save(scene, "b", "theirs\n");
      broken();
    });
    await expect(pullInto(scene.local.folder, scene.source, { deps: { ...deps, git: looking } })).rejects.toMatchObject({
      kind: "attention",
      details: ["b, which was changed meanwhile", "a, which was changed meanwhile"],
    });
    expect(isLate).toBe(true);
    expect([content(scene, "a"), content(scene, "b"), scene.local("status", "--porcelain"), headOf(scene.local)]).toEqual([
      "mine\n",
      "theirs\n",
      " M a\n M b",
      scene.base,
    ]);
    expect(rescued(scene).toSorted()).toEqual(["mine\n", "theirs\n"]);
    expect(readdirSync(`${scene.local.folder}/.git/ferry`)).toEqual(["rescue"]);
    scene.local("checkout", "--quiet", "a", "b");
    await pullExactly(scene);
  });
});

describe("local changes that came along with --autostash", () => {
  it.each(["tree-started", "tree-written"] as const)("are kept where their file was made anew at %s", async (place) => {
    const scene = makeScene({ files: { a: edited({}), b: "b\n" } });
    commitFiles(scene.sandbox, { a: edited({ 9: "theirs" }), b: "B\n" });
    writeFileSync(`${scene.local.folder}/a`, edited({ 1: "mine" }));
    const deps = at(place, () => {
      save(scene, "a", "made anew\n");
      if (place === "tree-written") broken();
    });
    await expect(pullInto(scene.local.folder, scene.source, { autostash: true, deps })).rejects.toMatchObject({
      kind: "attention",
      details: ["a, which was changed meanwhile"],
    });
    expect(content(scene, "a")).toBe("made anew\n");
    expect(rescued(scene).toSorted()).toEqual([edited({ 1: "mine" }), "made anew\n"].toSorted());
  });
});

describe("a folder that goes with its last file, and comes back", () => {
  it.each([0o700, 0o750, 0o2770, 0o500])("has the permissions that it had: %o", async (mode) => {
    const scene = makeScene({ files: { "priv/in/key": "k\n", a: "a\n" } });
    commitFiles(scene.sandbox, { "priv/in/key": null, a: "A\n" });
    const folders = ["priv", "priv/in"].map((name) => `${scene.local.folder}/${name}`);
    for (const folder of folders.toReversed()) chmodSync(folder, mode);
    const modes = () => folders.map((folder) => statSync(folder).mode & 0o7777);
    const before = modes();
    await expect(pullInto(scene.local.folder, scene.source, { deps: at("tree-written", broken) })).rejects.toThrow("broken");
    expect([modes(), content(scene, "priv/in/key"), scene.local("status", "--porcelain")]).toEqual([before, "k\n", ""]);
  });

  it("isn't made where nothing comes back into it", async () => {
    const scene = makeScene({ files: { "priv/key": "k\n", a: "a\n" } });
    commitFiles(scene.sandbox, { "priv/key": null, a: "A\n" });
    const deps = at("tree-written", () => {
      writeFile(scene.local, "priv", "a file by now\n");
      broken();
    });
    await expect(pullInto(scene.local.folder, scene.source, { deps })).rejects.toMatchObject({ kind: "attention" });
    expect(content(scene, "priv")).toBe("a file by now\n");
  });
});
