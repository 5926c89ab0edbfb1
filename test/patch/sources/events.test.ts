import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { FerryError } from "../../../src/base/errors.ts";
import { applyDiff, parseDiff } from "../../../src/patch/sources/events/diff.ts";
import { Unfit } from "../../../src/patch/sources/events/unfit.ts";
import { commitFiles, gitBytes, gitEnv, makeFolder, type TestGit } from "../../support/git.ts";
import { pullInto, type PullInto } from "../../support/pulling.ts";
import { makeScene, removeScenes } from "../../support/scene.ts";
import { sandboxSource } from "../../support/series.ts";
import { stateOf } from "../../support/state.ts";
import { makeTimeline, type TestTimeline } from "../../support/timeline.ts";

afterAll(removeScenes);

function pullEvents({ folder }: TestGit, events: TestTimeline, { offers, ...options }: PullInto = {}) {
  return pullInto(folder, undefined, { offers: { events, ...offers }, ...options });
}

async function refused(local: TestGit, events: TestTimeline, options: PullInto = {}): Promise<FerryError> {
  const before = stateOf(local.folder);
  const error = await pullEvents(local, events, options).then(
    (verdict) => expect.fail(`was applied: ${JSON.stringify(verdict)}`),
    (cause: unknown) => cause,
  );
  if (!(error instanceof FerryError)) throw error;
  expect(stateOf(local.folder)).toEqual(before);
  return error;
}

const edit = (path: string, diff: string) => ["agent_file_edit", { file_path: path, diff }] as const;
const create = (path: string, diff: string) => ["agent_file_create", { file_path: path, diff }] as const;
const two = "--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n 1\n-2\n+zwei\n 3\n";

