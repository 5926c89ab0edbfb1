import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { FerryError } from "../../../src/base/errors.ts";
import type { Checkpoint } from "../../../src/patch/request.ts";
import { ended, startPull } from "../../support/dying.ts";
import { commitFiles, gitBytes } from "../../support/git.ts";
import { pullInto, type PullInto } from "../../support/pulling.ts";
import { sandboxSource } from "../../support/series.ts";
import { stateOf } from "../../support/state.ts";
import { branchOffers, makeUpstream, pullBranch, push, removeUpstreams, type Upstream } from "../../support/upstream.ts";

afterAll(removeUpstreams);

/** Pulls, and expects a refusal that left everything as it was. */
async function refused(place: Upstream, options: PullInto = {}): Promise<FerryError> {
  const before = stateOf(place.local.folder);
  const error = await pullBranch(place, options).then(
    (verdict) => expect.fail(`was applied: ${JSON.stringify(verdict)}`),
    (cause: unknown) => cause,
  );
  if (!(error instanceof FerryError)) throw error;
  expect(stateOf(place.local.folder)).toEqual(before);
  return error;
}

describe("the session's branch on a remote", () => {
  it("comes with its ids, then only what is new, and no ref of the remote's moves", async () => {
    const place = makeUpstream();
    const first = push(place, { a: "1\nzwei\n3\n" }, "one");
    place.sandbox("tag", "v1");
    place.sandbox("push", "--quiet", "--tags");
    const verdict = await pullBranch(place);
    expect(verdict).toMatchObject({ applied: true, tip: first, exactness: "exact", engine: "fetch", source: "branch" });
    expect(verdict.from).toBe("branch work of the remote origin");
    expect(place.local("for-each-ref", "--format=%(refname)", "refs/remotes", "refs/tags")).toBe(
      "refs/remotes/origin/HEAD\nrefs/remotes/origin/main",
    );
    expect(existsSync(`${place.local.folder}/.git/FETCH_HEAD`)).toBe(false);
    expect(await pullBranch(place)).toMatchObject({ applied: false, commits: [] });
    push(place, { b: "B\n" }, "two");
    const third = push(place, { n: "n\n" }, "three");
    expect(await pullBranch(place)).toMatchObject({
      tip: third,
      exactness: "exact",
      commits: [{ subject: "two" }, { subject: "three" }],
    });
    expect(place.local("status", "--porcelain")).toBe("");
    expect(place.local("fsck", "--strict", "--no-dangling")).toBe("");
  });

  it("comes onto a HEAD that moved on", async () => {
    const place = makeUpstream();
    push(place, { a: "1\nzwei\n3\n" });
    commitFiles(place.local, { mine: "m\n" });
    expect(await pullBranch(place)).toMatchObject({ applied: true, exactness: "rebuilt" });
    expect(place.local("show", "HEAD:a")).toBe("1\nzwei\n3");
  });

  it("with merges", async () => {
    const place = makeUpstream();
    place.sandbox("switch", "--quiet", "--create", "side");
    commitFiles(place.sandbox, { side: "s\n" });
    place.sandbox("switch", "--quiet", "work");
    commitFiles(place.sandbox, { a: "A\n" });
    place.sandbox("merge", "--quiet", "--no-ff", "--no-edit", "side");
    const tip = push(place, { b: "B\n" });
    expect(await pullBranch(place)).toMatchObject({ tip, exactness: "exact", commits: { length: 4 } });
  });

  it("is only told about with dryRun", async () => {
    const place = makeUpstream();
    push(place, { a: "A\n" });
    const before = stateOf(place.local.folder);
    expect(await pullBranch(place, { dryRun: true })).toMatchObject({ applied: false, commits: { length: 1 } });
    expect(stateOf(place.local.folder)).toEqual(before);
  });

  it("in a shallow clone, and in one with sha256", async () => {
    const shallow = makeUpstream({ clone: ["--depth=1"], history: 3 });
    const tip = push(shallow, { a: "A\n" });
    const boundary = readFileSync(`${shallow.local.folder}/.git/shallow`, "utf8");
    expect(await pullBranch(shallow)).toMatchObject({ tip, exactness: "exact" });
    expect(readFileSync(`${shallow.local.folder}/.git/shallow`, "utf8")).toBe(boundary);
    const long = makeUpstream({ init: ["--object-format=sha256"] });
    expect(push(long, { a: "A\n" })).toHaveLength(64);
    expect(await pullBranch(long)).toMatchObject({ exactness: "exact", applied: true });
  });
});

