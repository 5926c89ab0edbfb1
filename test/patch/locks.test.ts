import { existsSync, readdirSync, rmSync, unlinkSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import type { Checkpoint, PullDeps } from "../../src/patch/request.ts";
import { pullElsewhere } from "../../src/patch/worktree/pull.ts";
import { commitFiles, writeFile } from "../support/git.ts";
import { makeConflict, parkIn, refusedBy } from "../support/parking.ts";
import { makeDeps, patchHost, pullInto, type PullInto, pullRequest } from "../support/pulling.ts";
import { makeScene, pullExactly, removeScenes, type Scene } from "../support/scene.ts";
import { stateOf } from "../support/state.ts";

afterAll(removeScenes);

/** Another git that holds a lock from that point on, till it is waited for. */
function heldAt(at: Checkpoint, lock: string, scene: Scene): Partial<PullDeps> {
  const path = `${scene.local.folder}/.git/${lock}`;
  const host = patchHost();
  const sleep: typeof host.clock.sleep = (time, signal) => {
    if (existsSync(path)) unlinkSync(path);
    return host.clock.sleep(time, signal);
  };
  return {
    host: { ...host, clock: { ...host.clock, sleep } },
    checkpoint: (name) => {
      if (name === at) writeFile(scene.local, `.git/${lock}`, "");
      return Promise.resolve();
    },
  };
}

describe("locks that another git holds", () => {
  const locks = ["index.lock", "HEAD.lock", "refs/heads/main.lock"];
  it.each(locks)("%s is waited for", async (lock) => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" });
    await pullExactly(scene, { deps: heldAt("promoted", lock, scene) });
    expect(existsSync(`${scene.local.folder}/.git/${lock}`)).toBe(false);
  });

  const flags: readonly (readonly [string, PullInto, Checkpoint, string])[] = [
    ["--autostash", { autostash: true }, "promoted", "index.lock"],
    ["--autostash", { autostash: true }, "promoted", "HEAD.lock"],
    ["--here", { onConflict: "here" }, "here-landed", "index.lock"],
  ];
  it.each(flags)("of %s is waited for, and where it stays, nothing is lost: %o at %s, %s", async (_, options, at, lock) => {
    const isHere = options.onConflict === "here";
    const make = () => {
      const scene = isHere ? makeConflict() : makeScene();
      if (isHere) return scene;
      commitFiles(scene.sandbox, { a: "1\n2\nx\n" });
      writeFile(scene.local, "b", "staged\n");
      scene.local("add", "b");
      writeFile(scene.local, "a", "mine\n2\n3\n");
      return scene;
    };
    const status = ({ local }: Scene) => [local("status", "--porcelain"), local("stash", "list")];
    const waited = make();
    const comes = pullInto(waited.local.folder, waited.source, { ...options, deps: heldAt(at, lock, waited) });
    if (isHere) await refusedBy(comes);
    else await comes;
    expect(status(waited)).toEqual([isHere ? "UU f" : " M a\nM  b", ""]);

    const stays = make();
    const checkpoint = (name: Checkpoint) => {
      if (name === at) writeFile(stays.local, `.git/${lock}`, "");
      return Promise.resolve();
    };
    await expect(
      pullInto(stays.local.folder, stays.source, { ...options, hook: "post-merge", deps: { checkpoint } }),
    ).rejects.toMatchObject({ kind: "attention" });
    unlinkSync(`${stays.local.folder}/.git/${lock}`);
    expect(status(stays)).toEqual([isHere ? "" : " M a\nM  b", ""]);
    expect(existsSync(`${stays.local.folder}/.git/ferry/journal`)).toBe(false);
  });

  it.each([
    ["stash-made", "refs/stash.lock"],
    ["stash-landed", "index.lock"],
  ] as const)(
    "of the stash of changes that conflict, at %s: it is waited for, and where it stays, nothing is lost",
    async (at, lock) => {
      const make = () => {
        const scene = makeScene();
        commitFiles(scene.sandbox, { a: "1\n2\nx\n" });
        writeFile(scene.local, "a", "1\n2\nmine\n");
        return scene;
      };
      const waited = make();
      await refusedBy(pullInto(waited.local.folder, waited.source, { autostash: true, deps: heldAt(at, lock, waited) }));
      expect(waited.local("status", "--porcelain")).toBe("UU a");

      const stays = make();
      const checkpoint = (name: Checkpoint) => {
        if (name === at) writeFile(stays.local, `.git/${lock}`, "");
        return Promise.resolve();
      };
      await expect(
        pullInto(stays.local.folder, stays.source, { autostash: true, hook: "post-merge", deps: { checkpoint } }),
      ).rejects.toMatchObject({ kind: "attention" });
      unlinkSync(`${stays.local.folder}/.git/${lock}`);
      const kept = at === "stash-made" ? "HEAD" : "stash@{0}";
      expect(stays.local("rev-parse", kept === "HEAD" ? kept : `${kept}^1`)).toBe(stays.base);
      if (kept !== "HEAD") expect(stays.local("show", `${kept}:a`)).toBe("1\n2\nmine");
      else expect(stays.local("status", "--porcelain")).toBe(" M a");
      expect(readdirSync(`${stays.local.folder}/.git/ferry`)).toEqual([]);
    },
  );

  const elsewhere = ({ local, source }: Scene, deps: Partial<PullDeps>, hook?: string) =>
    pullElsewhere(
      { ...pullRequest(local.folder, source), worktree: `${local.folder}-tree`, sessionBranch: "agent/x", hook },
      makeDeps({}, deps),
    );
  const uncommitted = ({ local, source }: Scene, deps: Partial<PullDeps>, hook?: string) =>
    pullInto(local.folder, source, { uncommitted: true, hook, deps });
  it.each([
    ["--uncommitted", uncommitted, "index.lock"],
    ["--uncommitted", uncommitted, "HEAD.lock"],
    ["--worktree", elsewhere, "refs/heads/agent/x.lock"],
  ] as const)("of %s is waited for, and named where it stays: %o, %s", async (_, pull, lock) => {
    const make = () => {
      const scene = makeScene();
      commitFiles(scene.sandbox, { a: "x\n" });
      writeFile(scene.sandbox, "b", "not committed\n");
      writeFile(scene.local, "c", "mine\n");
      return scene;
    };
    const waited = make();
    await pull(waited, heldAt("promoted", lock, waited));
    const stays = make();
    const before = stateOf(stays.local.folder);
    const checkpoint = (name: Checkpoint) => {
      if (name === "promoted") writeFile(stays.local, `.git/${lock}`, "");
      return Promise.resolve();
    };
    await expect(pull(stays, { checkpoint }, "post-merge")).rejects.toMatchObject({
      kind: "attention",
      message: expect.stringContaining(`.git/${lock}`) as string,
    });
    rmSync(`${stays.local.folder}/.git/${lock}`);
    expect({ ...stateOf(stays.local.folder), objects: "" }).toEqual({ ...before, objects: "" });
    expect(readdirSync(`${stays.local.folder}/.git/ferry`)).toEqual([]);
    await pull(stays, {});
    expect(stays.local("status", "--porcelain")).toBe(waited.local("status", "--porcelain"));
  });

  it("of the worktree of --park is waited for, and where it stays, nothing is parked", async () => {
    const scene = makeConflict();
    const before = stateOf(scene.local.folder);
    const lockOf = () => `worktrees/${readdirSync(`${scene.local.folder}/.git/worktrees`)[0] ?? ""}/index.lock`;
    const checkpoint = (name: Checkpoint) => {
      if (name === "park-added") writeFile(scene.local, `.git/${lockOf()}`, "");
      return Promise.resolve();
    };
    const stays = pullInto(scene.local.folder, scene.source, { onConflict: "park", hook: "post-merge", deps: { checkpoint } });
    await expect(stays).rejects.toMatchObject({ kind: "attention", message: expect.stringContaining("index.lock") as string });
    expect({ ...stateOf(scene.local.folder), objects: "" }).toEqual({ ...before, objects: "" });
    const host = patchHost();
    const sleep: typeof host.clock.sleep = (time, signal) => {
      rmSync(`${scene.local.folder}/.git/${lockOf()}`, { force: true });
      return host.clock.sleep(time, signal);
    };
    await parkIn(scene, { deps: { checkpoint, host: { ...host, clock: { ...host.clock, sleep } } } });
  });

  it.each(locks)("%s that stays is refused, in a hook at once", async (lock) => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n", n: "n\n", c: null });
    const path = `${scene.local.folder}/.git/${lock}`;
    writeFile(scene.local, `.git/${lock}`, "");
    const before = stateOf(scene.local.folder);
    await expect(pullInto(scene.local.folder, scene.source, { hook: "post-checkout" })).rejects.toMatchObject({
      kind: "attention",
    });
    expect({ ...stateOf(scene.local.folder), objects: "" }).toEqual({ ...before, objects: "" });
    unlinkSync(path);
    await pullExactly(scene);
  });
});