describe("a timeline's diffs", () => {
  it("become a commit a turn, by the agent, told as approximate; then only later turns come", async () => {
    const { local, base } = makeScene();
    const timeline = makeTimeline();
    timeline.turn("Write two as a word\n\nand be quick", edit("a", two), create("new/n", "@@ -0,0 +1,2 @@\n+n\n+m\n"));
    timeline.add("agent_message", { message: "done" });
    timeline.turn("what is in it?");
    timeline.turn(
      "Move it",
      ["agent_file_move", { source_path: "new/n", destination_path: "n" }],
      ["agent_file_copy", { source_path: "a", destination_path: "a2", diff: "@@ -3 +3,2 @@\n 3\n+4\n" }],
      ["agent_file_remove", { file_path: "dir" }],
    );
    const verdict = await pullEvents(local, timeline);
    expect(verdict).toMatchObject({
      applied: true,
      source: "events",
      engine: "diffs",
      exactness: "approximate",
      commits: [{ subject: "Write two as a word" }, { subject: "Move it" }],
      notices: [expect.stringContaining("approximate: made from the diffs of the timeline") as string],
    });
    expect(local("log", "--format=%an <%ae> %at %cn%n%B", `${base}..HEAD`)).toBe(
      [
        "Coder 1 <coder-1@ferry.local> 1767225609 Coder 1\nMove it\n\nFerry-Session: ses_1\n",
        "Coder 1 <coder-1@ferry.local> 1767225603 Coder 1\nWrite two as a word\n\nand be quick\n\nFerry-Session: ses_1\n",
      ].join("\n"),
    );
    expect(local("ls-files")).toBe("a\na2\nb\nc\nn");
    expect(local("show", "HEAD:a2")).toBe("1\nzwei\n3\n4");
    expect(local("status", "--porcelain")).toBe("");
    expect(local("cat-file", "blob", local("for-each-ref", "--format=%(objectname)", "refs/ferry/*/applied/*"))).toContain(
      '"event":"e9"',
    );
    expect(await pullEvents(local, timeline)).toMatchObject({ applied: false, commits: [] });
    timeline.turn("more", edit("b", "@@ -1 +1 @@\n-b\n+B\n"));
    expect(await pullEvents(local, timeline)).toMatchObject({ applied: true, commits: [{ subject: "more" }] });
    expect(local("show", "HEAD:b")).toBe("B");
    expect(local("rev-list", "--count", `${base}..HEAD`)).toBe("3");
  });

  it("of a turn that isn't over don't come yet, nor what follows", async () => {
    const { local } = makeScene();
    const timeline = Object.assign(makeTimeline(), { underWay: "it works" });
    timeline.turn("one", edit("a", two));
    timeline.add("user_message", { message: "two" }, "processing");
    timeline.add(...edit("b", "@@ -1 +1 @@\n-b\n+B\n"));
    timeline.add("user_message", { message: "three" }, "queued");
    expect(await pullEvents(local, timeline)).toMatchObject({ commits: [{ subject: "one" }] });
    expect(await pullEvents(local, timeline)).toMatchObject({ commits: [] });
    timeline.events.splice(2, 1, { ...(timeline.events[2] ?? expect.fail()), status: "completed" });
    expect(await pullEvents(local, timeline)).toMatchObject({ commits: [{ subject: "two" }], notices: { length: 2 } });
  });

  it("come onto a HEAD that moved on, and are no obstacle to a branch of their own", async () => {
    const { local, base } = makeScene();
    const timeline = makeTimeline(base);
    timeline.turn("one", edit("a", two));
    commitFiles(local, { a: "1\n2\n3\n4\n5\n6\nmine\n" });
    expect(await pullEvents(local, timeline)).toMatchObject({ applied: true, exactness: "approximate" });
    expect(local("show", "HEAD:a")).toBe("1\nzwei\n3\n4\n5\n6\nmine");
    timeline.turn("two", edit("a", "@@ -2 +2 @@\n-zwei\n+deux\n"));
    expect(await pullEvents(local, timeline)).toMatchObject({ commits: [{ subject: "two" }] });
    expect(local("show", "HEAD:a")).toBe("1\ndeux\n3\n4\n5\n6\nmine");
    expect(await pullEvents(local, timeline, { branch: "other" })).toMatchObject({ commits: { length: 2 } });
  });

  it("stand on what was pushed, where they don't fit on what wasn't", async () => {
    const { local, base } = makeScene();
    local("update-ref", "refs/remotes/origin/main", base);
    commitFiles(local, { a: "0\n1\n2\n3\n" });
    const timeline = makeTimeline();
    timeline.turn("one", edit("a", two));
    expect(await pullEvents(local, timeline)).toMatchObject({ exactness: "approximate", applied: true });
    expect(local("show", "HEAD:a")).toBe("0\n1\nzwei\n3");
  });

  it("begin an unborn branch", async () => {
    const { local } = makeScene();
    local("switch", "--quiet", "--orphan", "fresh");
    const timeline = makeTimeline();
    timeline.turn(
      "one",
      create("x", "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n"),
      create("empty", ""),
    );
    expect(await pullEvents(local, timeline)).toMatchObject({ applied: true, exactness: "approximate" });
    expect(gitBytes(local.folder, ["show", "HEAD:x"]).toString()).toBe("x");
    expect(local("ls-files")).toBe("empty\nx");
  });

  it("and then the real commits, where there are some: what is there already isn't doubled", async () => {
    const { local, sandbox, base } = makeScene();
    const timeline = makeTimeline();
    timeline.turn("one", edit("a", two));
    await pullEvents(local, timeline);
    const head = local("rev-parse", "HEAD");
    commitFiles(sandbox, { a: "1\nzwei\n3\n" }, "the real one");
    const offers = { events: timeline, wanted: "patches" } as const;
    const real = sandboxSource({ folder: sandbox.folder, branch: "HEAD", base });
    expect(await pullInto(local.folder, real, { offers })).toMatchObject({ source: "patches", files: 0 });
    expect(local("rev-parse", "HEAD")).toBe(head);
  });
});

