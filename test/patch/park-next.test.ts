import {
  appendFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import type { Checkpoint } from "../../src/patch/request.ts";
import { ended, startPull } from "../support/dying.ts";
import { commitFiles, type TestGit, writeFile } from "../support/git.ts";
import { edited, parkIn, refusedBy, resume } from "../support/parking.ts";
import { makeScene, removeScenes, type Scene } from "../support/scene.ts";

afterAll(removeScenes);

const many = { "1.up": "old 1\n", "2.up": "old 2\n", "3.up": "old 3\n", going: "going\n", "dir/x": "x\n", "dir/y": "y\n" };

/** A pull that is parked at its first commit, which is resolved, and doesn't fit again at its third; the second changes much. */
async function makeParked(attributes = "*.up filter=slow\n"): Promise<{ scene: Scene; tree: TestGit; rescue: string }> {
  const scene = makeScene({ files: { f: edited({}), g: edited({}), ".gitattributes": attributes, ...many } });
  const { sandbox, local } = scene;
  commitFiles(sandbox, { f: edited({ 2: "theirs" }) }, "one");
  sandbox("rm", "--quiet", "-r", "going", "dir");
  commitFiles(
    sandbox,
    { "1.up": "new 1\n", "2.up": "new 2\n", "3.up": "new 3\n", come: "come\n", dir: "a file\n", "deep/down/d": "d\n" },
    "two",
  );
  commitFiles(sandbox, { g: edited({ 5: "theirs" }), "3.up": "newer 3\n" }, "three");
  commitFiles(local, { f: edited({ 2: "mine" }), g: edited({ 5: "mine" }) }, "mine");
  const tree = await parkIn(scene);
  writeFile(tree, "f", edited({ 2: "both" }));
  tree("add", "f");
  return { scene, tree, rescue: `${local.folder}/.git/ferry/rescue` };
}

function expectStop(tree: TestGit, more = ""): void {
  expect(tree("status", "--porcelain", "--ignored")).toBe(`M  3.up\nUU g${more}`);
  expect(tree("log", "--format=%s")).toBe("two\none\nmine\nbase");
  const files = {
    "1.up": "new 1\n",
    "2.up": "new 2\n",
    "3.up": "newer 3\n",
    come: "come\n",
    dir: "a file\n",
    "deep/down/d": "d\n",
  };
  for (const [path, content] of Object.entries(files)) expect(readFileSync(`${tree.folder}/${path}`, "utf8")).toBe(content);
  expect(readFileSync(`${tree.folder}/g`, "utf8")).toContain("<<<<<<<");
}

/** Goes on, and does something each time that it comes to a point. */
function resumeWhile({ local }: Scene, at: Checkpoint, work: () => void) {
  const checkpoint = (name: Checkpoint) => {
    if (name === at) work();
    return Promise.resolve();
  };
  return resume(local.folder, "continue", { deps: { checkpoint } });
}

/** As editors do. */
function saveOver(file: string, content: string): void {
  writeFileSync(`${file}~`, content);
  renameSync(`${file}~`, file);
}

describe("what is saved in a parked worktree while it is taken to the next conflict", () => {
  it("while git checks files out, as by a slow filter: it is kept, and told", async () => {
    const { scene, tree, rescue } = await makeParked();
    const script = `${scene.local.folder}/../save`;
    writeFileSync(
      script,
      `cat; cd '${tree.folder}' || exit 1; [ -e ../saved ] && exit; : > ../saved
echo 'an hour' > s.tmp; mv s.tmp 3.up; echo more >> 2.up; echo mine > come; echo mine > g; echo mine > NOTES; rm going\n`,
    );
    scene.local("config", "filter.slow.smudge", `sh '${script}'`);
    scene.local("config", "filter.slow.clean", "cat");
    const error = await refusedBy(resume(scene.local.folder, "continue"));
    expect(error).toMatchObject({ code: "edited_meanwhile", verdict: { applied: false, conflicts: ["g"] } });
    const kept = { "3.up": "an hour\n", "2.up": "old 2\nmore\n", come: "mine\n", g: "mine\n" };
    expect(readdirSync(rescue).sort()).toEqual(Object.keys(kept).sort());
    for (const [path, content] of Object.entries(kept)) expect(readFileSync(`${rescue}/${path}`, "utf8")).toBe(content);
    rmSync(`${tree.folder}/../saved`);
    // What is in nothing's way stays.
    expectStop(tree, "\n?? NOTES");
    expect(readFileSync(`${tree.folder}/NOTES`, "utf8")).toBe("mine\n");
    expect(readdirSync(`${scene.local.folder}/.git/ferry/parked`)).toEqual([tree.folder.split("/").at(-1)]);
  });

  it("between the last look and the files' coming: it is kept, and told", async () => {
    const { scene, tree, rescue } = await makeParked();
    const at = (path: string) => `${tree.folder}/${path}`;
    const save = () => {
      saveOver(at("1.up"), "an hour\n");
      appendFileSync(at("2.up"), "more\n");
      saveOver(at("going"), "stays\n");
      saveOver(at("come"), "mine\n");
      saveOver(at("dir/x"), "mine\n");
      writeFileSync(at("dir/z"), "mine\n");
      symlinkSync("elsewhere", at("deep"));
      rmSync(at("3.up"));
      mkdirSync(at("3.up"));
      writeFileSync(at("3.up/inside"), "inside\n");
    };
    const error = await refusedBy(resumeWhile(scene, "park-looked", save));
    expect(error.code).toBe("edited_meanwhile");
    expectStop(tree);
    const kept = { "1.up": "an hour\n", "2.up": "old 2\nmore\n", going: "stays\n", come: "mine\n", "dir%2Fx": "mine\n" };
    for (const [path, content] of Object.entries(kept)) expect(readFileSync(`${rescue}/${path}`, "utf8")).toBe(content);
    expect(readFileSync(`${rescue}/3.up/inside`, "utf8")).toBe("inside\n");
    expect(readFileSync(`${rescue}/dir/z`, "utf8")).toBe("mine\n");
    expect(readlinkSync(`${rescue}/deep`)).toBe("elsewhere");
  });

  it("by a program that has a file open: it is kept, and told", async () => {
    const { scene, tree, rescue } = await makeParked();
    let isDone = false;
    const write = () => {
      const [next = ""] = readdirSync(`${tree.folder}/..`).filter((name) => name.endsWith(".next"));
      const taken = `${tree.folder}/../${next}/was/1.up`;
      if (isDone || lstatSync(taken, { throwIfNoEntry: false }) === undefined) return;
      isDone = true;
      appendFileSync(taken, "by the open file\n");
    };
    const error = await refusedBy(resumeWhile(scene, "park-taken", write));
    expect(error.code).toBe("edited_meanwhile");
    expect(readFileSync(`${rescue}/1.up`, "utf8")).toBe("old 1\nby the open file\n");
    expectStop(tree);
  });

  it.each(["park-looked", "park-taken"] as const)(
    "nothing, and killed at %s: nothing is taken for someone's work",
    async (dieAt) => {
      const { scene, tree, rescue } = await makeParked();
      await ended(startPull(scene, dieAt, { how: "continue" }));
      const error = await refusedBy(resume(scene.local.folder, "continue"));
      expect(error.code).toBe("conflict");
      expectStop(tree);
      expect(lstatSync(rescue, { throwIfNoEntry: false })).toBeUndefined();
    },
  );

  it("once it was killed on the way: it is kept when all is given up", async () => {
    const { scene, tree, rescue } = await makeParked();
    await ended(startPull(scene, "park-taken", { how: "continue" }));
    writeFile(tree, "NOTES", "mine\n");
    expect(await refusedBy(resume(scene.local.folder, "abort"))).toMatchObject({ code: "edited_meanwhile" });
    expect(readFileSync(`${rescue}/NOTES`, "utf8")).toBe("mine\n");
    expect(readdirSync(`${scene.local.folder}/.git/ferry`)).toEqual(["rescue"]);
  });

  it("a filter that fails leaves all as it was, and the next run goes on", async () => {
    const { scene, tree } = await makeParked();
    scene.local("config", "filter.slow.smudge", "false");
    scene.local("config", "filter.slow.required", "true");
    scene.local("config", "filter.slow.clean", "cat");
    const before = readFileSync(`${tree.folder}/1.up`, "utf8");
    await expect(resume(scene.local.folder, "continue")).rejects.toMatchObject({
      message: expect.stringContaining("slow") as string,
    });
    expect([readFileSync(`${tree.folder}/1.up`, "utf8"), readdirSync(tree.folder)]).toEqual([
      before,
      expect.arrayContaining(["going", "dir"]),
    ]);
    scene.local("config", "filter.slow.smudge", "cat");
    expect(await refusedBy(resume(scene.local.folder, "continue"))).toMatchObject({ code: "conflict" });
    expectStop(tree);
  });

  it("a filter that is a program of the tree itself runs there as ever", async () => {
    const { scene, tree } = await makeParked("*.up filter=own\n");
    writeFile(tree, "filter.sh", "tr a-z A-Z\n");
    tree("add", "filter.sh");
    scene.local("config", "filter.own.smudge", "sh ./filter.sh");
    scene.local("config", "filter.own.clean", "tr A-Z a-z");
    scene.local("config", "filter.own.required", "true");
    await refusedBy(resume(scene.local.folder, "continue"));
    expect(readFileSync(`${tree.folder}/1.up`, "utf8")).toBe("NEW 1\n");
    expect(readFileSync(`${tree.folder}/3.up`, "utf8")).toBe("NEWER 3\n");
  });
});