describe("ferry's own lock that can't be read", () => {
  it.each(["", "{}", "null", "garbage", '{"host":"h","boot":"","namespace":"","pid":1,"startTime":"","nonce":"../x"}'])(
    "%j: the file is named, and what to do",
    async (content) => {
      const scene = makeScene();
      commitFiles(scene.sandbox, { a: "x\n" });
      writeFile(scene.local, ".git/ferry/lock", content);
      const path = `${scene.local.folder}/.git/ferry/lock`;
      await expect(pullInto(scene.local.folder, scene.source, { hook: "post-commit" })).rejects.toMatchObject({
        kind: "attention",
        message: `${path} should say which ferry is at work here, and can't be read`,
        hint: `if none is, remove it: rm ${path}`,
      });
      rmSync(path);
      await pullExactly(scene);
    },
  );

  it("is waited for: it may be in the writing", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" });
    writeFile(scene.local, ".git/ferry/lock", "");
    const host = patchHost();
    const sleep: typeof host.clock.sleep = (time, signal) => {
      rmSync(`${scene.local.folder}/.git/ferry/lock`, { force: true });
      return host.clock.sleep(time, signal);
    };
    await pullExactly(scene, { deps: { host: { ...host, clock: { ...host.clock, sleep } } } });
  });
});
