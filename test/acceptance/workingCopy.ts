import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Binary } from "../support/binary.ts";

/** A repository as a user has it, with real git in the environment of the binary under test. */
export interface WorkingCopy {
  readonly path: string;
  /** Runs git and gives its stdout, trimmed at the end. */
  git(...args: readonly string[]): Promise<string>;
  write(path: string, data: string | Uint8Array): Promise<void>;
  commitAll(message: string): Promise<void>;
}

const identity = ["-c", "user.name=Ursula Dev", "-c", "user.email=ursula@example.com"];

/** An empty repository on `main`, unborn. */
export async function makeWorkingCopy(binary: Binary, name: string): Promise<WorkingCopy> {
  const path = join(binary.folder, name);
  await mkdir(path);

  async function git(...args: readonly string[]): Promise<string> {
    const { stdout } = await promisify(execFile)("git", args, { cwd: path, env: binary.env, maxBuffer: 64 * 1024 * 1024 });
    return stdout.trimEnd();
  }

  await git("init", "--quiet", "--initial-branch=main");
  return {
    path,
    git,
    async write(file, data) {
      await mkdir(dirname(join(path, file)), { recursive: true });
      await writeFile(join(path, file), data);
    },
    async commitAll(message) {
      await git("add", "--all");
      await git(...identity, "commit", "--quiet", "--allow-empty", "--message", message);
    },
  };
}

/** The same with one commit of two files. */
export async function makeProject(binary: Binary, name: string): Promise<WorkingCopy> {
  const copy = await makeWorkingCopy(binary, name);
  await copy.write("README.md", "# Project\n");
  await copy.write("old name.txt", "a file that moves\nwith enough lines\nto be known again\n");
  await copy.commitAll("A first commit");
  return copy;
}
