import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { undo } from "../../src/patch/undo.ts";
import { commitFiles, gitBytes, type TestGit, writeFile } from "../support/git.ts";
import { edited, expectNoDebris, makeConflict, parkIn, refusedBy, resume } from "../support/parking.ts";
import { makeDeps, pullInto, pullRequest } from "../support/pulling.ts";
import { makeScene, pullExactly, pullRefused, removeScenes, type Scene } from "../support/scene.ts";

afterAll(removeScenes);

const message = (git: TestGit, commit = "HEAD") => git("cat-file", "commit", commit).replace(/^[\s\S]*?\n\n/u, "");
/** Who commits here; the author of all that the sandbox has is Ada. */
const user = "Agent <agent@ferry.local>";
const me = `Signed-off-by: ${user}`;
const signed = { shape: { signoff: true } };
const reviewed = { shape: { trailers: ["Reviewed-by: Bo"] } };

/** What `git commit --amend` makes of each commit, one after the other. */
function amended({ sandbox, base }: Scene, ...options: readonly string[]): string[] {
  const commits = sandbox("rev-list", "--reverse", `${base}..HEAD`).split("\n");
  return commits.map((commit) => {
    sandbox("checkout", "--quiet", "--detach", commit);
    sandbox("commit", "--quiet", "--amend", "--allow-empty", "--no-edit", "--cleanup=verbatim", ...options);
    const made = message(sandbox);
    sandbox("checkout", "--quiet", "main");
    return made;
  });
}

/** A commit of the sandbox's that no command line could make; one character a byte. */
function commitRaw({ sandbox, base }: Scene, headers: readonly string[], text: string): void {
  const tree = sandbox("rev-parse", "HEAD^{tree}");
  const lines = [`tree ${tree}`, `parent ${base}`, "author A <a@b> 1 +0000", "committer A <a@b> 1 +0000", ...headers];
  const input = Buffer.from(`${lines.join("\n")}\n\n${text}`, "latin1");
  const commit = gitBytes(sandbox.folder, ["hash-object", "-t", "commit", "-w", "--stdin"], { input }).toString().trim();
  sandbox("reset", "--quiet", "--soft", commit);
}

const messages = [
  "fix: no body",
  "sub\n\nbody",
  "sub\n\nbody\n\nReviewed-by: Al\n",
  `sub\n\n${me}\n`,
  `sub\n\n${me}\nReviewed-by: Al\n`,
  "sub\n\n日本 body  \n\n\n",
];

