import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import type { Uncommitted } from "../../../src/wire/patches.ts";
import { gitBytes, gitIn, writeFile } from "../../support/git.ts";
import { makeScene, pullRefused, removeScenes, type Scene } from "../../support/scene.ts";
import { makeUncommitted, tamperedSource } from "../../support/series.ts";
import { pullAll } from "../../support/uncommitted.ts";

afterAll(removeScenes);

/** What a sandbox can't make but a service can send: a tree of any entries, and a patch that says the same. */
function forged({ sandbox }: Scene, entries: readonly { mode: string; path: string; content: string }[]): Partial<Uncommitted> {
  const patch = entries
    .map(({ mode, path, content }) => {
      const id = gitBytes(sandbox.folder, ["hash-object", "-w", "--stdin"], { input: content }).toString().trim();
      const none = "0".repeat(40);
      return `diff --git a/${path} b/${path}\nnew file mode ${mode}\nindex ${none}..${id}\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+${content}\n\\ No newline at end of file\n`;
    })
    .join("");
  return { patch: Buffer.from(patch).toString("base64") };
}

const refuse = (scene: Scene, uncommitted: (honest: Uncommitted) => Uncommitted) =>
  pullRefused(scene, {
    uncommitted: true,
    source: tamperedSource({ folder: scene.sandbox.folder, branch: "HEAD", base: scene.base }, { uncommitted }),
  });

it.each([
  "../out",
  "a/../../out",
  ".git/hooks/post-checkout",
  ".GIT/config",
  "git~1/x",
  ".g\u200cit/x",
  "/tmp/out",
  "dir/.git/x",
])("a path %s is refused, and nothing is written", async (path) => {
  const scene = makeScene();
  const error = await refuse(scene, (honest) => ({
    ...honest,
    ...forged(scene, [{ mode: "100644", path, content: "x" }]),
  }));
  expect(error).toMatchObject({ kind: "failure" });
  expect(readdirSync(join(scene.local.folder, ".."))).not.toContain("out");
});

it.each([
  ["out of the repository", "../out", /leads out of the repository/u],
  ["an absolute one", "/etc/passwd", /leads out of the repository/u],
  ["into .git", ".git/hooks", /leads into \.git/u],
])("a link %s is refused", async (_, target, message) => {
  const scene = makeScene();
  const git = gitIn(scene.sandbox.folder);
  gitBytes(scene.sandbox.folder, ["update-index", "--add", "--cacheinfo", `120000,${blob(scene, target)},link`]);
  const tree = git("write-tree");
  const patch = gitBytes(scene.sandbox.folder, ["diff-tree", "-r", "-p", "--binary", "--full-index", "HEAD", tree]);
  const error = await refuse(scene, (honest) => ({ ...honest, tree, patch: patch.toString("base64") }));
  expect(error).toMatchObject({ kind: "failure", code: "policy", message: expect.stringMatching(message) as string });
  expect(error.message).toMatch(/^what isn't committed is refused/u);
});

it("a link, and a file behind it, in one patch", async () => {
  const scene = makeScene();
  const out = mkdtempSync(join(tmpdir(), "ferry-out-"));
  await refuse(scene, (honest) => ({
    ...honest,
    ...forged(scene, [
      { mode: "120000", path: "l", content: out },
      { mode: "100644", path: "l/x", content: "x" },
    ]),
  }));
  expect(readdirSync(out)).toEqual([]);
});

it.each<[string, (honest: Uncommitted) => Uncommitted]>([
  ["another tree", (honest) => ({ ...honest, tree: "a".repeat(40) })],
  ["a tree that is no id", (honest) => ({ ...honest, tree: "--help" })],
  ["a base that is no id", (honest) => ({ ...honest, base_commit: "HEAD" })],
  ["a patch that isn't base64", (honest) => ({ ...honest, patch: "%%%%" })],
  ["a patch that is none", (honest) => ({ ...honest, patch: Buffer.from("hello\n").toString("base64") })],
  ["no patch, and another tree", (honest) => ({ ...honest, patch: "" })],
  [
    "a patch that is cut off",
    (honest) => ({ ...honest, patch: Buffer.from(honest.patch, "base64").subarray(0, -9).toString("base64") }),
  ],
  [
    "a file of more bytes than it may have",
    (honest) => ({
      ...honest,
      patch: Buffer.from(
        `diff --git a/z b/z\nnew file mode 100644\nindex ${"0".repeat(40)}..${"1".repeat(40)}\nGIT binary patch\nliteral 9999999999\nzcmZ\n\n`,
      ).toString("base64"),
    }),
  ],
])("a lie is refused: %s", async (_, tell) => {
  const scene = makeScene();
  writeFile(scene.sandbox, "a", "dirt\n");
  writeFile(scene.sandbox, "n", "n\n");
  expect(await refuse(scene, tell)).toMatchObject({ kind: "failure", code: "lie" });
});

it("another commit than the series ends with, each time, is told", async () => {
  const scene = makeScene();
  writeFile(scene.sandbox, "a", "dirt\n");
  const error = await refuse(scene, (honest) => ({ ...honest, base_commit: "b".repeat(40) }));
  expect(error).toMatchObject({ kind: "attention", message: expect.stringContaining("bbbbbbbbbbbb") as string });
});

it("hooks, filters and attributes in it don't act, and are told", async () => {
  const scene = makeScene();
  writeFile(scene.sandbox, ".gitattributes", "* filter=evil merge=evil\n");
  writeFile(scene.sandbox, ".husky/pre-commit", "#!/bin/sh\ntouch marker\n");
  const verdict = await pullAll(scene);
  expect(verdict.notices.join("\n")).toMatch(/hooks that tools run.*\nattributes/u);
  expect(readdirSync(scene.local.folder)).not.toContain("marker");
  expect(makeUncommitted({ folder: scene.local.folder, base: scene.base }).tree).toBe(
    makeUncommitted({ folder: scene.sandbox.folder, base: scene.base }).tree,
  );
});

function blob({ sandbox }: Scene, content: string): string {
  return gitBytes(sandbox.folder, ["hash-object", "-w", "--stdin"], { input: content }).toString().trim();
}
