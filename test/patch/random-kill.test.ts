import { createHash } from "node:crypto";
import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { FerryError } from "../../src/base/errors.ts";
import { checkpoints, type Checkpoint, moreCheckpoints } from "../../src/patch/request.ts";
import { ended, startPull } from "../support/dying.ts";
import { gitIn } from "../support/git.ts";
import { commit, commitAll } from "../support/histories.ts";
import { type Death, killingGit } from "../support/killing-git.ts";
import { act, operation } from "../support/operations.ts";
import { pullInto } from "../support/pulling.ts";
import { makeScene, removeScenes, type Scene } from "../support/scene.ts";
import { sandboxSource } from "../support/series.ts";
import { filesBelow, stateOf } from "../support/state.ts";

afterAll(removeScenes);

const { stash, here, park } = moreCheckpoints;
const places: readonly Checkpoint[] = [...checkpoints, ...stash, ...here, ...park];
const death = fc.record<Death>({
  of: fc.constantFrom("ferry", "git", "both"),
  at: fc.integer({ min: 1, max: 45 }),
  when: fc.constantFrom("start", "end"),
});
const plan = fc.record({
  base: fc.array(operation, { maxLength: 6 }),
  commits: fc.array(commit, { minLength: 1, maxLength: 3 }),
  own: fc.array(fc.array(operation, { minLength: 1, maxLength: 2 }), { maxLength: 1 }),
  work: fc.array(operation, { maxLength: 2 }),
  dirt: fc.array(fc.record({ operation, isStaged: fc.boolean() }), { maxLength: 3 }),
  setting: fc.constantFrom("", "", "core.autocrlf=true", "core.autocrlf=input", "core.fileMode=false", "detached"),
  flag: fc.constantFrom("", "", "", "uncommitted", "autostash", "here", "park"),
  engine: fc.constantFrom("exact", "am", "bundle"),
  death: fc.oneof(fc.constantFrom(...places), death),
});
type Plan = typeof plan extends fc.Arbitrary<infer T> ? T : never;

function build({ base, commits, own, work, dirt, setting }: Plan): Scene {
  const scene = makeScene({
    files: { "always here": "1\n" },
    prepare: (local) => commitAll(local, { operations: base, message: "base", isMerge: false }),
  });
  const { local, sandbox } = scene;
  for (const one of commits) commitAll(sandbox, { ...one, isMerge: false });
  for (const one of work) act(sandbox, one);
  for (const operations of own) commitAll(local, { operations, message: "own", isMerge: false });
  if (setting === "detached") local("checkout", "--quiet", "--detach");
  else if (setting !== "") local("config", ...(setting.split("=") as [string, string]));
  for (const { operation: one, isStaged } of dirt) {
    act(local, one);
    const top = one.path.split("/")[0] ?? "";
    if (isStaged && local("ls-files", "--cached", "--others", "--", top) !== "") local("add", "--all", "--", top);
  }
  return scene;
}

/** The same once more, in which nobody dies. */
function twinOf({ local, sandbox, base }: Scene): Scene {
  const place = `${local.folder}-twin`;
  for (const name of ["local", "sandbox"] as const)
    cpSync({ local, sandbox }[name].folder, `${place}/${name}`, { recursive: true, verbatimSymlinks: true });
  const folder = `${place}/sandbox`;
  return {
    local: gitIn(`${place}/local`),
    sandbox: gitIn(folder),
    base,
    source: sandboxSource({ folder, branch: "HEAD", base }),
  };
}

function optionsOf({ flag }: Plan) {
  if (flag === "uncommitted") return { uncommitted: true };
  if (flag === "autostash") return { autostash: true };
  return flag === "here" || flag === "park" ? ({ onConflict: flag } as const) : {};
}

/** Pulls to the end; what a person is needed for is an end as well. */
async function pullOnce({ local, source }: Scene, one: Plan, more: { dryRun?: boolean } = {}): Promise<void> {
  try {
    await pullInto(local.folder, source, { engine: one.engine, ...optionsOf(one), ...more });
  } catch (error) {
    if (!(error instanceof FerryError) || error.kind !== "attention") throw error;
  }
}

