import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import type { FerryError } from "../../src/base/errors.ts";
import { moreCheckpoints } from "../../src/patch/request.ts";
import { undo } from "../../src/patch/undo.ts";
import { ended, startPull } from "../support/dying.ts";
import { commitFiles, gitBytes, gitEnv, writeFile } from "../support/git.ts";
import { edited, refusedBy } from "../support/parking.ts";
import { makeDeps, pullInto, pullRequest } from "../support/pulling.ts";
import { makeScene, pullExactly, removeScenes, type Scene } from "../support/scene.ts";
import { stateOf } from "../support/state.ts";

afterAll(removeScenes);

/** Local changes in a file that the series changes elsewhere, one of them staged, and others beside it. */
function makeDirty(): Scene {
  const scene = makeScene({ files: { f: edited({}), b: "b\n", c: "c\n" } });
  commitFiles(scene.sandbox, { f: edited({ 9: "theirs" }), n: "n\n" });
  writeFile(scene.local, "f", edited({ 1: "staged" }));
  scene.local("add", "f");
  writeFile(scene.local, "f", edited({ 1: "staged", 3: "unstaged" }));
  writeFile(scene.local, "b", "dirty\n");
  writeFile(scene.local, "c", "staged\n");
  scene.local("add", "c");
  writeFile(scene.local, "u", "untracked\n");
  return scene;
}

function expectBack({ local }: Scene): void {
  expect(local("status", "--porcelain")).toBe(" M b\nM  c\nMM f\n?? u");
  expect(readFileSync(`${local.folder}/f`, "utf8")).toBe(edited({ 1: "staged", 3: "unstaged", 9: "theirs" }));
  expect(gitBytes(local.folder, ["show", ":f"]).toString()).toBe(edited({ 1: "staged", 9: "theirs" }));
  expect(local("stash", "list")).toBe("");
  expect(readdirSync(`${local.folder}/.git/ferry`)).toEqual([]);
}

const visible = ({ local }: Scene) => ({ ...stateOf(local.folder), objects: "", gitFolder: "" });

