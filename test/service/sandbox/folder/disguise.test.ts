import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../../../src/host/clock.ts";
import { randomBytes } from "../../../../src/host/random.ts";
import { disguise } from "../../../../src/service/sandbox/folder/disguise.ts";
import { makeDeep } from "../../../support/deep.ts";
import { gitIn, makeFolder } from "../../../support/git.ts";

const host = { clock: systemClock, random: randomBytes };
let folder: ReturnType<typeof makeFolder>;
let top: string;

beforeEach(() => {
  folder = makeFolder();
  top = join(folder.path, "top");
  mkdirSync(top);
});
afterEach(() => folder.remove());

/** Where git finds a repository for whoever stands there. */
const discovered = (at: string): string =>
  spawnSync("git", ["rev-parse", "--git-dir"], { cwd: join(top, at), encoding: "utf8" }).stdout.trim();
const init = (...argv: string[]) => gitIn(top)("init", "--quiet", ...argv);

test.each([
  ["a repository", () => void init("x")],
  ["a bare one", () => void init("--bare", "x")],
  ["one whose .git is a file", () => void init("--separate-git-dir", "y", "x")],
  [
    "one whose .git is a link",
    () => {
      init("y");
      mkdirSync(join(top, "x"));
      symlinkSync("../y/.git", join(top, "x/.git"));
    },
  ],
  [
    "the folder of a worktree",
    () => {
      init("--bare", "y");
      mkdirSync(join(top, "x"));
      writeFileSync(join(top, "x/HEAD"), "ref: refs/heads/main\n");
      writeFileSync(join(top, "x/commondir"), "../y\n");
    },
  ],
])("git finds it no more: %s", async (_, make) => {
  make();
  expect(discovered("x")).not.toBe("");
  await disguise(top, host, 10_000);
  expect(discovered("x")).toBe("");
  await disguise(top, host, 10_000);
  expect(discovered("x")).toBe("");
});

test("names of the agent's own stay, case is none, and no link leads out", async () => {
  mkdirSync(join(folder.path, "out/.git"), { recursive: true });
  symlinkSync("../out", join(top, "link"));
  for (const name of [".GIT", "git-of-the-agent"]) writeFileSync(join(top, name), name);
  await disguise(top, host, 10_000);
  expect(readdirSync(top).sort()).toEqual([
    "git-of-the-agent",
    expect.stringMatching(/^git-of-the-agent-[0-9a-f]{12}$/u),
    "link",
  ]);
  expect(existsSync(join(folder.path, "out/.git"))).toBe(true);
});

test("what can't be looked through, or not in time, is told, and its first is hidden", async () => {
  init();
  await expect(disguise(top, host, -1)).rejects.toThrow("it takes longer");
  expect(discovered("")).toBe("");
  makeDeep(top, "deep");
  await expect(disguise(top, host, 10_000)).rejects.toThrow("ENAMETOOLONG");
  execFileSync("rm", ["-rf", top]);
});
