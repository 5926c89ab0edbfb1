import { execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { afterAll, beforeEach, expect, test } from "vitest";
import type { Verdict } from "../../src/patch/verdict.ts";
import { commitFiles, gitEnv, type TestGit } from "../support/git.ts";
import { pullInto } from "../support/pulling.ts";
import { makeScene, pullRefused, removeScenes, type Scene } from "../support/scene.ts";

// Real git merges, and waits in its post-merge hook while a pull is made: its notes of the merge are still in place there.
afterAll(removeScenes);

let scene: Scene;
let local: TestGit;

beforeEach(() => {
  scene = makeScene();
  local = scene.local;
  for (const name of ["side", "other"]) {
    local("checkout", "--quiet", "-b", name, "main");
    commitFiles(local, { [name]: `${name}\n` }, name);
  }
  local("checkout", "--quiet", "main");
  commitFiles(scene.sandbox, { b: "B\n" });
});

/** Runs git, and `act` once it is in the hook; gives what git said and ended with, and what the act gave. */
async function during<T>(args: readonly string[], act: () => Promise<T>): Promise<{ code: number; said: string; acted: T }> {
  const [entered, go] = [`${local.folder}/../entered`, `${local.folder}/../go`];
  execFileSync("mkfifo", [entered, go]);
  const hook = `${local.folder}/.git/hooks/post-merge`;
  mkdirSync(`${local.folder}/.git/hooks`, { recursive: true });
  writeFileSync(hook, `#!/bin/sh\necho in >"${entered}"\nread _ <"${go}"\n`);
  chmodSync(hook, 0o755);
  const git = spawn("git", args, { cwd: local.folder, env: gitEnv });
  let said = "";
  for (const stream of [git.stdout, git.stderr]) stream.on("data", (chunk: Buffer) => (said += chunk.toString("utf8")));
  const ended = new Promise<number>((resolve) => git.once("close", (code) => resolve(code ?? -1)));
  await readFile(entered);
  try {
    const acted = await act();
    return { acted, ...(await release()) };
  } catch (error) {
    await release();
    throw error;
  }

  async function release(): Promise<{ code: number; said: string }> {
    await writeFile(go, "\n");
    return { code: await ended, said };
  }
}

const pull = (): Promise<Verdict> => pullInto(local.folder, scene.source, { hook: "post-merge" });
const notes = (): string[] => readdirSync(`${local.folder}/.git`).filter((name) => /^(MERGE_|AUTO_MERGE)/u.test(name));

test.each([
  ["a merge commit where a fast-forward would do", ["merge", "--no-ff", "--no-edit", "side"], 2],
  ["a merge of what went apart", ["merge", "--no-edit", "side"], 2],
  ["a pull of what went apart", ["pull", "--no-rebase", "--no-edit", ".", "side"], 2],
  ["a merge of several", ["merge", "--no-ff", "--no-edit", "side", "other"], 3],
])("after %s it pulls, and git ends as it does", async (name, args, parents) => {
  if (name.endsWith("apart")) commitFiles(local, { mine: "mine\n" }, "mine");
  const before = local("rev-parse", "HEAD");
  const { code, said, acted } = await during(args, pull);
  expect({ code, said, applied: acted.applied }).toEqual({
    code: 0,
    said: expect.stringMatching(/Merge made by the '\w+' strategy/u) as string,
    applied: true,
  });
  expect({ status: local("status", "--porcelain"), notes: notes() }).toEqual({ status: "", notes: [] });
  expect(local("show", "HEAD:b")).toBe("B");
  expect(local("log", "-1", "--format=%p", "HEAD~1").split(" ")).toHaveLength(parents);
  expect(local("rev-parse", "ORIG_HEAD")).toBe(before);
  expect(local("reflog", "-2", "--format=%gs")).toMatch(/^ferry pull.*\n(merge|pull) .*Merge made by/u);
  expect(local("fsck", "--no-dangling")).toBe("");
});

test.each([
  ["a merge commit", ["merge", "--no-ff", "--no-edit", "--autostash", "side"]],
  ["a fast-forward", ["merge", "--ff-only", "--autostash", "side"]],
])("local work that git put aside for %s isn't pulled over", async (_, args) => {
  writeFileSync(`${local.folder}/b`, "local work\n");
  const { code, acted } = await during(args, () => pullRefused(scene, { hook: "post-merge" }));
  expect(acted).toMatchObject({
    kind: "attention",
    message: "git has put local work aside for a merge, and puts it back when that is over: ferry pull, then",
  });
  expect({ code, status: local("status", "--porcelain"), notes: notes() }).toEqual({ code: 0, status: " M b", notes: [] });
});

test("a squash stays staged, on what came", async () => {
  const { code, acted } = await during(["merge", "--squash", "side"], pull);
  expect({ code, applied: acted.applied, status: local("status", "--porcelain") }).toEqual({
    code: 0,
    applied: true,
    status: "A  side",
  });
});

test("a merge that isn't made is in the way there, too", async () => {
  local("checkout", "--quiet", "side");
  commitFiles(local, { a: "theirs\n" });
  local("checkout", "--quiet", "main");
  commitFiles(local, { a: "ours\n" });
  expect(() => local("merge", "side")).toThrow();
  expect(existsSync(`${local.folder}/.git/MERGE_HEAD`)).toBe(true);
  expect(await pullRefused(scene, { hook: "post-merge" })).toMatchObject({ message: "a merge is in progress here" });
});