describe("where the service doesn't say where it began", () => {
  const unsaid = { offers: { branch: { name: "work", base: {} } } };

  it("at what it has in common with the remote's own branch", async () => {
    const place = makeUpstream();
    push(place, { a: "A\n" }, "the only one");
    // The remote's branch moved on, and the user's too.
    commitFiles(place.local, { mine: "m\n" });
    expect(await pullBranch(place, unsaid)).toMatchObject({ commits: [{ subject: "the only one" }], exactness: "rebuilt" });
  });

  it("at the branch here that it grew from, where that is newer", async () => {
    const place = makeUpstream();
    commitFiles(place.sandbox, { f: "f\n" }, "a feature that is under way");
    place.sandbox("push", "--quiet", "origin", "work:feature");
    place.local("fetch", "--quiet", "origin", "feature");
    place.local("switch", "--quiet", "--create", "feature", "FETCH_HEAD");
    const tip = push(place, { a: "A\n" }, "on top of it");
    expect(await pullBranch(place, unsaid)).toMatchObject({ tip, exactness: "exact", commits: [{ subject: "on top of it" }] });
  });

  it("only its own commits, where the clone here is behind by others'", async () => {
    const place = makeUpstream();
    for (let at = 0; at < 20; at++) commitFiles(place.sandbox, { [`n${at}`]: "n\n" }, `of others ${at}`);
    place.sandbox("push", "--quiet", "origin", "work:main");
    push(place, { a: "A\n" }, "its own");
    const verdict = await pullBranch(place, unsaid);
    expect(verdict).toMatchObject({ exactness: "rebuilt", commits: [{ subject: "its own" }] });
    expect(existsSync(`${place.local.folder}/n0`)).toBe(false);
  });

  it("by the name of the branch that it began on", async () => {
    const place = makeUpstream();
    commitFiles(place.sandbox, { r: "r\n" }, "release");
    place.sandbox("push", "--quiet", "origin", "work:release");
    push(place, { a: "A\n" }, "its own");
    const offers = { branch: { name: "work", base: { branch: "release" } } };
    expect(await pullBranch(place, { offers })).toMatchObject({ commits: [{ subject: "its own" }] });
  });

  it("and what it says is no option of git's, nor believed where it isn't so", async () => {
    const place = makeUpstream();
    push(place, { a: "A\n" }, "its own");
    for (const commit of ["--output=x", "HEAD", "f".repeat(40)]) {
      const offers = { branch: { name: "work", base: { commit } } };
      expect(await pullBranch(place, { offers, dryRun: true })).toMatchObject({ commits: [{ subject: "its own" }] });
    }
    expect(existsSync(`${place.local.folder}/x`)).toBe(false);
  });
});