describe("refused, with the event and the path, and nothing partial", () => {
  const good = edit("b", "@@ -1 +1 @@\n-b\n+B\n");
  it.each<[string, readonly [string, object], string]>([
    [
      "context that is another",
      edit("a", "@@ -1,3 +1,3 @@\n 1\n-ii\n+x\n 3\n"),
      "(agent_file_edit a) doesn't fit: its diff doesn't fit: line 2 is another",
    ],
    ["another line", edit("a", "@@ -2,2 +2,2 @@\n 1\n-2\n+x\n"), "line 2 is another"],
    ["behind the end", edit("a", "@@ -9 +9 @@\n-x\n+y\n"), "doesn't fit at line 9"],
    ["a diff that is cut off", edit("a", "@@ -1,3 +1,3 @@\n 1\n-2\n"), "its diff is cut off"],
    ["one that says so", edit("a", `${two}\\ The rest of this diff is left out\n`), "its diff is cut off"],
    ["no diff", edit("a", "replaced two by zwei"), "its diff is none"],
    ["an empty one", edit("a", ""), "its diff changes nothing"],
    ["a missing one", ["agent_file_edit", { file_path: "a" }], "its diff is missing"],
    ["a missing path", ["agent_file_remove", {}], "its file_path is missing"],
    ["of several files", edit("a", `${two}--- a/b\n+++ b/b\n@@ -1 +1 @@\n-b\n+B\n`), "its diff is of several files"],
    ["of another file", edit("b", two), "its diff is of another file"],
    [
      "binary",
      edit("a", "diff --git a/a b/a\nindex 1234567..2345678 100644\nBinary files a/a and b/a differ\n"),
      "its diff is of a binary file",
    ],
    ["of another content", edit("a", `index 1111111..2222222 100644\n${two}`), "its diff is of another content"],
    [
      "that makes another content than it says",
      edit("a", `index 0000000..2222222 100644\n${two}`),
      "its diff makes another content",
    ],
    ["bytes that were no text", edit("a", "@@ -2 +2 @@\n-2\n+\ufffd\n"), "its diff has bytes that were no text"],
    ["a file that isn't there", edit("none", two.replaceAll("/a", "/none")), "there is no such file"],
    ["a removed one that isn't", ["agent_file_remove", { file_path: "none" }], "there is no such file"],
    ["a file below a file", create("a/x", "@@ -0,0 +1 @@\n+x\n"), "a folder of its path is a file"],
    ["a file where a folder is", create("dir", "@@ -0,0 +1 @@\n+x\n"), "it is a folder"],
    [".git", create(".git/hooks/post-checkout", "@@ -0,0 +1 @@\n+x\n"), "its path is git's own folder"],
    ["out of the repository", create("../x", "@@ -0,0 +1 @@\n+x\n"), "its path leaves its folder"],
    ["a NUL", create("x\0y", "@@ -0,0 +1 @@\n+x\n"), "its path has a NUL in it"],
    ["a folder into itself", ["agent_file_move", { source_path: "dir", destination_path: "dir/sub" }], "it would go into itself"],
    ["an absolute path", create("/etc/x", "@@ -0,0 +1 @@\n+x\n"), "its path isn't a path"],
    ["a submodule", create("s", "new file mode 160000\n@@ -0,0 +1 @@\n+Subproject commit 1\n"), "the mode 160000 isn't a file's"],
  ])("%s", async (_, [type, payload], message) => {
    const { local } = makeScene();
    const timeline = makeTimeline();
    timeline.turn("one", good);
    timeline.turn("two", [type, payload as Record<string, unknown>]);
    const error = await refused(local, timeline);
    expect(error).toMatchObject({ kind: "failure", code: "unfit_event" });
    expect(error.message).toMatch(/^event e4 \(/u);
    expect(error.message).toContain(message);
  });

  it("a link out of the repository: by the same judge", async () => {
    const { local } = makeScene();
    const timeline = makeTimeline();
    timeline.turn(
      "one",
      create("l", "new file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+../../out\n\\ No newline at end of file\n"),
    );
    expect(await refused(local, timeline)).toMatchObject({ code: "policy" });
  });

  it("what changed files untold: a merge, a rollback", async () => {
    const { local } = makeScene();
    const timeline = makeTimeline();
    timeline.turn("one", good, ["agent_rollback_uncommitted_changes", {}]);
    expect((await refused(local, timeline)).message).toContain("event e3 (agent_rollback_uncommitted_changes)");
  });

  it("a timeline that is another than it was", async () => {
    const { local } = makeScene();
    const timeline = makeTimeline();
    timeline.turn("one", edit("a", two));
    await pullEvents(local, timeline);
    timeline.turn("two", good);
    timeline.events[1] = {
      ...(timeline.events[1] ?? expect.fail()),
      payload: { repository_id: "r", file_path: "a", diff: two.replace("zwei", "deux") },
    };
    expect(await refused(local, timeline)).toMatchObject({ kind: "attention", code: "history_rewritten" });
    timeline.events.splice(0, 2);
    expect(await refused(local, timeline)).toMatchObject({ kind: "attention", code: "history_rewritten" });
  });

  it("several repositories, and not where the session's is known", async () => {
    const { local } = makeScene();
    const timeline = makeTimeline();
    timeline.turn("one", good, ["agent_file_edit", { repository_id: "other", file_path: "x", diff: "" }]);
    expect((await refused(local, timeline)).message).toContain("several repositories");
    expect(await pullEvents(local, { ...timeline, repositoryId: "r" })).toMatchObject({ applied: true });
  });

  it("without being asked for, in a hook or a script", async () => {
    const { local } = makeScene();
    const timeline = { ...makeTimeline(), isAutomatic: false };
    timeline.turn("one", good);
    const error = await refused(local, timeline);
    expect(error.details.join()).toContain("--source events");
    expect(await pullEvents(local, timeline, { offers: { wanted: "events" } })).toMatchObject({ applied: true });
    // It is what the session was pulled by: that was asked for.
    timeline.turn("two", edit("a", two));
    expect(await pullEvents(local, timeline)).toMatchObject({ applied: true });
  });
});

describe("the reader of diffs", () => {
  const text = fc
    .array(fc.constantFrom("a\n", "b\n", "\n", "-\n", "+x\n", "@@ -1 +1 @@\n", "\\ No newline at end of file\n", "é\r\n", "c"), {
      maxLength: 12,
    })
    .map((lines) => lines.join(""));
  const bytes = (value: string) => Buffer.from(value, "utf8").toString("latin1");

  it("does what git's diff says", () => {
    const folder = makeFolder();
    fc.assert(
      fc.property(text, text, fc.nat({ max: 4 }), (one, other, context) => {
        fc.pre(one !== other);
        writeFileSync(`${folder.path}/one`, one);
        writeFileSync(`${folder.path}/other`, other);
        const args = ["diff", "--no-index", "--text", "--full-index", `-U${context}`, "one", "other"];
        const { stdout } = spawnSync("git", args, { cwd: folder.path, env: gitEnv, encoding: "latin1" });
        expect(applyDiff(parseDiff(stdout), bytes(one))).toBe(bytes(other));
      }),
      { numRuns: 150 },
    );
    folder.remove();
  });

  it("takes nothing else: whatever comes, an Unfit or a content that the lines of the diff make", () => {
    const noise = fc.array(
      fc.oneof(
        fc.constantFrom(
          "@@ -1,3 +1,3 @@",
          "@@ -0,0 +1 @@",
          "@@ -1 +0,0 @@",
          "--- a/a",
          "+++ b/a",
          " 1",
          "-2",
          "+x",
          "",
          "\\ No newline at end of file",
          "diff --git a/a b/a",
          "@@ -1,99999999999 +1 @@",
          "@@ -9,2 +9,2 @@ f()",
        ),
        fc.string({ maxLength: 12 }),
      ),
      { maxLength: 14 },
    );
    fc.assert(
      fc.property(noise, (lines) => {
        try {
          const result = applyDiff(parseDiff(lines.join("\n")), "1\n2\n3\n");
          const known = new Set([
            "1\n",
            "2\n",
            "3\n",
            ...lines.filter((line) => line.startsWith("+")).flatMap((line) => [`${line.slice(1)}\n`, line.slice(1)]),
          ]);
          for (const line of result.split(/(?<=\n)/u))
            if (line !== "") expect(known.has(line) || known.has(`${line}\n`)).toBe(true);
        } catch (error) {
          if (!(error instanceof Unfit)) throw error;
        }
      }),
      { numRuns: 3000 },
    );
  });

  it("is quick with a long one", () => {
    const lines = Array.from({ length: 200_000 }, (_, at) => `+${at}`);
    const started = process.hrtime.bigint();
    expect(applyDiff(parseDiff(`@@ -0,0 +1,${lines.length} @@\n${lines.join("\n")}\n`), "").length).toBeGreaterThan(1_000_000);
    expect(Number(process.hrtime.bigint() - started) / 1e9).toBeLessThan(10);
  });
});