describe("--autostash", () => {
  it("puts local changes away and back, staged what was staged; without it nothing happens", async () => {
    const scene = makeDirty();
    await expect(pullInto(scene.local.folder, scene.source)).rejects.toMatchObject({ kind: "attention" });
    await pullExactly(scene, { autostash: true });
    expectBack(scene);
  });

  it("isn't used where nothing is in the way, and leaves other stashes alone", async () => {
    const scene = makeDirty();
    scene.local("stash", "push", "--quiet", "-m", "mine");
    writeFile(scene.local, "b", "dirty again\n");
    const stashes = scene.local("stash", "list", "--format=%H %gs");
    await pullExactly(scene, { autostash: true });
    expect(scene.local("stash", "list", "--format=%H %gs")).toBe(stashes);
    expect(scene.local("status", "--porcelain")).toBe(" M b\n?? u");
  });

  it("where they conflict: exit 3, the commits came, the stash is named and kept", async () => {
    const scene = makeDirty();
    scene.local("checkout", "--quiet", "HEAD", "--", "f");
    writeFile(scene.local, "f", edited({ 9: "mine" }));
    const error = await refusedBy(pullInto(scene.local.folder, scene.source, { autostash: true }));
    expect(error).toMatchObject({ kind: "attention", code: "stash_conflict", verdict: { applied: true, conflicts: ["f"] } });
    expect(error.message).toContain("stash@{0}");
    expect(scene.local("status", "--porcelain", "f")).toBe("UU f");
    expect(gitBytes(scene.local.folder, ["show", "stash@{0}:f"]).toString()).toBe(edited({ 9: "mine" }));
    expect(scene.local("rev-parse", "HEAD")).toBe(scene.sandbox("rev-parse", "HEAD"));
    expect(readdirSync(`${scene.local.folder}/.git/ferry`)).toEqual([]);
  });

  it("where they conflict, --undo says how, and that brings all back as it was", async () => {
    const scene = makeDirty();
    const { folder } = scene.local;
    writeFile(scene.local, "f", edited({ 1: "staged", 9: "mine" }));
    const before = visible(scene);
    await refusedBy(pullInto(folder, scene.source, { autostash: true }));
    const conflicted = visible(scene);
    const back = () => undo(pullRequest(folder, scene.source), makeDeps());
    await expect(back()).rejects.toMatchObject({
      kind: "attention",
      message: expect.stringContaining("f is unmerged") as string,
      hint: expect.stringMatching(
        /stash@\{0\}: git restore --staged --worktree -- :\/f, try again, then git stash pop/u,
      ) as string,
    });
    expect(visible(scene)).toEqual(conflicted);
    scene.local("checkout", "--quiet", "HEAD", "--", "f");
    await back();
    scene.local("stash", "pop", "--quiet");
    const now: Record<string, string> = visible(scene);
    for (const what of ["head", "files"]) expect(now[what]).toBe((before as Record<string, string>)[what]);
    expect(scene.local("diff", "--cached", "--name-only")).toBe("c");
  });

  it.each([
    [
      "a file where they fit",
      ({ local }: Scene) => {
        writeFile(local, "f", edited({ 9: "mine" }));
        writeFile(local, "g", edited({ 1: "mine" }));
      },
    ],
    [
      "a staged one",
      ({ local }: Scene) => {
        writeFile(local, "f", edited({ 9: "mine" }));
        writeFile(local, "g", edited({ 1: "mine" }));
        local("add", "g");
      },
    ],
    [
      "a link in place of a file",
      ({ local }: Scene) => {
        rmSync(`${local.folder}/f`);
        symlinkSync("b", `${local.folder}/f`);
      },
    ],
    [
      "one whose name is a pattern",
      ({ local }: Scene) => {
        writeFile(local, "f", edited({ 9: "mine" }));
        writeFile(local, "[b]", edited({ 9: "mine" }));
      },
    ],
  ])("where they conflict beside %s, both hints lead back as they are printed, from any folder", async (_, change) => {
    const files = { f: edited({}), g: edited({}), b: "b\n", "[b]": edited({}), "d/f": "f\n", "d/g": "g\n" };
    const scene = makeScene({ files });
    const { local, source } = scene;
    commitFiles(scene.sandbox, { f: edited({ 9: "theirs" }), g: edited({ 9: "theirs" }), "[b]": edited({ 9: "theirs" }) });
    change(scene);
    for (const name of ["d/f", "d/g", "b"]) writeFile(local, name, "precious\n");
    const before = [local("status", "--porcelain"), stateOf(local.folder)["files"]];
    const back = () => undo(pullRequest(local.folder, source), makeDeps());
    const run = (command: string) =>
      execFileSync("sh", ["-c", command], { cwd: `${local.folder}/d`, env: gitEnv, stdio: "pipe" });
    const takeBack = async (hint: string, end: RegExp) => {
      const [, command = "", pop = ""] = end.exec(hint) ?? [];
      run(command);
      await back();
      run(pop);
      expect([local("status", "--porcelain"), stateOf(local.folder)["files"]]).toEqual(before);
    };
    const first = await refusedBy(pullInto(local.folder, source, { autostash: true }));
    await takeBack(first.hint ?? "", /; or (git .*), then ferry pull --undo and (git stash pop --index)$/u);
    await refusedBy(pullInto(local.folder, source, { autostash: true }));
    const second = await back().catch((error: unknown) => error as FerryError);
    await takeBack("hint" in second ? (second.hint ?? "") : "", /: (git .*), try again, then (git stash pop --index)$/u);
  });

  it("takes no untracked file out of the way", async () => {
    const scene = makeDirty();
    writeFile(scene.local, "n", "mine\n");
    const before = visible(scene);
    expect(await refusedBy(pullInto(scene.local.folder, scene.source, { autostash: true }))).toMatchObject({
      verdict: { blocked_by: ["f", "n"] },
    });
    expect(visible(scene)).toEqual(before);
  });

  it("brings them back where the landing fails", async () => {
    const scene = makeDirty();
    scene.local("config", "filter.bad.smudge", "false");
    scene.local("config", "filter.bad.required", "true");
    writeFile(scene.local, ".git/info/attributes", "n filter=bad\n");
    const before = visible(scene);
    await expect(pullInto(scene.local.folder, scene.source, { autostash: true })).rejects.toMatchObject({ kind: "attention" });
    expect({ ...visible(scene), reflog: "", refs: "" }).toEqual({ ...before, reflog: "", refs: "" });
    expect(scene.local("stash", "list")).toBe("");
  });

  it("only tells with dryRun", async () => {
    const scene = makeDirty();
    const before = stateOf(scene.local.folder);
    expect(await pullInto(scene.local.folder, scene.source, { autostash: true, dryRun: true })).toMatchObject({
      applied: false,
      blocked_by: [],
    });
    expect(stateOf(scene.local.folder)).toEqual(before);
  });
});