describe("--signoff and --trailer", () => {
  it("end each message as git commit would, and the rest is as in the sandbox", async () => {
    const scene = makeScene();
    for (const [at, text] of messages.entries()) commitFiles(scene.sandbox, { a: `${at}\n` }, text);
    const expected = amended(scene, "--signoff", "--trailer", "Reviewed-by: Bo", "--trailer", "Issue=#4");
    const shape = { signoff: true, trailers: ["Reviewed-by: Bo", "Issue=#4"] };
    const verdict = await pullInto(scene.local.folder, scene.source, { shape });
    expect(verdict).toMatchObject({ applied: true, exactness: "rebuilt", tip: scene.local("rev-parse", "HEAD") });
    const here = scene.local("rev-list", "--reverse", `${scene.base}..HEAD`).split("\n");
    expect(verdict.commits.map(({ applied_as }) => applied_as)).toEqual(here);
    expect(verdict.commits.map(({ commit }) => commit)).toEqual(
      scene.sandbox("rev-list", "--reverse", `${scene.base}..HEAD`).split("\n"),
    );
    expect(here.map((commit) => message(scene.local, commit))).toEqual(expected);
    const told = ({ folder }: TestGit) => gitBytes(folder, ["log", "--format=%T %an %ae %at %s"]).toString();
    expect(told(scene.local)).toBe(told(scene.sandbox));
    expect(scene.local("log", "-1", "--format=%cn")).toBe("Agent");
    expect(scene.local("status", "--porcelain")).toBe("");
    expect(scene.local("fsck", "--strict", "--no-dangling")).toBe("");
  });

  // git commit --trailer puts them in front of a line of three hyphens before git 2.41.
  it("a line of hyphens ends nothing, and one that begins with # is no comment", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, {}, "sub\n\nbody\n---\ndiff --git a/x b/x\n# kept");
    scene.local("config", "core.commentChar", "b");
    await pullInto(scene.local.folder, scene.source, signed);
    expect(message(scene.local)).toBe(`sub\n\nbody\n---\ndiff --git a/x b/x\n# kept\n\n${me}`);
  });

  it("and so is one that begins with whatever character, in the last block or before, in any number of messages", async () => {
    const scene = makeScene();
    const bodies = ["# a", "\u0001 a", "\u0001 a\n\u0002 b\n# c", "; a\n\u0001"];
    for (const [at, body] of bodies.entries())
      commitFiles(scene.sandbox, { a: `${at}\n` }, `sub\n\n${body}\n\nSigned-off-by: Al <al@b>\n${body}`);
    const all = Array.from({ length: 126 }, (_, code) => String.fromCharCode(code + 1)).filter((char) => char !== "\n");
    const odd = `sub\n\n${all.map((char) => `${char}odd`).join("\n")}\n`;
    commitFiles(scene.sandbox, { a: "odd\n" }, odd);
    await pullInto(scene.local.folder, scene.source, { shape: { signoff: true, trailers: ["Of: Bo"] } });
    const here = scene.local("rev-list", "--reverse", `${scene.base}..HEAD`).split("\n");
    expect(here.map((commit) => message(scene.local, commit))).toEqual([
      ...bodies.map((body) => `sub\n\n${body}\n\nSigned-off-by: Al <al@b>\n${body}\n${me}\nOf: Bo`),
      `${odd}\n${me}\nOf: Bo`,
    ]);
  });

  it("a commit that ends with it already stays the sandbox's, and so do those before", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" }, `one\n\n${me}\n`);
    await pullExactly(scene, signed);
    commitFiles(scene.sandbox, { a: "y\n" }, `two\n\n${me}\n`);
    commitFiles(scene.sandbox, { a: "z\n" }, "three");
    const verdict = await pullInto(scene.local.folder, scene.source, signed);
    expect(verdict.commits.map(({ commit, applied_as }) => commit === applied_as)).toEqual([true, false]);
  });

  it("keys are as the user's trailer.* says, and no command of theirs is run", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" }, "one\n\nbody\n\nSee: $(touch ran)");
    scene.local("config", "trailer.ack.key", "Acked-by");
    scene.local("config", "trailer.see.command", "touch ran; echo $ARG");
    scene.local("config", "trailer.also.cmd", "touch ran");
    await pullInto(scene.local.folder, scene.source, { shape: { trailers: ["ack: Bo"] } });
    expect(message(scene.local)).toBe("one\n\nbody\n\nSee: $(touch ran)\nAcked-by: Bo");
    expect(scene.local("status", "--porcelain", "--ignored")).toBe("");
  });

  const french = ["encoding ISO-8859-1"];
  const raw = ({ folder }: TestGit) => gitBytes(folder, ["cat-file", "commit", "HEAD"]).toString("latin1");
  const latin1 = (text: string) => Buffer.from(text, "utf8").toString("latin1");

  it("bytes in another encoding stay where what is added is ASCII, else all of it becomes UTF-8, as with git cherry-pick", async () => {
    const scene = makeScene();
    commitRaw(scene, french, "fa\xe7on\n");
    await pullInto(scene.local.folder, scene.source, reviewed);
    expect(raw(scene.local)).toMatch(/\nencoding ISO-8859-1\n\nfa\xe7on\n\nReviewed-by: Bo\n$/u);
    await undo(pullRequest(scene.local.folder, scene.source), makeDeps());
    await pullInto(scene.local.folder, scene.source, { shape: { trailers: ["By: Zoë"] } });
    expect(raw(scene.local)).toMatch(new RegExp(`\\+0000\n\n${latin1("façon\n\nBy: Zoë\n")}$`, "u"));
  });

  const jose = { GIT_COMMITTER_NAME: "José" };

  it.each([
    ["with a trailer", reviewed],
    ["with a path left out", { shape: { exclude: ["ex"] } }],
    ["on a HEAD that moved on", { isMoved: true }],
  ] as const)("the committer's name is whole in a commit of another encoding, and so is the rest: %s", async (_, how) => {
    const { isMoved, ...options } = { isMoved: false, ...how };
    const scene = makeScene();
    commitFiles(scene.sandbox, { ex: "x\n", a: "x\n" });
    commitRaw(scene, french, "fa\xe7on\n");
    if (isMoved) commitFiles(scene.local, { mine: "m\n" });
    await pullInto(scene.local.folder, scene.source, { ...options, env: jose });
    const told = gitBytes(scene.local.folder, ["log", "-1", "--encoding=UTF-8", "--format=%cn %s"]).toString();
    expect(told).toBe("José façon\n");
    expect(raw(scene.local)).not.toContain("\nencoding ");
    expect(scene.local("fsck", "--strict", "--no-dangling")).toBe("");
  });

  it.each([
    ["US-ASCII", "fa\xe7on\n"],
    ["ISO-8859-15", "\x92\n"],
    ["Shift_JIS", "\x80\n"],
    ["UTF-16", "sub\n"],
    ["odd", "sub\n"],
  ])(
    "what isn't in its encoding (%s), or in one that nobody knows, is refused, before anything is written",
    async (name, text) => {
      const scene = makeScene();
      commitRaw(scene, [`encoding ${name}`], text);
      const refused = await pullRefused(scene, { ...reviewed, env: jose });
      expect(refused).toMatchObject({ kind: "attention", message: expect.stringMatching(`${name}.*José`) as string });
      const trailers = await pullRefused(scene, { shape: { trailers: ["By: Zoë"] } });
      expect(trailers).toMatchObject({ kind: "attention", message: expect.stringMatching(`${name}.*Zoë`) as string });
    },
  );

  it("a signature isn't kept, since it can't hold", async () => {
    const scene = makeScene();
    commitRaw(scene, ["gpgsig -----BEGIN", " abc", " -----END"], "sub\n");
    await pullInto(scene.local.folder, scene.source, reviewed);
    expect(scene.local("cat-file", "commit", "HEAD")).not.toContain("gpgsig");
  });

  it("merges are made anew where they fit as they are", async () => {
    const scene = makeScene();
    scene.sandbox("checkout", "--quiet", "-b", "side");
    commitFiles(scene.sandbox, { n: "n\n" }, "side");
    scene.sandbox("checkout", "--quiet", "main");
    commitFiles(scene.sandbox, { a: "x\n" }, "one");
    scene.sandbox("merge", "--quiet", "--no-ff", "-m", "merged", "side");
    const verdict = await pullInto(scene.local.folder, scene.source, signed);
    expect(verdict).toMatchObject({ exactness: "rebuilt", engine: "bundle" });
    expect(scene.local("log", "--format=%s %(trailers:key=Signed-off-by,valueonly,separator=)%x2c%P").split("\n")).toHaveLength(
      4,
    );
    expect(scene.local("rev-list", "--min-parents=2", "HEAD")).toBe(verdict.tip);
    expect(scene.local("rev-parse", "HEAD^{tree}")).toBe(scene.sandbox("rev-parse", "HEAD^{tree}"));
  });

  it("git must know who the user is, or nothing changes", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" }, "one");
    scene.local("config", "user.useConfigOnly", "true");
    const env = { GIT_COMMITTER_NAME: "", GIT_COMMITTER_EMAIL: "" };
    const refused = await pullRefused(scene, { ...reviewed, env });
    expect(refused).toMatchObject({ kind: "attention", message: expect.stringContaining("who you are") as string });
  });
});