const visible = ({ local }: Scene) => ({ ...stateOf(local.folder), objects: "" });

/** What must be the same with a death on the way as without. */
function outcomeOf({ local }: Scene) {
  const { index, status, files } = stateOf(local.folder);
  // By what they hold: the commits of a replay have the time of it.
  return { index, status: status?.replace(/^# .*$/gmu, ""), files, log: local("log", "--format=%T %an %s") };
}

/** Contents that were only here, by their blobs' ids. */
function ownContents({ local }: Scene): string[] {
  const known = new Set(objectsIn(local("rev-list", "--objects", "--all", "HEAD")));
  return [...new Set(contentsBelow(local.folder))].filter((id) => !known.has(id));
}

/** The same of all that a person could find again: here, in a worktree, among what was rescued, in a stash. */
function heldContents({ local }: Scene): string[] {
  const trees = local("worktree", "list", "--porcelain").match(/(?<=^worktree ).*$/gmu) ?? [];
  const folders = [...trees, `${local.folder}/.git/ferry/rescue`].filter((each) => existsSync(each));
  return [...folders.flatMap(contentsBelow), ...objectsIn(local("rev-list", "--objects", "--all", "--reflog", "HEAD"))];
}

function contentsBelow(folder: string): string[] {
  return filesBelow(folder).flatMap((line) => {
    const path = /^(.*) [0-7]+ [0-9a-f]{64}$/u.exec(line)?.[1];
    return path === undefined ? [] : [blobOf(readFileSync(`${folder}/${path}`))];
  });
}

function blobOf(content: Buffer): string {
  return createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex");
}

function objectsIn(listing: string): string[] {
  return listing.split("\n").map((line) => line.split(" ")[0] ?? "");
}

/** A pull in a process of its own, and whatever dies on the way. Gives whether that was ferry itself. */
async function pullToDeath(scene: Scene, one: Plan): Promise<boolean> {
  const { death: of, engine } = one;
  const more = { engine, options: optionsOf(one) };
  const child =
    typeof of === "string"
      ? startPull(scene, of, more)
      : startPull(scene, "", { ...more, path: killingGit(`${scene.local.folder}-path`, of) });
  return (await ended(child)).signal !== null;
}

it("whoever dies, and whenever: it comes, or nothing changes, and the next pull ends as if nobody had died", async () => {
  const seen = { dead: 0, came: 0, back: 0 };
  await fc.assert(
    fc.asyncProperty(plan, async (one) => {
      const scene = build(one);
      const twin = twinOf(scene);
      const before = visible(scene);
      const mine = ownContents(scene);
      const isDead = await pullToDeath(scene, one);
      // A ferry that lives takes back by itself what it has begun.
      if (isDead) await pullOnce(scene, one, { dryRun: true });
      for (const id of mine) expect(heldContents(scene)).toContain(id);
      const isPlain = one.flag === "" || one.flag === "uncommitted";
      const isBack = isDeepStrictEqual(visible(scene), before);
      if (isPlain && scene.local("rev-parse", "HEAD") === twin.local("rev-parse", "HEAD"))
        expect({ ...visible(scene), refs: "", reflog: "" }).toEqual({ ...before, refs: "", reflog: "" });
      await pullOnce(scene, one);
      await pullOnce(twin, one);
      for (const id of mine) expect(heldContents(scene)).toContain(id);
      if (isPlain || isBack) expect(outcomeOf(scene)).toEqual(outcomeOf(twin));
      expect(scene.local("fsck", "--strict", "--no-dangling")).toBe("");
      expect(readdirSync(`${scene.local.folder}/.git/ferry`).filter((name) => name !== "parked")).toEqual([]);
      seen.dead += Number(isDead);
      seen[isBack ? "back" : "came"] += 1;
    }),
    {
      numRuns: Number(process.env["FERRY_TEST_RUNS"] ?? 3),
      endOnFailure: true,
      seed: process.env["FERRY_TEST_SEED"] === undefined ? 4 : Number(process.env["FERRY_TEST_SEED"]),
    },
  );
  expect(Math.min(seen.dead, seen.came, seen.back)).toBeGreaterThan(0);
}, 600_000);
