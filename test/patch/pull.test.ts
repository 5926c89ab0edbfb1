import { afterEach, describe, expect, it } from "vitest";
import { commitFiles, gitBytes, gitIn, makeFolder, makeRepository, type TestGit, writeFile } from "../support/git.ts";
import { pullInto } from "../support/pulling.ts";
import { sandboxSource } from "../support/series.ts";

const folder = makeFolder();
afterEach(() => undefined);

interface Scene {
  readonly local: TestGit;
  readonly sandbox: TestGit;
  readonly base: string;
}

let scenes = 0;
function makeScene(): Scene {
  scenes += 1;
  const local = makeRepository(`${folder.path}/${scenes}/local`);
  const base = commitFiles(local, { a: "1\n2\n3\n", "dir/b": "b\n", c: "c\n" }, "base");
  gitBytes(folder.path, ["clone", "--quiet", "--no-local", local.folder, `${folder.path}/${scenes}/sandbox`]);
  const sandbox = gitIn(`${folder.path}/${scenes}/sandbox`);
  return { local, sandbox, base };
}

describe("pull", () => {
  it("brings the sandbox's commits with their ids", async () => {
    const { local, sandbox, base } = makeScene();
    commitFiles(sandbox, { a: "1\nzwei\n3\n" }, "one");
    commitFiles(sandbox, { "dir/new": "n\n", c: null }, "two");
    const tip = commitFiles(sandbox, { a: "1\nzwei\ndrei\n" }, "three");
    const verdict = await pullInto(local.folder, sandboxSource({ folder: sandbox.folder, branch: "main", base }));
    expect(verdict).toMatchObject({ applied: true, base, tip, exactness: "exact", files: 3 });
    expect(local("rev-parse", "HEAD")).toBe(tip);
    expect(local("status", "--porcelain")).toBe("");
    writeFile(local, "u", "x");
  });
});
