import { type SpawnSyncOptionsWithBufferEncoding, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** An environment in which no configuration of the machine acts, and time stands still. */
export const gitEnv: Readonly<Record<string, string>> = {
  PATH: process.env["PATH"] ?? "",
  HOME: "/nonexistent",
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.com",
  GIT_AUTHOR_DATE: "1764000000 +0100",
  GIT_COMMITTER_NAME: "Agent",
  GIT_COMMITTER_EMAIL: "agent@ferry.local",
  GIT_COMMITTER_DATE: "1764000100 +0000",
};

export interface TestGit {
  readonly folder: string;
  /** Runs git and gives its stdout without the last newline; a failure throws with its stderr. */
  (...args: string[]): string;
}

/** git in a folder. */
export function gitIn(folder: string, env: Readonly<Record<string, string>> = {}): TestGit {
  return Object.assign((...args: string[]) => gitBytes(folder, args, { env }).toString("utf8").replace(/\n$/u, ""), { folder });
}

/** The same as bytes, with input. */
export function gitBytes(
  folder: string,
  args: readonly string[],
  options: { input?: string | Uint8Array; env?: Readonly<Record<string, string>> } = {},
): Buffer {
  const spawnOptions: SpawnSyncOptionsWithBufferEncoding = {
    cwd: folder,
    env: { ...gitEnv, ...options.env },
    maxBuffer: 1 << 30,
    encoding: "buffer",
  };
  const result = spawnSync(
    "git",
    args,
    options.input === undefined ? spawnOptions : { ...spawnOptions, input: Buffer.from(options.input) },
  );
  if (result.error !== undefined) throw result.error;
  if (result.status !== 0) throw new Error(`git ${args.join(" ")} in ${folder}: ${result.stderr.toString("utf8")}`);
  return result.stdout;
}

/** A private folder; `remove` takes it away. */
export function makeFolder(name = "ferry-test-"): { path: string; remove: () => void } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), name)));
  // A service's trash is emptied by a program that may outlive it for a moment.
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }) };
}

/** A new repository on branch `main`, without a commit. */
export function makeRepository(folder: string, options: readonly string[] = []): TestGit {
  mkdirSync(folder, { recursive: true });
  gitBytes(folder, ["init", "--quiet", "--initial-branch=main", ...options]);
  return gitIn(folder);
}

/** Writes files (null takes one away) and commits all of them; gives the commit's id. */
export function commitFiles(
  git: TestGit,
  files: Readonly<Record<string, string | Uint8Array | null>>,
  message = "change",
): string {
  for (const [path, content] of Object.entries(files)) {
    if (content === null) rmSync(join(git.folder, path), { recursive: true });
    else writeFile(git, path, content);
  }
  git("add", "--all", "--force");
  git("-c", "maintenance.auto=false", "commit", "--quiet", "--allow-empty", "--no-verify", "-m", message);
  return headOf(git);
}

/** The commit of HEAD, without a process where HEAD's files say it: the tests ask some thousand times. */
export function headOf(git: TestGit): string {
  const read = (name: string): string => {
    const path = join(git.folder, ".git", name);
    return existsSync(path) ? readFileSync(path, "latin1").trim() : "";
  };
  const head = read("HEAD");
  const commit = head.startsWith("ref: refs/heads/") ? read(head.slice("ref: ".length)) : head;
  return /^[0-9a-f]{40}([0-9a-f]{24})?$/u.test(commit) ? commit : git("rev-parse", "HEAD");
}

export function writeFile(git: TestGit, path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(git.folder, path)), { recursive: true });
  writeFileSync(join(git.folder, path), content);
}

/** Goes to another branch and back until a hook has made the file, a few times at most: on a busy machine its 3 seconds may not be enough. */
export function changeUntilThere(git: TestGit, name: string, [other, own]: readonly [string, string]): void {
  for (let more = 5; more > 0 && !existsSync(join(git.folder, name)); more--)
    for (const branch of [other, own]) git("checkout", "--quiet", branch);
}
