import { existsSync, readdirSync } from "node:fs";
import { expect } from "vitest";
import { resumeParked, type ParkedRequest, type Resumed } from "../../src/patch/parked/parked.ts";
import { PullRefused } from "../../src/patch/verdict.ts";
import type { Checkpoint, PullDeps } from "../../src/patch/request.ts";
import { commitFiles, gitIn, type TestGit, writeFile } from "./git.ts";
import { makeDeps, pullInto, type PullInto } from "./pulling.ts";
import { makeScene, type Scene } from "./scene.ts";

const lines = Array.from({ length: 12 }, (_, at) => `${at}\n`);
/** `f` with some of its lines changed. */
export const edited = (changes: Readonly<Record<number, string>>) =>
  lines.map((line, at) => (changes[at] === undefined ? line : `${changes[at]}\n`)).join("");

/** Four commits of the sandbox, of which the second and (with `twice`) the fourth conflict with the user's. */
export function makeConflict({ twice = false }: { twice?: boolean } = {}): Scene {
  const scene = makeScene({ files: { f: edited({}), g: edited({}), b: "b\n" } });
  commitFiles(scene.sandbox, { n: "n\n" }, "one");
  commitFiles(scene.sandbox, { f: edited({ 2: "theirs" }) }, "two\n\nbody  \n# not a comment\n");
  commitFiles(scene.sandbox, { f: edited({ 2: "theirs", 9: "more" }) }, "three");
  commitFiles(scene.sandbox, { g: edited({ 5: "theirs" }) }, "four");
  commitFiles(scene.local, { f: edited({ 2: "mine" }), ...(twice ? { g: edited({ 5: "mine" }) } : {}) }, "mine");
  return scene;
}

/** Pulls with --park, and expects it to stop. Gives the worktree. */
export async function parkIn({ local, source }: Scene, options: PullInto = {}): Promise<TestGit> {
  const error = await refusedBy(pullInto(local.folder, source, { onConflict: "park", ...options }));
  expect(error).toMatchObject({ kind: "attention", code: "conflict" });
  return parkedTree(local);
}

export function parkedTree(local: TestGit): TestGit {
  const path = /^worktree (.*\/ferry\/parked\/.*)$/mu.exec(local("worktree", "list", "--porcelain"))?.[1];
  return gitIn(path ?? expect.fail("no worktree is parked"));
}

export function resume(
  folder: string,
  how: ParkedRequest["how"],
  { deps, ...more }: Partial<ParkedRequest> & { deps?: Partial<PullDeps> } = {},
): Promise<Resumed> {
  return resumeParked({ folder, how, ...more }, makeDeps({}, deps));
}

export async function refusedBy(promise: Promise<unknown>): Promise<PullRefused> {
  const error = await promise.then(
    (value) => expect.fail(`came: ${JSON.stringify(value)}`),
    (cause: unknown) => cause,
  );
  if (!(error instanceof PullRefused)) throw error;
  return error;
}

/** What the pulls of these scenes are for, to undo one. */
export const errandIn = ({ local }: Pick<Scene, "local">) => ({
  folder: local.folder,
  origin: "https://agents.example.com",
  workspace: "wsp_1",
  session: "ses_1",
  repositoryId: "rep_1",
});

/** Nothing is parked any more, and nothing is left of it. */
export function expectNoDebris({ local }: Scene): void {
  expect(local("worktree", "list").split("\n")).toHaveLength(1);
  expect(existsSync(`${local.folder}/.git/worktrees`)).toBe(false);
  expect(readdirSync(`${local.folder}/.git/ferry`)).toEqual([]);
  expect(local("fsck", "--strict", "--no-dangling")).toBe("");
}

export const rescueOf = ({ local }: Pick<Scene, "local">) => `${local.folder}/.git/ferry/rescue`;

/** Parks a pull, and resolves its conflict. */
export async function makeResolved(options: { twice?: boolean } = {}): Promise<{ scene: Scene; tree: TestGit }> {
  const scene = makeConflict(options);
  const tree = await parkIn(scene);
  writeFile(tree, "f", edited({ 2: "both" }));
  tree("add", "f");
  return { scene, tree };
}

/** Ends a parked pull, and does something the first time that it comes to a point. */
export function resumeWhile(
  { local }: Scene,
  how: "continue" | "skip" | "abort",
  { at, work, isForced = false }: { at: Checkpoint; work: () => void; isForced?: boolean },
) {
  let isDone = false;
  const checkpoint = (name: Checkpoint) => {
    if (name === at && !isDone) {
      isDone = true;
      work();
    }
    return Promise.resolve();
  };
  return resume(local.folder, how, { deps: { checkpoint }, acceptDeletion: isForced });
}