describe("a branch that", () => {
  it("isn't there", async () => {
    const error = await refused(makeUpstream());
    expect(error).toMatchObject({ kind: "failure", code: "no_source" });
    expect(error.details.join()).toContain("origin has no branch work");
    expect(await refused(makeUpstream(), { offers: { wanted: "branch" } })).toMatchObject({ kind: "not_found" });
  });

  it.each(["-x", "--upload-pack=touch x", "a..b", "a:b", "+main:main", "*", "a\nb", "refs/../x", ""])(
    "can't be one: %j",
    async (name) => {
      const place = makeUpstream();
      const error = await refused(place, { offers: { wanted: "branch", branch: { name, base: {} } } });
      expect(["failure", "not_found"]).toContain(error.kind);
    },
  );

  it("was rewritten: refused with the difference, taken with --accept-rewrite", async () => {
    const place = makeUpstream();
    push(place, { a: "A\n" }, "first try");
    await pullBranch(place);
    place.sandbox("reset", "--quiet", "--hard", place.base);
    const tip = push(place, { a: "AA\n" }, "second try");
    const error = await refused(place);
    expect(error).toMatchObject({ kind: "attention", code: "history_rewritten" });
    expect(error.details.join("\n")).toContain("second try");
    expect(await pullBranch(place, { acceptRewrite: true })).toMatchObject({ tip, applied: true });
  });

  it("is on the second of the remotes only", async () => {
    const place = makeUpstream();
    gitBytes(place.up.folder, ["clone", "--quiet", "--bare", place.up.folder, "../fork.git"]);
    place.local("remote", "add", "fork", `file://${place.up.folder}/../fork.git`);
    const tip = push(place, { a: "A\n" });
    expect(await pullBranch(place, { offers: { remotes: async () => ["fork", "origin"] } })).toMatchObject({ tip });
  });

  it("has an object that breaks git's rules", async () => {
    const place = makeUpstream();
    place.up("config", "receive.fsckObjects", "false");
    const blob = gitBytes(place.sandbox.folder, ["hash-object", "-w", "--stdin"], { input: "#!/bin/sh\n" }).toString().trim();
    const inner = gitBytes(place.sandbox.folder, ["mktree"], { input: `100755 blob ${blob}\tpost-checkout\n` })
      .toString()
      .trim();
    const tree = gitBytes(place.sandbox.folder, ["mktree"], { input: `040000 tree ${inner}\t.GIT\n` })
      .toString()
      .trim();
    const bad = place.sandbox("commit-tree", "-p", place.base, "-m", "bad", tree);
    place.sandbox("push", "--quiet", "--force", "origin", `${bad}:refs/heads/work`);
    expect(await refused(place)).toMatchObject({ kind: "failure", code: "policy" });
  });

  it("leads out of the repository by a link", async () => {
    const place = makeUpstream();
    gitBytes(place.sandbox.folder, ["update-index", "--add", "--cacheinfo", `120000,${hashOf(place, "../../out")},link`]);
    place.sandbox("commit", "--quiet", "-m", "link");
    place.sandbox("push", "--quiet", "origin", "work");
    expect(await refused(place)).toMatchObject({ kind: "failure", code: "policy" });
  });
});

function hashOf({ sandbox }: Upstream, content: string): string {
  return gitBytes(sandbox.folder, ["hash-object", "-w", "--stdin"], { input: content }).toString("utf8").trim();
}