describe("kill -9 with --autostash", () => {
  it.each(["journaled", "prepared", "tree-started", "tree-written", "committed"] as const)(
    "at %s: the changes are there after the next run, and nothing is lost",
    async (dieAt) => {
      const scene = makeDirty();
      expect(await ended(startPull(scene, dieAt, { options: { autostash: true } }))).toMatchObject({ signal: "SIGKILL" });
      await pullInto(scene.local.folder, scene.source, { dryRun: true }).catch(() => undefined);
      if (scene.local("rev-parse", "HEAD") === scene.base) {
        expect(readFileSync(`${scene.local.folder}/f`, "utf8")).toBe(edited({ 1: "staged", 3: "unstaged" }));
        expect(scene.local("status", "--porcelain")).toBe(" M b\nM  c\nMM f\n?? u");
        await pullExactly(scene, { autostash: true });
      }
      expectBack(scene);
    },
  );

  it.each([...moreCheckpoints.stash, "prepared", "tree-started", "tree-written", "committed"] as const)(
    "at %s, with a conflict: all is as it was, or the commits came and the stash is named",
    async (dieAt) => {
      const scene = makeDirty();
      writeFile(scene.local, "f", edited({ 1: "staged", 9: "mine" }));
      const before = visible(scene);
      await ended(startPull(scene, dieAt, { options: { autostash: true } }));
      const next = await pullInto(scene.local.folder, scene.source, { dryRun: true }).catch((error: unknown) => error);
      const left = readdirSync(`${scene.local.folder}/.git/ferry`);
      expect(left.filter((name) => !name.startsWith("quarantine-"))).toEqual([]);
      if (scene.local("rev-parse", "HEAD") === scene.base) {
        expect({ ...visible(scene), refs: "" }).toEqual({ ...before, refs: "" });
        expect(scene.local("stash", "list")).toBe("");
        return;
      }
      expect(next).toMatchObject({ kind: "attention", message: expect.stringContaining("stash@{0}") as string });
      expect(gitBytes(scene.local.folder, ["show", "stash@{0}:f"]).toString()).toBe(edited({ 1: "staged", 9: "mine" }));
      expect(readFileSync(`${scene.local.folder}/b`, "utf8")).toBe("dirty\n");
    },
  );

  it("and then the user edits: that stays", async () => {
    const scene = makeDirty();
    await ended(startPull(scene, "tree-written", { options: { autostash: true } }));
    writeFile(scene.local, "f", "mine, since\n");
    await expect(pullInto(scene.local.folder, scene.source)).rejects.toMatchObject({
      kind: "attention",
      details: ["f, which was changed meanwhile"],
    });
    expect(readFileSync(`${scene.local.folder}/f`, "utf8")).toBe("mine, since\n");
  });
});