describe("--reset-author", () => {
  it("makes the user the author, now; message and tree stay", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" }, "one\n\nbody");
    const env = { GIT_AUTHOR_NAME: "Uma", GIT_AUTHOR_EMAIL: "uma@example.com", GIT_AUTHOR_DATE: "1700000000 +0100" };
    expect(await pullInto(scene.local.folder, scene.source, { shape: { resetAuthor: true }, env })).toMatchObject({
      exactness: "rebuilt",
    });
    expect(scene.local("log", "-1", "--date=raw", "--format=%an %ae %ad")).toBe("Uma uma@example.com 1700000000 +0100");
    expect(scene.local("rev-parse", "HEAD^{tree}")).toBe(scene.sandbox("rev-parse", "HEAD^{tree}"));
    expect(message(scene.local)).toBe(message(scene.sandbox));
  });
});

describe("what comes after", () => {
  it("the cursor is the sandbox's: only what is new comes then, and --undo takes each back", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" }, "one");
    await pullInto(scene.local.folder, scene.source, signed);
    expect(await pullInto(scene.local.folder, scene.source, signed)).toMatchObject({ applied: false, commits: [] });
    commitFiles(scene.sandbox, { a: "y\n" }, "two");
    const before = scene.local("rev-parse", "HEAD");
    expect((await pullInto(scene.local.folder, scene.source, signed)).commits).toHaveLength(1);
    expect(message(scene.local)).toBe(`two\n\n${me}`);
    const request = pullRequest(scene.local.folder, scene.source);
    await undo(request, makeDeps());
    expect(scene.local("rev-parse", "HEAD")).toBe(before);
    expect((await pullInto(scene.local.folder, scene.source)).commits).toHaveLength(1);
    expect(message(scene.local)).toBe("two");
  });

  it("a dry run tells, and writes nothing", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" }, "one");
    const verdict = await pullInto(scene.local.folder, scene.source, { ...signed, dryRun: true });
    expect(verdict).toMatchObject({ applied: false, exactness: "rebuilt", files: 1 });
    expect(verdict.commits[0]?.applied_as).not.toBe(verdict.commits[0]?.commit);
    expect(scene.local("rev-parse", "HEAD")).toBe(scene.base);
  });

  it("an unborn branch begins with them", async () => {
    const scene = makeScene();
    scene.sandbox("checkout", "--quiet", "--orphan", "own");
    commitFiles(scene.sandbox, { a: "x\n" }, "root");
    scene.local("checkout", "--quiet", "--orphan", "own");
    scene.local("rm", "--quiet", "-rf", ".");
    const source = {
      ...scene.source,
      ...(await import("../support/series.ts")).sandboxSource({ folder: scene.sandbox.folder, branch: "HEAD", base: "" }),
    };
    await pullInto(scene.local.folder, source, signed);
    expect(scene.local("log", "--format=%s %(trailers:key=Signed-off-by,valueonly,separator=)")).toBe(`root ${user}`);
    expect(scene.local("status", "--porcelain")).toBe("");
  });

  it("on a HEAD that moved on, and parked at a conflict: to the end, without being asked for again", async () => {
    const scene = makeConflict();
    const shape = { signoff: true, resetAuthor: true };
    const env = { GIT_AUTHOR_NAME: "Uma", GIT_AUTHOR_EMAIL: "uma@example.com" };
    const tree = await parkIn(scene, { shape, env });
    expect(tree("log", "-1", "--format=%an %s")).toBe("Uma one");
    scene.local("gc", "--quiet", "--prune=now");
    writeFile(tree, "f", edited({ 2: "both" }));
    tree("add", "f");
    const { verdict } = await resume(scene.local.folder, "continue");
    expect(verdict.commits.map(({ commit }) => commit)).toEqual(
      scene.sandbox("rev-list", "--reverse", `${scene.base}..HEAD`).split("\n"),
    );
    expect(scene.local("log", "-4", "--format=%an %(trailers:key=Signed-off-by,valueonly,separator=)").split("\n")).toEqual(
      Array(4).fill(`Uma ${user}`),
    );
    expect(message(scene.local, "HEAD~2")).toBe(`two\n\nbody\n# not a comment\n\n${me}`);
    expectNoDebris(scene);
    expect(await pullInto(scene.local.folder, scene.source)).toMatchObject({ commits: [] });
  });

  it("with --here the stop is of the changed commit, and the cursor is the sandbox's", async () => {
    const scene = makeConflict();
    const error = await refusedBy(pullInto(scene.local.folder, scene.source, { ...reviewed, onConflict: "here" }));
    expect(error.message).toContain(scene.sandbox("rev-parse", "HEAD~2").slice(0, 12));
    expect(error.hint).toContain("with the same flags");
    writeFile(scene.local, "f", edited({ 2: "both" }));
    scene.local("add", "f");
    gitBytes(scene.local.folder, ["-c", "core.editor=true", "cherry-pick", "--continue"]);
    expect(message(scene.local)).toContain("Reviewed-by: Bo");
    expect((await pullInto(scene.local.folder, scene.source, reviewed)).commits).toHaveLength(2);
    expect(scene.local("log", "--format=%s")).toBe("four\nthree\ntwo\none\nmine\nbase");
    expect(readFileSync(`${scene.local.folder}/f`, "utf8")).toBe(edited({ 2: "both", 9: "more" }));
  });

  it("on a branch that is made for them, and where they were put on HEAD", async () => {
    const scene = makeScene();
    commitFiles(scene.sandbox, { a: "x\n" }, "one");
    await pullInto(scene.local.folder, scene.source, { ...signed, branch: "review" });
    expect(message(scene.local, "review")).toBe(`one\n\n${me}`);
    expect(scene.local("rev-parse", "review~")).toBe(scene.base);
  });
});
