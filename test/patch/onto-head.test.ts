import { createHash } from "node:crypto";
import { readFileSync, symlinkSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import type { FerryError } from "../../src/base/errors.ts";
import { commitFiles, gitIn, makeFolder, makeRepository, type TestGit, writeFile } from "../support/git.ts";
import { makeDeps, pullInto, type PullInto, pullRequest } from "../support/pulling.ts";
import { sandboxSource, type SandboxSource, tamperedSource } from "../support/series.ts";
import { stateOf } from "../support/state.ts";
import { undo } from "../../src/patch/undo.ts";

const folder = makeFolder();
afterAll(folder.remove);
let places = 0;

const long = (change: Record<number, string> = {}) =>
  Array.from({ length: 30 }, (_, at) => `${change[at] ?? `line ${at}`}\n`).join("");

interface Place {
  readonly local: TestGit;
  readonly sandbox: TestGit;
  readonly start: string;
}

/** The sandbox began at a commit that was never pushed anywhere, with what `never` holds on top of what is here. */
function makePlace(never: Record<string, string | null> = { never: "pushed\n" }, files: Record<string, string> = {}): Place {
  const at = `${folder.path}/${++places}`;
  const local = makeRepository(`${at}/local`);
  commitFiles(local, { a: long(), b: "b\n", "dir/c": long().replaceAll("line", "row"), ...files }, "base");
  gitIn(at)("clone", "--quiet", "local", "sandbox");
  const sandbox = gitIn(`${at}/sandbox`);
  const start = commitFiles(sandbox, never, "never pushed");
  return { local, sandbox, start };
}

const sandboxOf = ({ sandbox, start }: Place) => ({ folder: sandbox.folder, branch: "HEAD", base: start });
const sourceOf = (place: Place) => sandboxSource(sandboxOf(place));
const ontoHead = (place: Place, more: PullInto = {}) =>
  pullInto(place.local.folder, sourceOf(place), { ontoHead: true, ...more });

async function refused(place: Place, more: PullInto = {}, source: SandboxSource = sourceOf(place)): Promise<FerryError> {
  const before = stateOf(place.local.folder);
  const error = await pullInto(place.local.folder, source, more).then(
    (verdict) => expect.fail(`was applied: ${JSON.stringify(verdict)}`),
    (cause: unknown) => cause as FerryError,
  );
  expect(stateOf(place.local.folder)).toEqual(before);
  return error;
}

describe("a base that is nowhere to be had", () => {
  it("is refused without --onto-head, which is named", async () => {
    const place = makePlace();
    commitFiles(place.sandbox, { a: long({ 3: "three" }) }, "its own");
    const error = await refused(place);
    expect(error).toMatchObject({ kind: "attention", code: "unrelated" });
    expect(error.hint).toContain("ferry pull --onto-head");
  });

  it("with it: the commits are made on HEAD, author and message as they were, and told as approximate", async () => {
    const place = makePlace();
    commitFiles(
      place.sandbox,
      { a: long({ 3: "three" }), bin: Buffer.from([0, 1, 2, 255]) },
      "first\n\nFrom: x <x@y>\n---\nbody",
    );
    commitFiles(place.sandbox, {}, "empty");
    const last = commitFiles(place.sandbox, { b: null, "dir/new": "n\n" }, "second");
    commitFiles(place.local, { mine: "m\n" }, "mine");
    writeFile(place.local, "dirt", "d\n");
    const before = place.local("rev-parse", "HEAD");
    const verdict = await ontoHead(place);
    expect(verdict).toMatchObject({ applied: true, base: before, engine: "am", exactness: "approximate", files: 4 });
    expect(verdict.commits.map(({ sequence, subject }) => [sequence, subject])).toEqual([
      [1, "first"],
      [2, "empty"],
      [3, "second"],
    ]);
    expect(verdict.commits[2]).toMatchObject({ commit: last, applied_as: place.local("rev-parse", "HEAD") });
    expect(verdict.notices[0]).toMatch(/^approximate: put on HEAD by git am --3way/u);
    const format = "--format=%an %ae %at %B";
    expect(place.local("log", format, `${before}..HEAD`)).toBe(place.sandbox("log", format, `${place.start}..HEAD`));
    expect(place.local("diff", "--raw", "--abbrev=40", before, "HEAD")).toBe(
      place.sandbox("diff", "--raw", "--abbrev=40", place.start, "HEAD"),
    );
    expect(place.local("status", "--porcelain")).toBe("?? dirt");
    expect(place.local("fsck", "--strict", "--no-dangling")).toBe("");
  });

  it("the next pull brings only what came since; without the flag it asks for it again, and nothing new is nothing", async () => {
    const place = makePlace();
    commitFiles(place.sandbox, { a: long({ 3: "three" }) }, "first");
    await ontoHead(place);
    expect(await pullInto(place.local.folder, sourceOf(place))).toMatchObject({ applied: false, commits: [] });
    expect(await ontoHead(place)).toMatchObject({ applied: false, commits: [] });
    commitFiles(place.sandbox, { a: long({ 3: "three", 20: "twenty" }) }, "second");
    expect((await refused(place)).hint).toContain("--onto-head");
    const verdict = await ontoHead(place);
    expect(verdict.commits.map(({ subject }) => subject)).toEqual(["second"]);
    expect(place.local("log", "--format=%s")).toBe("second\nfirst\nbase");
    expect(readFileSync(`${place.local.folder}/a`, "utf8")).toBe(long({ 3: "three", 20: "twenty" }));
    const request = pullRequest(place.local.folder, undefined);
    expect(await undo(request, makeDeps())).toMatchObject({ to: place.local("rev-parse", "HEAD") });
    expect((await ontoHead(place)).commits.map(({ subject }) => subject)).toEqual(["second"]);
  });

  it("merges by the blobs that are here, though the commit isn't; renames here are followed", async () => {
    const place = makePlace({ never: "pushed\n" });
    // Lines next to each other: as a patch it doesn't apply, as a merge it does.
    commitFiles(place.sandbox, { a: long({ 10: "theirs" }) }, "theirs");
    commitFiles(place.local, { a: long({ 8: "ours" }) }, "ours");
    await ontoHead(place);
    expect(readFileSync(`${place.local.folder}/a`, "utf8")).toBe(long({ 8: "ours", 10: "theirs" }));
    const moved = makePlace();
    const rows = (change: Record<number, string> = {}) => long(change).replaceAll("line", "row");
    commitFiles(moved.sandbox, { "dir/c": rows({ 10: "theirs" }) }, "theirs");
    moved.local("mv", "dir/c", "elsewhere");
    commitFiles(moved.local, {}, "moved");
    const { notices } = await ontoHead(moved);
    expect(readFileSync(`${moved.local.folder}/elsewhere`, "utf8")).toBe(rows({ 10: "theirs" }));
    expect(notices).toContainEqual(expect.stringMatching(/changed dir\/c there, and elsewhere here$/u));
  });

  it("without those blobs: as the patch says, where its context is there; else refused", async () => {
    const place = makePlace({ a: long({ 25: "never pushed" }) });
    commitFiles(place.sandbox, { a: long({ 3: "three", 25: "never pushed" }) }, "far from it");
    expect(await ontoHead(place)).toMatchObject({ applied: true, exactness: "approximate" });
    expect(readFileSync(`${place.local.folder}/a`, "utf8")).toBe(long({ 3: "three" }));
    commitFiles(place.sandbox, { a: long({ 3: "three", 25: "never pushed", 26: "next to it" }) }, "near to it");
    const error = await refused(place, { ontoHead: true });
    expect(error).toMatchObject({ kind: "attention", code: "conflict", details: ["a"] });
    expect(error.message).toContain("near to it");
  });

  it("a commit that conflicts: refused with it and the paths, nothing changed, nothing of those before it", async () => {
    const place = makePlace();
    commitFiles(place.sandbox, { b: "B\n" }, "fits");
    const wrong = commitFiles(place.sandbox, { a: long({ 3: "theirs" }), "dir/c": long({ 3: "theirs" }) }, "doesn't");
    commitFiles(place.local, { a: long({ 3: "ours" }) }, "ours");
    const error = await refused(place, { ontoHead: true });
    expect(error).toMatchObject({
      kind: "attention",
      code: "conflict",
      details: ["a"],
      verdict: { applied: false, conflicts: ["a"], commits: [{ subject: "fits" }, { subject: "doesn't" }] },
    });
    expect(error.message).toContain(wrong.slice(0, 12));
  });

  it("dryRun only tells, and blocked by local work it refuses", async () => {
    const place = makePlace();
    commitFiles(place.sandbox, { b: "B\n" }, "first");
    const before = stateOf(place.local.folder);
    expect(await ontoHead(place, { dryRun: true })).toMatchObject({ applied: false, exactness: "approximate", files: 1 });
    expect(stateOf(place.local.folder)).toEqual(before);
    writeFile(place.local, "b", "dirty\n");
    expect(await refused(place, { ontoHead: true })).toMatchObject({ verdict: { blocked_by: ["b"] } });
  });

  it("what is here already isn't made again, and isn't asked for again", async () => {
    const place = makePlace();
    commitFiles(place.sandbox, { b: "B\n" }, "first");
    const second = commitFiles(place.sandbox, { n: "n\n" }, "second");
    const head = commitFiles(place.local, { b: "B\n" }, "mine, the same");
    const verdict = await ontoHead(place);
    expect(verdict.commits).toMatchObject([
      { subject: "first", applied_as: null },
      { subject: "second", commit: second, applied_as: place.local("rev-parse", "HEAD") },
    ]);
    expect(place.local("rev-list", "--count", `${head}..HEAD`)).toBe("1");
    const all = makePlace();
    commitFiles(all.sandbox, { b: "B\n" }, "first");
    const at = commitFiles(all.local, { b: "B\n" }, "the same");
    expect(await ontoHead(all)).toMatchObject({ applied: false, commits: [], tip: at });
    expect(await pullInto(all.local.folder, sourceOf(all))).toMatchObject({ applied: false, commits: [] });
  });

  it("a history that was rewritten since is refused", async () => {
    const place = makePlace();
    commitFiles(place.sandbox, { b: "B\n" }, "first");
    await ontoHead(place);
    place.sandbox("commit", "--quiet", "--amend", "-m", "another");
    expect(await refused(place, { ontoHead: true, acceptRewrite: true })).toMatchObject({ code: "history_rewritten" });
  });

  it("the same judge: a link out of the repository, a mail in a patch", async () => {
    const place = makePlace();
    symlinkSync("/etc", `${place.sandbox.folder}/out`);
    commitFiles(place.sandbox, {}, "link");
    expect(await refused(place, { ontoHead: true })).toMatchObject({ kind: "failure" });
    const other = makePlace();
    commitFiles(other.sandbox, { b: "B\n" }, "first");
    const mail =
      "From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001\nFrom: e <e@e>\nSubject: 7\n\ndiff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+x\n";
    const grow = (mbox: Buffer) => Buffer.concat([mbox, Buffer.from(mail)]);
    let mbox = Buffer.alloc(0);
    const honest = sourceOf(other);
    const tip = other.sandbox("rev-parse", "HEAD");
    for await (const piece of honest.mbox(other.start, tip)) mbox = Buffer.concat([mbox, piece]);
    const bytes = grow(mbox);
    const lying = tamperedSource(sandboxOf(other), {
      mbox: grow,
      manifest: (manifest) => ({
        ...manifest,
        items: manifest.items.map((item) => ({
          ...item,
          bytes: bytes.length,
          sha256: createHash("sha256").update(bytes).digest("hex"),
        })),
      }),
    });
    expect(await refused(other, { ontoHead: true }, lying)).toMatchObject({ kind: "failure" });
  });

  it("nothing of it where the base is here: the ids are the sandbox's", async () => {
    const place = makePlace();
    const source = sandboxSource({ folder: place.sandbox.folder, branch: "HEAD", base: place.local("rev-parse", "HEAD") });
    expect(await pullInto(place.local.folder, source, { ontoHead: true })).toMatchObject({ exactness: "exact" });
  });
});
