import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { commitFiles, gitBytes } from "../../support/git.ts";
import { pullInto } from "../../support/pulling.ts";
import { sandboxSource } from "../../support/series.ts";
import { stateOf } from "../../support/state.ts";
import { makeTimeline } from "../../support/timeline.ts";
import { makeUpstream, pullBranch, push, removeUpstreams, type Upstream } from "../../support/upstream.ts";

afterAll(removeUpstreams);

const files = Object.fromEntries(
  ["in", "out"].flatMap((top) =>
    Array.from({ length: 12 }, (_, at) => [`${top}/${at % 3}/f${at}`, `${top} ${at}\n1\n2\n3\n`] as const),
  ),
);

/** A clone that has only what lies in its cone; `asked()` counts how often the remote was asked for objects since the last time. */
function makePartial(filter: string): Upstream & { asked: () => number } {
  const place = makeUpstream({ files, clone: [`--filter=${filter}`, "--no-checkout"], history: 2 });
  const { local } = place;
  local("sparse-checkout", "set", "in");
  local("checkout", "--quiet", "main");
  const log = `${dirname(local.folder)}/asked`;
  const script = `${dirname(local.folder)}/upload-pack`;
  writeFileSync(script, `#!/bin/sh\necho asked >> ${log}\nexec git-upload-pack "$@"\n`, { mode: 0o755 });
  local("config", "remote.origin.uploadpack", script);
  const asked = () => {
    const count = existsSync(log) ? readFileSync(log, "utf8").trim().split("\n").length : 0;
    rmSync(log, { force: true });
    return count;
  };
  return { ...place, asked };
}

/** How many objects the clone lacks. */
function missing({ local }: Upstream): number {
  return local("rev-list", "--objects", "--all", "--missing=print")
    .split("\n")
    .filter((line) => line.startsWith("?")).length;
}

const patches = ({ sandbox, base }: Upstream) => sandboxSource({ folder: sandbox.folder, branch: "HEAD", base });
const commitOut = ({ sandbox }: Upstream) =>
  commitFiles(sandbox, {
    "out/0/f0": "out 0\n1\nzwei\n3\n",
    "out/1/f1": null,
    "out/2/new": "n\n",
    "in/0/f0": "in 0\nI\n2\n3\n",
    "out/1/f4": "4\n",
  });

describe.each(["blob:none", "tree:0"])("a clone with --filter=%s", (filter) => {
  it("gets what the series touches in one go, and lacks the rest as before", async () => {
    const place = makePartial(filter);
    commitOut(place);
    const lacking = missing(place);
    place.asked();
    const verdict = await pullInto(place.local.folder, patches(place));
    expect(verdict).toMatchObject({ applied: true, exactness: "exact", tip: place.sandbox("rev-parse", "HEAD") });
    // Folders once, contents once.
    expect(place.asked()).toBeLessThanOrEqual(filter === "tree:0" ? 2 : 1);
    expect(missing(place)).toBeGreaterThan(lacking - 6);
    expect(place.local("status", "--porcelain")).toBe("");
    expect(place.local("fsck", "--strict", "--no-dangling")).toBe("");
    expect(await pullInto(place.local.folder, patches(place))).toMatchObject({ applied: false });
  });

  it("from the branch, with merges, and onto a HEAD that moved on", async () => {
    const place = makePartial(filter);
    place.sandbox("switch", "--quiet", "--create", "side");
    commitOut(place);
    place.sandbox("switch", "--quiet", "work");
    commitFiles(place.sandbox, { "out/2/other": "o\n" });
    place.sandbox("merge", "--quiet", "--no-ff", "--no-edit", "side");
    const tip = push(place, { "in/last": "l\n" });
    expect(await pullBranch(place)).toMatchObject({ tip, exactness: "exact", applied: true });
    const moved = makePartial(filter);
    commitFiles(moved.local, { "in/1/f1": "mine\n" });
    commitOut(moved);
    expect(await pullInto(moved.local.folder, patches(moved))).toMatchObject({ applied: true, exactness: "rebuilt" });
    expect(moved.local("show", "HEAD:out/0/f0")).toBe("out 0\n1\nzwei\n3");
    expect(moved.local("fsck", "--strict", "--no-dangling")).toBe("");
  });

  it("from the timeline", async () => {
    const place = makePartial(filter);
    const timeline = makeTimeline(place.base);
    timeline.turn("one", ["agent_file_edit", { file_path: "out/0/f0", diff: "@@ -3 +3 @@\n-2\n+zwei\n" }]);
    const offers = { events: timeline };
    expect(await pullInto(place.local.folder, undefined, { offers })).toMatchObject({ applied: true, exactness: "approximate" });
  });

  it("whose remote can't be reached: exit 6, nothing changed", async () => {
    const place = makePartial(filter);
    commitOut(place);
    place.local("config", "remote.origin.url", "http://127.0.0.1:1/x");
    const before = { ...stateOf(place.local.folder) };
    const error = await pullInto(place.local.folder, patches(place)).catch((cause: unknown) => cause);
    expect(error).toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining("the remote origin can't be reached") as string,
    });
    expect(stateOf(place.local.folder)).toEqual(before);
  });

  it("an object that breaks git's rules is refused all the same", async () => {
    const place = makePartial(filter);
    const input = `100644 blob ${place.sandbox("rev-parse", "HEAD:in/0/f0")}\t.gitmodules~\n`;
    const tree = gitBytes(place.sandbox.folder, ["mktree", "--missing"], { input: input.replace(".gitmodules~", "git~1") })
      .toString()
      .trim();
    const bad = place.sandbox("commit-tree", "-p", place.base, "-m", "bad", tree);
    place.sandbox("update-ref", "refs/heads/work", bad);
    const error = await pullInto(
      place.local.folder,
      sandboxSource({ folder: place.sandbox.folder, branch: bad, base: place.base }),
    ).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ kind: "failure" });
  });

  it("one that its pack is refused for leaves nothing of that pack", async () => {
    const place = makePartial(filter);
    commitFiles(place.sandbox, { ".gitmodules": '[submodule "s"]\n\tpath = s\n\turl = -u./x\n', "in/0/f0": "new\n" });
    const before = stateOf(place.local.folder);
    const error = await pullInto(place.local.folder, patches(place)).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ kind: "failure", code: "policy" });
    const found = readdirSync(`${place.local.folder}/.git/objects`, { recursive: true, encoding: "utf8" });
    expect(found.filter((name) => name.includes("tmp_"))).toEqual([]);
    expect(stateOf(place.local.folder)).toEqual(before);
  });
});
