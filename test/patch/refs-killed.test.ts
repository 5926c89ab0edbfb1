import { existsSync, readdirSync, readFileSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import type { Checkpoint } from "../../src/patch/request.ts";
import { ended, startPull } from "../support/dying.ts";
import { commitFiles, gitIn, writeFile } from "../support/git.ts";
import { makeDeps, pullInto } from "../support/pulling.ts";
import { makeScene, pullExactly, removeScenes, type Scene } from "../support/scene.ts";
import { slowAt, writingGit } from "../support/slow.ts";
import { stateOf } from "../support/state.ts";

afterAll(removeScenes);

const visible = ({ local }: Scene) => ({ ...stateOf(local.folder), objects: "" });

describe("git update-ref, which holds the refs", () => {
  const locksOf = ({ local }: Scene) =>
    ["HEAD", "refs/heads/main", "refs/heads/alias", "refs/heads/x"].filter((ref) =>
      existsSync(`${local.folder}/.git/${ref}.lock`),
    );
  /** HEAD leads to the branch through another ref: git locks all of them. */
  const make = () => {
    const scene = makeScene();
    scene.local("symbolic-ref", "refs/heads/alias", "refs/heads/main");
    scene.local("symbolic-ref", "HEAD", "refs/heads/alias");
    commitFiles(scene.sandbox, { a: "theirs\n" });
    writeFile(scene.local, "b", "dirty\n");
    return scene;
  };
  const refsGit = ({ local }: Scene): number => {
    const notes = readFileSync(`${local.folder}/.git/ferry/journal`, "utf8").trim().split("\n");
    const children = notes.flatMap((line) => (JSON.parse(line) as { child?: { kind: string; pid: number } }).child ?? []);
    return children.findLast(({ kind }) => kind === "refs")?.pid ?? expect.fail("no git holds the refs");
  };
  const isGone = (pid: number) =>
    expect
      .poll(() => existsSync(`/proc/${pid}`) && !/^\d+ \(.*\) Z/u.test(readFileSync(`/proc/${pid}/stat`, "latin1")), {
        timeout: 20_000,
      })
      .toBe(false);

  /** When ferry dies, its git sees the end of its input, and unlocks. */
  const unlocked = async ({ local }: Scene, ref: string): Promise<string> => {
    const lock = `${local.folder}/.git/${ref}.lock`;
    await expect.poll(() => existsSync(lock), { timeout: 20_000 }).toBe(false);
    return lock;
  };
  /** As if it had been killed before. */
  const leaveLock = ({ local }: Scene, lock: string): void => {
    writeFileSync(lock, "");
    const journal = `${local.folder}/.git/ferry/journal`;
    writeFileSync(journal, readFileSync(journal, "utf8").replace(/"at":\d+/gu, `"at":${Date.now()}`));
  };

  it.each(["prepared", "tree-written"] as const)("git alone, at %s: its locks go, and all is as it was", async (at) => {
    const scene = make();
    const before = visible(scene);
    const checkpoint = async (name: Checkpoint) => {
      if (name !== at) return;
      expect(locksOf(scene)).toEqual(["HEAD", "refs/heads/main", "refs/heads/alias"]);
      process.kill(refsGit(scene), "SIGKILL");
      await isGone(refsGit(scene));
    };
    await expect(pullInto(scene.local.folder, scene.source, { deps: { checkpoint } })).rejects.toMatchObject({ kind: "failure" });
    expect([locksOf(scene), visible(scene)]).toEqual([[], before]);
    await pullInto(scene.local.folder, scene.source, { hook: "post-merge" });
    expect(scene.local("status", "--porcelain")).toBe(" M b");
  });

  it("ferry and git: the next run takes its locks away", async () => {
    const scene = make();
    const before = visible(scene);
    const slow = slowAt(scene.local, { path: "a", word: "theirs" });
    const child = startPull(scene, "");
    await slow.reached();
    const [refs, tree] = [refsGit(scene), writingGit(scene.local)];
    // Or it would see that nobody asks it any more, and unlock.
    process.kill(refs, "SIGSTOP");
    child.kill("SIGKILL");
    process.kill(-refs, "SIGKILL");
    process.kill(-tree, "SIGKILL");
    slow.pass();
    await ended(child);
    expect(locksOf(scene)).toEqual(["HEAD", "refs/heads/main", "refs/heads/alias"]);
    await pullInto(scene.local.folder, scene.source, { dryRun: true });
    expect([locksOf(scene), { ...visible(scene), gitFolder: "" }]).toEqual([[], { ...before, gitFolder: "" }]);
    await pullExactly(scene);
  });

  it("ferry and git, where HEAD is a link to the branch: that one's lock goes, too", async () => {
    const scene = makeScene();
    unlinkSync(`${scene.local.folder}/.git/HEAD`);
    symlinkSync("refs/heads/main", `${scene.local.folder}/.git/HEAD`);
    commitFiles(scene.sandbox, { a: "theirs\n" });
    await ended(startPull(scene, "prepared"));
    leaveLock(scene, await unlocked(scene, "refs/heads/main"));
    await pullExactly(scene);
    expect(locksOf(scene)).toEqual([]);
  });

  it("ferry and git, and their worktree is removed since: its lock goes all the same", async () => {
    const scene = make();
    const side = gitIn(`${scene.local.folder}-side`);
    scene.local("worktree", "add", "--quiet", "-b", "side", side.folder);
    await ended(startPull({ ...scene, local: side }, "prepared"));
    leaveLock(scene, await unlocked(scene, "refs/heads/side"));
    scene.local("worktree", "remove", "--force", side.folder);
    expect(await pullInto(scene.local.folder, scene.source, { branch: "side" })).toMatchObject({ applied: true });
    expect(existsSync(`${scene.local.folder}/.git/refs/heads/side.lock`)).toBe(false);
    expect(readdirSync(`${scene.local.folder}/.git/ferry`)).toEqual([]);
  });

  it("of a branch that isn't checked out: its lock goes, and the next run comes", async () => {
    const scene = make();
    const git = makeDeps().git;
    let isKilled = false;
    const killing: typeof git = {
      ...git,
      stream: async (args, options) => {
        const child = await git.stream(args, options);
        if (args[0] !== "update-ref" || isKilled) return child;
        isKilled = true;
        const write = child.stdin.write.bind(child.stdin);
        // Once the refs are locked, and before it is told to move them.
        child.stdin.write = ((chunk: string) => {
          if (chunk !== "commit\n") return write(chunk);
          expect(locksOf(scene)).toEqual(["refs/heads/x"]);
          process.kill(child.pid, "SIGKILL");
          return true;
        }) as typeof write;
        return child;
      },
    };
    const options = { branch: "x", deps: { git: killing } };
    await expect(pullInto(scene.local.folder, scene.source, options)).rejects.toMatchObject({ kind: "failure" });
    expect([locksOf(scene), readdirSync(`${scene.local.folder}/.git/ferry`)]).toEqual([[], []]);
    expect(await pullInto(scene.local.folder, scene.source, { ...options, hook: "post-merge" })).toMatchObject({ applied: true });
  });

  /** A git that dies at "commit", when it has renamed these of its locks: files-backend.c goes through them one by one. */
  const dyingAtCommit = ({ local }: Scene, isRenamed: (ref: string) => boolean): ReturnType<typeof makeDeps>["git"] => {
    const { git } = makeDeps();
    let isOver = false;
    return {
      ...git,
      stream: async (args, options) => {
        const child = await git.stream(args, options);
        if (args[0] !== "update-ref" || isOver) return child;
        const write = child.stdin.write.bind(child.stdin);
        child.stdin.write = ((chunk: string) => {
          if (chunk !== "commit\n") return write(chunk);
          isOver = true;
          process.kill(child.pid, "SIGSTOP");
          for (const path of locksBelow(local)) {
            const ref = path.replace(/\.lock$/u, "");
            if (isRenamed(ref)) renameSync(`${local.folder}/.git/${path}`, `${local.folder}/.git/${ref}`);
          }
          process.kill(child.pid, "SIGKILL");
          return true;
        }) as typeof write;
        return child;
      },
    };
  };
  const locksBelow = ({ folder }: Scene["local"]) =>
    readdirSync(`${folder}/.git`, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".lock") && !path.startsWith("ferry/"))
      .sort();

  it("after some of the refs: those go back with the rest, and all comes with the next run", async () => {
    const scene = make();
    const before = visible(scene);
    const git = dyingAtCommit(scene, (ref) => ref.startsWith("refs/ferry/"));
    await expect(pullInto(scene.local.folder, scene.source, { deps: { git } })).rejects.toMatchObject({ kind: "failure" });
    expect([locksBelow(scene.local), { ...visible(scene), gitFolder: "" }]).toEqual([[], { ...before, gitFolder: "" }]);
    await pullExactly(scene);
  });

  it("after all of them: it has come", async () => {
    const scene = make();
    const git = dyingAtCommit(scene, (ref) => ref.startsWith("refs/ferry/") || ref === "refs/heads/main");
    await pullExactly(scene, { deps: { git } });
    expect([locksBelow(scene.local), readdirSync(`${scene.local.folder}/.git/ferry`)]).toEqual([[], []]);
    expect(await pullInto(scene.local.folder, scene.source)).toMatchObject({ applied: false });
  });

  it("after some, with ferry: the next run puts them back", async () => {
    const scene = make();
    const before = visible(scene);
    await ended(startPull(scene, "tree-written"));
    const [journal = ""] = readFileSync(`${scene.local.folder}/.git/ferry/journal`, "utf8").split("\n");
    const { updates } = JSON.parse(journal) as { updates: { ref: string; to: string }[] };
    const moved = updates.filter(({ ref }) => ref !== "HEAD");
    expect(moved.length).toBeGreaterThan(1);
    for (const { ref, to } of moved.slice(1)) scene.local("update-ref", ref, to);
    await pullInto(scene.local.folder, scene.source, { dryRun: true });
    expect({ ...visible(scene), gitFolder: "" }).toEqual({ ...before, gitFolder: "" });
    await pullExactly(scene);
  });

  it("after the first of a branch that isn't checked out: the others follow", async () => {
    const scene = make();
    const git = dyingAtCommit(scene, (ref) => ref === "refs/heads/x");
    const options = { branch: "x", deps: { git } };
    await expect(pullInto(scene.local.folder, scene.source, options)).rejects.toMatchObject({ kind: "failure" });
    const tip = scene.sandbox("rev-parse", "HEAD");
    expect(
      scene.local("for-each-ref", "--format=%(objectname)", "refs/heads/x", "refs/ferry/*/applied/*", "refs/ferry/*/remote"),
    ).toBe([tip, tip, tip].join("\n"));
    expect([locksBelow(scene.local), readdirSync(`${scene.local.folder}/.git/ferry`)]).toEqual([[], []]);
  });

  it("of a packed ref that is to go: its locks go, and the next run takes it away", async () => {
    const scene = make();
    await pullInto(scene.local.folder, scene.source, { isOver: true });
    scene.local("pack-refs", "--all");
    const held: string[] = [];
    const git = dyingAtCommit(scene, (ref) => (held.push(ref), false));
    await expect(pullInto(scene.local.folder, scene.source, { isOver: false, deps: { git } })).rejects.toMatchObject({
      kind: "failure",
    });
    expect(held).toContain("packed-refs");
    expect(readdirSync(`${scene.local.folder}/.git`).filter((name) => /\.(lock|new)$/u.test(name))).toEqual([]);
    await pullInto(scene.local.folder, scene.source, { isOver: false });
    expect(scene.local("for-each-ref", "refs/ferry/*/ended/*")).toBe("");
  });
});
