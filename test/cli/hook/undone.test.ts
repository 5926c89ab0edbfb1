import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeBinary, type Binary } from "../../support/binary.ts";
import { commitFiles, gitIn, makeRepository, type TestGit } from "../../support/git.ts";

let ferry: Binary;
let git: TestGit;

const call = (...args: string[]) => ferry.run(args, { cwd: git.folder });

beforeAll(async () => {
  ferry = makeBinary();
  const bin = join(ferry.folder, "bin");
  mkdirSync(bin);
  const program = join(import.meta.dirname, "../../../bin/ferry.js");
  writeFileSync(join(bin, "ferry"), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`, { mode: 0o755 });
  await ferry.run(["service", "start", "--sandbox", "process"]);
  const { folder } = makeRepository(join(ferry.folder, "repo"));
  git = gitIn(folder, { ...ferry.env, PATH: `${bin}:${ferry.env["PATH"] ?? ""}` });
  commitFiles(git, { a: "a\n" });
});
afterAll(() => ferry.dispose());

test("what was undone doesn't come by a hook, nor what follows it, until it is pulled", async () => {
  await call("hook", "install");
  await call("run", "--model", "shell", "echo 1 > one");
  const brought = git("rev-parse", "HEAD");
  await call("pull", "--undo");
  const before = git("rev-parse", "HEAD");
  const hookRun = () => ferry.run(["hook", "run", "post-checkout"], { cwd: git.folder });
  const undone = {
    ...{ code: 0, stdout: "" },
    stderr: expect.stringMatching(/^ferry: nothing of ses_\w+ comes by itself, .* was undone here: ferry pull\n$/u) as string,
  };
  expect(await hookRun()).toEqual(undone);
  await call("message", "send", "-", "echo 2 > two", "--wait");
  expect(await hookRun()).toEqual(undone);
  git("checkout", "--quiet", "-b", "other");
  git("checkout", "--quiet", "main");
  expect(git("rev-parse", "HEAD")).toBe(before);
  await call("pull");
  expect(git("rev-parse", "HEAD~1")).toBe(brought);
  await call("message", "send", "-", "echo 3 > three", "--wait");
  expect((await hookRun()).stderr).toMatch(/^ferry: 1 commit /u);
  expect(git("for-each-ref", "refs/ferry/*/undone/*")).toBe("");
});
