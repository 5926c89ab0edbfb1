import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { countUncommitted } from "../../src/git/uncommitted.ts";
import { commitFiles, makeFolder, makeRepository, type TestGit } from "../support/git.ts";

let folder: ReturnType<typeof makeFolder>;
let git: TestGit;

beforeEach(() => {
  folder = makeFolder();
  git = makeRepository(folder.path);
  commitFiles(git, { a: "1\n", b: "1\n", c: "1\n" }, "first");
});

afterEach(() => folder.remove());

test("what is edited, staged, removed or untracked counts once each", async () => {
  expect(await countUncommitted(process.env, folder.path)).toBe(0);
  writeFileSync(join(folder.path, "a"), "2\n");
  writeFileSync(join(folder.path, "b"), "2\n");
  git("add", "b");
  git("rm", "--quiet", "c");
  mkdirSync(join(folder.path, "new folder"));
  writeFileSync(join(folder.path, "new folder", "ü\n.txt"), "");
  expect(await countUncommitted(process.env, folder.path)).toBe(4);
});

test("the user's editor, pager and GIT_ variables don't matter, and no program of the configuration runs", async () => {
  const marker = join(folder.path, ".git", "it ran");
  git("config", "core.fsmonitor", `touch '${marker}'; false`);
  const env = {
    ...process.env,
    EDITOR: "vi",
    PAGER: "less",
    GIT_SSH_COMMAND: "ssh -i key",
    GIT_DIR: "/nowhere",
    GIT_ASKPASS: "x",
  };
  expect(await countUncommitted(env, folder.path)).toBe(0);
  expect(existsSync(marker)).toBe(false);
});