describe("a remote that", () => {
  it("would run a command, is a helper's or was forbidden by the user: isn't used", async () => {
    const place = makeUpstream();
    push(place, { a: "A\n" });
    const marker = `${place.local.folder}/../ran`;
    for (const url of [`ext::sh -c touch% ${marker}`, "foo::bar"]) {
      place.local("config", "remote.origin.url", url);
      place.local("config", "protocol.allow", "always");
      expect(await refused(place)).toMatchObject({ kind: "failure", code: "transport" });
    }
    expect(existsSync(marker)).toBe(false);
    place.local("config", "remote.origin.url", `file://${place.up.folder}`);
    place.local("config", "protocol.file.allow", "never");
    expect(await refused(place)).toMatchObject({ kind: "failure", code: "transport" });
  });

  it("isn't reached, or is none", async () => {
    const place = makeUpstream();
    place.local("config", "remote.origin.url", "http://127.0.0.1:1/x.git");
    expect(await refused(place)).toMatchObject({ kind: "unavailable" });
    place.local("config", "remote.origin.url", `file://${place.up.folder}-gone`);
    expect(await refused(place)).toMatchObject({ kind: "not_found" });
  });

  it("has the user's insteadOf and hooks: the one is followed, the others don't run", async () => {
    const place = makeUpstream();
    const tip = push(place, { a: "A\n" });
    place.local("config", `url.file://${place.up.folder}.insteadOf`, "work:repo");
    place.local("config", "remote.origin.url", "work:repo");
    writeFileSync(`${place.local.folder}/.git/hooks/reference-transaction`, "#!/bin/sh\ntouch ran\n", { mode: 0o755 });
    expect(await pullBranch(place)).toMatchObject({ tip });
    expect(existsSync(`${place.local.folder}/ran`)).toBe(false);
  });

  it("and settings of the user's that fetch more: tags, pruning, submodules, mirrors, one of many branches", async () => {
    const place = makeUpstream();
    const tip = push(place, { a: "A\n" });
    const settings = {
      "remote.origin.tagOpt": "--tags",
      "fetch.prune": "true",
      "fetch.pruneTags": "true",
      "fetch.recurseSubmodules": "true",
      "fetch.writeCommitGraph": "true",
      "fetch.output": "compact",
      "remote.origin.mirror": "true",
    };
    for (const [name, value] of Object.entries(settings)) place.local("config", name, value);
    place.local("config", "--add", "remote.origin.fetch", "+refs/*:refs/*");
    place.sandbox("push", "--quiet", "origin", "HEAD:refs/tags/t");
    const refs = place.local("for-each-ref", "refs/heads", "refs/tags", "refs/remotes");
    expect(await pullBranch(place, { dryRun: true })).toMatchObject({ tip });
    expect(place.local("for-each-ref", "refs/heads", "refs/tags", "refs/remotes")).toBe(refs);
  });
});

describe("which source", () => {
  const patches = ({ sandbox, base }: Upstream) => sandboxSource({ folder: sandbox.folder, branch: "HEAD", base });

  it("is the patch stream where there is one, and stays what the first pull took", async () => {
    const place = makeUpstream();
    push(place, { a: "A\n" });
    const offers = branchOffers(place.base);
    expect(await pullInto(place.local.folder, patches(place), { offers })).toMatchObject({ source: "patches" });
    const error = await refused(place);
    expect(error).toMatchObject({
      kind: "attention",
      hint: "choose another: ferry pull --source branch, or ferry pull --source events",
    });
    push(place, { a: "AA\n" });
    expect(await pullBranch(place, { offers: { wanted: "branch" } })).toMatchObject({ source: "branch", exactness: "exact" });
    // From now on that is it, also where there are patches again.
    push(place, { a: "AAA\n" });
    expect(await pullInto(place.local.folder, patches(place), { offers })).toMatchObject({ source: "branch", applied: true });
    expect(place.local("for-each-ref", "--format=%(refname)", "refs/ferry/*/source/*")).toMatch(/\/source\/branch$/u);
    push(place, { a: "AAAA\n" });
    const back = { offers: { ...offers, wanted: "patches" } } as const;
    expect(await pullInto(place.local.folder, patches(place), back)).toMatchObject({ source: "patches", exactness: "exact" });
    expect(place.local("for-each-ref", "refs/ferry/*/source/*")).toBe("");
  });
});

describe("kill -9 of a pull from a branch", () => {
  it.each<Checkpoint>(["quarantined", "fetched", "promoted", "tree-written"])(
    "at %s leaves nothing that the next one doesn't take back or end",
    async (dieAt) => {
      const place = makeUpstream();
      const tip = push(place, { a: "A\n", n: "n\n" });
      const before = { ...stateOf(place.local.folder), objects: "" };
      expect(await ended(startPull({ ...place, fromBranch: true }, dieAt))).toEqual({ code: null, signal: "SIGKILL" });
      await pullBranch(place, { dryRun: true });
      expect({ ...stateOf(place.local.folder), objects: "" }).toEqual(before);
      expect(await pullBranch(place)).toMatchObject({ applied: true, tip });
      expect(place.local("rev-parse", "HEAD")).toBe(tip);
      expect(readdirSync(`${place.local.folder}/.git/ferry`)).toEqual([]);
    },
  );
});
