import { chownSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { shellWord } from "../../src/base/words.ts";
import {
  getBoolean,
  getConfig,
  readBranchLinks,
  removeBranchLink,
  setConfig,
  unsetConfig,
  writeBranchLink,
} from "../../src/git/config.ts";
import { discover, readHead } from "../../src/git/discover.ts";
import { listRemotes } from "../../src/git/remotes.ts";
import { makeGit } from "../../src/git/runner.ts";
import { systemClock } from "../../src/host/clock.ts";
import { commitFiles, makeFolder, makeRepository } from "../support/git.ts";
import { patchHost } from "../support/pulling.ts";

const folder = makeFolder();
afterAll(() => folder.remove());
const git = makeGit(patchHost());
let repositories = 0;
const fresh = (...options: string[]) => makeRepository(`${folder.path}/${++repositories} ü`, options);

describe("discovery", () => {
  it("from the top, a folder below, and inside of .git", async () => {
    const local = fresh();
    mkdirSync(`${local.folder}/a/b`, { recursive: true });
    const expected = {
      workTree: local.folder,
      gitDir: `${local.folder}/.git`,
      commonDir: `${local.folder}/.git`,
      objectFormat: "sha1",
    };
    for (const place of ["", "/a/b", "/.git", "/.git/hooks"]) {
      mkdirSync(`${local.folder}${place}`, { recursive: true });
      expect(await discover(git, `${local.folder}${place}`)).toEqual(expected);
    }
  });

  it("of a linked worktree", async () => {
    const local = fresh();
    commitFiles(local, { a: "a\n" });
    const linked = `${local.folder}-linked`;
    local("worktree", "add", "--quiet", "-b", "linked", linked);
    const { gitDir } = await discover(git, linked);
    const expected = { workTree: linked, gitDir, commonDir: `${local.folder}/.git` };
    expect(gitDir).toContain(`${local.folder}/.git/worktrees/`);
    expect(await discover(git, linked)).toMatchObject(expected);
    expect(await discover(git, gitDir)).toMatchObject(expected);
  });

  it("of a linked worktree whose paths are relative, as worktree.useRelativePaths writes them", async () => {
    const local = fresh();
    commitFiles(local, { a: "a\n" });
    const linked = `${local.folder}-relative`;
    local("worktree", "add", "--quiet", "-b", "linked", linked);
    const { gitDir } = await discover(git, linked);
    writeFileSync(`${gitDir}/gitdir`, `${relative(gitDir, `${linked}/.git`)}\n`);
    writeFileSync(`${linked}/.git`, `gitdir: ${relative(linked, gitDir)}\n`);
    const expected = { workTree: linked, gitDir, commonDir: `${local.folder}/.git` };
    expect(await discover(git, linked)).toMatchObject(expected);
    expect(await discover(git, gitDir)).toMatchObject(expected);
  });

  it("of a bare repository, and of SHA-256", async () => {
    const bare = fresh("--bare", "--object-format=sha256");
    expect(await discover(git, bare.folder)).toEqual({
      workTree: undefined,
      gitDir: bare.folder,
      commonDir: bare.folder,
      objectFormat: "sha256",
    });
  });

  it.runIf(process.getuid?.() === 0)("of somebody else's", async () => {
    const local = fresh();
    chownSync(local.folder, 65_534, 65_534);
    await expect(discover(git, local.folder)).rejects.toMatchObject({
      kind: "failure",
      message: `git doesn't open ${local.folder}: it belongs to another user`,
      hint: expect.stringContaining(`: git config --global --add safe.directory ${shellWord(local.folder)}`) as string,
    });
  });

  it("of none", async () => {
    await expect(discover(git, "/")).rejects.toMatchObject({ kind: "not_found" });
  });
});

describe("HEAD", () => {
  it("unborn, on a branch, detached", async () => {
    const local = fresh();
    const repository = await discover(git, local.folder);
    expect(await readHead(git, repository)).toEqual({ state: "unborn", ref: "refs/heads/main" });
    const commit = commitFiles(local, { a: "a\n" });
    expect(await readHead(git, repository)).toEqual({ state: "branch", ref: "refs/heads/main", commit });
    local("checkout", "--quiet", "--detach");
    expect(await readHead(git, repository)).toEqual({ state: "detached", commit });
  });
});

describe("remotes", () => {
  it("with insteadOf, push addresses, blanks", async () => {
    const local = fresh();
    local("remote", "add", "origin", "gh:me/repo.git");
    local("config", "url.https://github.com/.insteadOf", "gh:");
    local("remote", "add", "fork", "/a path/with blanks");
    local("remote", "set-url", "--push", "fork", "ssh://host/fork");
    expect(await listRemotes(git, local.folder)).toEqual([
      { name: "fork", url: "/a path/with blanks", pushUrl: "ssh://host/fork" },
      { name: "origin", url: "https://github.com/me/repo.git", pushUrl: "https://github.com/me/repo.git" },
    ]);
    expect(await listRemotes(git, fresh().folder)).toEqual([]);
  });
});

describe("configuration", () => {
  const at = (cwd: string) => ({ git, cwd, clock: systemClock });

  it("is read, written and taken away", async () => {
    const { folder: cwd } = fresh();
    expect(await getConfig(git, cwd, "ferry.x")).toBeUndefined();
    await setConfig(at(cwd), "ferry.x", "a\nb ");
    expect(await getConfig(git, cwd, "ferry.x")).toBe("a\nb ");
    await unsetConfig(at(cwd), "ferry.x");
    await unsetConfig(at(cwd), "ferry.x");
    expect(await getConfig(git, cwd, "ferry.x")).toBeUndefined();
    await expect(setConfig(at(cwd), "nosection", "x")).rejects.toMatchObject({ code: "git" });
  });

  it("takes booleans as git does, and names what is none", async () => {
    const { folder: cwd } = fresh();
    expect(await getBoolean(git, cwd, "ferry.hookStrict")).toBe(false);
    const values = { true: true, TRUE: true, yes: true, on: true, 1: true, no: false, off: false, 0: false };
    for (const [value, expected] of Object.entries(values)) {
      await setConfig(at(cwd), "ferry.hookStrict", value);
      expect(await getBoolean(git, cwd, "ferry.hookStrict")).toBe(expected);
    }
    await setConfig(at(cwd), "ferry.hookStrict", "perhaps");
    const message = "ferry.hookStrict in the git configuration is neither true nor false";
    await expect(getBoolean(git, cwd, "ferry.hookStrict")).rejects.toMatchObject({ kind: "usage", message });
    await unsetConfig(at(cwd), "ferry.hookStrict");
    writeFileSync(`${cwd}/.git/config`, "[ferry]\n\thookStrict\n", { flag: "a" });
    expect(await getBoolean(git, cwd, "ferry.hookStrict")).toBe(true);
  });

  it("is waited for where another git has it locked, and not for ever", async () => {
    const local = fresh();
    const lock = `${local.folder}/.git/config.lock`;
    writeFileSync(lock, "");
    let [now, freed] = [0, Infinity];
    const clock = {
      elapsed: () => now,
      sleep: (ms: number) => {
        now += Math.max(ms, 500);
        if (now >= freed) rmSync(lock);
        return Promise.resolve();
      },
    };
    const place = { git, cwd: local.folder, clock };
    const held = { kind: "attention", message: "another git holds a lock: .git/config.lock exists" };
    await expect(writeBranchLink(place, "main", { session: "ses_1", host: undefined })).rejects.toMatchObject(held);
    await expect(removeBranchLink(place, "main")).rejects.toMatchObject(held);
    freed = now + 1000;
    await writeBranchLink(place, "main", { session: "ses_1", host: undefined });
    expect(local("config", "branch.main.ferrySession")).toBe("ses_1");
  });

  it("links a branch to a session, whatever the branch is called", async () => {
    const { folder: cwd } = fresh();
    for (const branch of ["main", "feature/x.y", "ü"]) {
      expect((await readBranchLinks(git, cwd))(branch)).toBeUndefined();
      await writeBranchLink(at(cwd), branch, { session: "ses_1", host: "https://h" });
      expect((await readBranchLinks(git, cwd))(branch)).toEqual({ session: "ses_1", host: "https://h" });
      await writeBranchLink(at(cwd), branch, { session: "ses_2", host: undefined });
      expect((await readBranchLinks(git, cwd))(branch)).toEqual({ session: "ses_2", host: undefined });
      await removeBranchLink(at(cwd), branch);
      expect((await readBranchLinks(git, cwd))(branch)).toBeUndefined();
    }
  });
});
