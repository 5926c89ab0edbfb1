import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fileURLToPath } from "node:url";
import { type Binary, collect, makeBinary, type Result } from "../support/binary.ts";
import { commitFiles, makeRepository, type TestGit } from "../support/git.ts";
import { makeProcesses } from "../../src/host/processes.ts";

const program = fileURLToPath(new URL("../../bin/ferry.js", import.meta.url));

let binary: Binary;
let git: TestGit;
beforeEach(async () => {
  binary = makeBinary(program);
  git = makeRepository(join(binary.folder, "repo"));
  commitFiles(git, { a: "a" });
  git("config", "branch.main.ferrySession", "ses_1");
  git("config", "branch.main.ferryHost", "local");
  mkdirSync(join(binary.folder, "only"));
  const found = await makeProcesses(process.env, process.platform).find("git");
  symlinkSync(found ?? "git", join(binary.folder, "only", "git"));
});
afterEach(() => binary.dispose());

/** As a hook of git runs it where next to nothing is set; its stdin is git's data. */
async function asHook(...argv: readonly string[]): Promise<Result> {
  const kept = ["FERRY_CONFIG_DIR", "FERRY_STATE_DIR", "FERRY_DATA_DIR"].map((name) => [name, binary.env[name]]);
  const env = { ...Object.fromEntries(kept), PATH: join(binary.folder, "only"), GIT_DIR: ".git" } as Record<string, string>;
  const child = spawn(process.execPath, [program, ...argv], { cwd: git.folder, env });
  child.stdin.end("refs/heads/main 0123 refs/heads/main 4567\n");
  return collect(child);
}

test("without HOME, with a PATH of one folder and stdin that is data, a hook says one line and lets git go on", async () => {
  for (const name of ["post-checkout", "post-merge", "pre-push"]) {
    const { code, stdout, stderr } = await asHook("hook", "run", name);
    expect({ code, stdout, lines: stderr.trimEnd().split("\n").length }).toEqual({ code: 0, stdout: "", lines: 1 });
    expect(stderr).toContain("the embedded service doesn't run");
  }
});

test("and a command is told what is missing instead of failing over it", async () => {
  const { code, stderr } = await asHook("session", "list", "--host", "https://a.example");
  expect({ code, stderr }).toEqual({
    code: 4,
    stderr: "ferry: not logged in to a.example\n  hint: ferry login --host https://a.example, or set FERRY_API_KEY\n",
  });
});

test("in a folder that is gone, who needs one is told so in a line, and -C names another", async () => {
  const ferry = (...args: string[]) =>
    collect(
      spawn("sh", ["-c", 'rmdir "$PWD" && exec "$@"', "sh", process.execPath, program, ...args], {
        cwd: mkdtempSync(join(binary.folder, "gone-")),
        env: binary.env,
      }),
    );
  expect(await ferry("config", "list")).toEqual({
    code: 1,
    stdout: "",
    stderr: "ferry: the current folder is no longer there\n  hint: go to another one (cd), or name one: -C FOLDER\n",
  });
  expect(await ferry("-C", binary.folder, "config", "list")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^credential_store\t/u) as string,
  });
});
