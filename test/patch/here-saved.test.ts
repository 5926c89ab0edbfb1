import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import type { Checkpoint } from "../../src/patch/request.ts";
import { ended, startPull } from "../support/dying.ts";
import { commitFiles, gitBytes, writeFile } from "../support/git.ts";
import { edited, refusedBy } from "../support/parking.ts";
import { pullInto } from "../support/pulling.ts";
import { makeScene, removeScenes, type Scene } from "../support/scene.ts";

afterAll(removeScenes);

const ups = { "1.up": "old 1\n", "2.up": "old 2\n", "3.up": "old 3\n" };

/** A commit that fits, and one that doesn't and changes more besides. */
function make(attributes = "*.up filter=slow\n"): Scene {
  const scene = makeScene({ files: { f: edited({}), ".gitattributes": attributes, "filter.sh": "tr a-z A-Z\n", ...ups } });
  commitFiles(scene.sandbox, { n: "n\n" }, "one");
  commitFiles(
    scene.sandbox,
    { f: edited({ 2: "theirs" }), "1.up": "new 1\n", "2.up": "new 2\n", "3.up": "new 3\n", come: "come\n" },
    "two",
  );
  commitFiles(scene.local, { f: edited({ 2: "mine" }) }, "mine");
  return scene;
}

/** Nothing was picked: what fits came, and the user's own is there. */
function expectNotPicked({ local }: Scene, status: string): void {
  expect(local("log", "--format=%s")).toBe("one\nmine\nbase");
  expect(existsSync(`${local.folder}/.git/CHERRY_PICK_HEAD`)).toBe(false);
  expect(local("status", "--porcelain")).toBe(status);
  expect(readdirSync(`${local.folder}/.git/ferry`).filter((name) => name !== "rescue")).toEqual([]);
  expect(local("fsck", "--strict", "--no-dangling")).toBe("");
}

function saveOver(file: string, content: string): void {
  writeFileSync(`${file}~`, content);
  renameSync(`${file}~`, file);
}

describe("what is saved while a pull stops at a conflict here", () => {
  it("while git makes the files, as by a slow filter: it stays, and nothing is picked", async () => {
    const scene = make();
    const { folder } = scene.local;
    const script = `${folder}/../save`;
    writeFileSync(
      script,
      `cat; cd '${folder}' || exit 1; echo 'an hour' > s.tmp; mv s.tmp 3.up; echo more >> 2.up; echo mine > come\n`,
    );
    scene.local("config", "filter.slow.smudge", `sh '${script}'`);
    scene.local("config", "filter.slow.clean", "cat");
    const error = await refusedBy(pullInto(folder, scene.source, { onConflict: "here" }));
    expect(error).toMatchObject({ kind: "attention", verdict: { blocked_by: ["2.up", "3.up", "come"] } });
    expect(readFileSync(`${folder}/3.up`, "utf8")).toBe("an hour\n");
    expect(readFileSync(`${folder}/2.up`, "utf8")).toMatch(/^old 2\n(more\n)+$/u);
    expect(readFileSync(`${folder}/come`, "utf8")).toBe("mine\n");
    expectNotPicked(scene, " M 2.up\n M 3.up\n?? come");
  });

  const saves: Readonly<Record<string, { save: (folder: string) => void; status: string; blocked: string }>> = {
    "over a file": { save: (folder) => saveOver(`${folder}/3.up`, "an hour\n"), status: " M 3.up", blocked: "3.up" },
    "where a file comes": { save: (folder) => writeFileSync(`${folder}/come`, "mine\n"), status: "?? come", blocked: "come" },
    "a folder where a file comes": {
      save: (folder) => {
        mkdirSync(`${folder}/come`);
        writeFileSync(`${folder}/come/in`, "mine\n");
      },
      status: "?? come/",
      blocked: "come",
    },
  };
  it.each(Object.entries(saves))(
    "just before they come, %s: it stays, and all is taken back",
    async (_, { save, status, blocked }) => {
      const scene = make();
      let isDone = false;
      const checkpoint = (name: Checkpoint) => {
        if (name === "here-looked" && !isDone) {
          isDone = true;
          save(scene.local.folder);
        }
        return Promise.resolve();
      };
      await expect(
        pullInto(scene.local.folder, scene.source, { onConflict: "here", deps: { checkpoint } }),
      ).rejects.toMatchObject({
        kind: "attention",
        message: expect.stringContaining(blocked) as string,
      });
      expectNotPicked(scene, status);
    },
  );

  it("by a program that has a file open: it is kept, and told", async () => {
    const scene = make();
    const aside = `${scene.local.folder}/.git/ferry/aside`;
    let isDone = false;
    const checkpoint = (name: Checkpoint) => {
      if (name === "here-taken" && !isDone && lstatSync(`${aside}/0`, { throwIfNoEntry: false }) !== undefined) {
        isDone = true;
        writeFileSync(`${aside}/0`, "by the open file\n", { flag: "a" });
      }
      return Promise.resolve();
    };
    const error = await refusedBy(pullInto(scene.local.folder, scene.source, { onConflict: "here", deps: { checkpoint } }));
    expect(error.code).toBe("edited_meanwhile");
    expect(readFileSync(`${scene.local.folder}/.git/ferry/rescue/1.up`, "utf8")).toBe("old 1\nby the open file\n");
    expect(scene.local("status", "--porcelain")).toBe("M  1.up\nM  2.up\nM  3.up\nA  come\nUU f");
  });

  it("nothing, and a filter that is a program of the tree: it runs as ever", async () => {
    const scene = make("*.up filter=own\n");
    scene.local("config", "filter.own.smudge", "sh ./filter.sh");
    scene.local("config", "filter.own.clean", "tr A-Z a-z");
    scene.local("config", "filter.own.required", "true");
    await refusedBy(pullInto(scene.local.folder, scene.source, { onConflict: "here" }));
    expect(readFileSync(`${scene.local.folder}/1.up`, "utf8")).toBe("NEW 1\n");
    expect(scene.local("status", "--porcelain")).toBe("M  1.up\nM  2.up\nM  3.up\nA  come\nUU f");
    writeFile(scene.local, "f", edited({ 2: "both" }));
    scene.local("add", "f");
    gitBytes(scene.local.folder, ["-c", "core.editor=true", "cherry-pick", "--continue"]);
    expect(scene.local("status", "--porcelain")).toBe("");
  });

  it("nothing, and a filter that reads a file that git doesn't know: it runs as ever", async () => {
    const scene = make("*.up filter=own\n");
    writeFile(scene.local, ".git/info/exclude", ".key\n");
    writeFile(scene.local, ".key", "key\n");
    scene.local("config", "filter.own.smudge", "cat .key - ");
    scene.local("config", "filter.own.clean", "sed 1d");
    await refusedBy(pullInto(scene.local.folder, scene.source, { onConflict: "here" }));
    expect(readFileSync(`${scene.local.folder}/1.up`, "utf8")).toBe("key\nnew 1\n");
  });

  it("nothing, and a conflict that is out of the sparse checkout's sight: it comes into it", async () => {
    const scene = makeScene({ files: { f: edited({}), "out/a": edited({}), "out/b": "b\n", "in/c": "c\n" } });
    commitFiles(scene.sandbox, { "out/a": edited({ 2: "theirs" }), "out/b": "B\n" }, "one");
    commitFiles(scene.local, { "out/a": edited({ 2: "mine" }) }, "mine");
    scene.local("sparse-checkout", "set", "--cone", "in");
    await refusedBy(pullInto(scene.local.folder, scene.source, { onConflict: "here" }));
    expect(readFileSync(`${scene.local.folder}/out/a`, "utf8")).toContain("<<<<<<<");
    expect(existsSync(`${scene.local.folder}/out/b`)).toBe(false);
  });

  it.each(["here-made", "here-looked", "here-taken"] as const)(
    "and staged once it was killed at %s: that is staged still when the pick is taken back",
    async (dieAt) => {
      const scene = make();
      await ended(startPull(scene, dieAt, { options: { onConflict: "here" } }));
      expect(scene.local("status", "--porcelain")).toContain("UU f");
      writeFile(scene.local, "f", "staged\n");
      scene.local("add", "f");
      await pullInto(scene.local.folder, scene.source, { dryRun: true }).catch(() => undefined);
      expect(existsSync(`${scene.local.folder}/.git/CHERRY_PICK_HEAD`)).toBe(false);
      expect(scene.local("show", ":f")).toBe("staged");
      expect(scene.local("status", "--porcelain")).toBe("M  f");
    },
  );
});
