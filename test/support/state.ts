import { createHash } from "node:crypto";
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { gitBytes } from "./git.ts";

/**
 * All that a user could notice of a working copy: HEAD, refs with reflogs, index (without times), stash, worktrees, status, every
 * file with mode and content, and which objects there are.
 */
export function stateOf(folder: string): Record<string, string> {
  const git = (...args: string[]) => gitBytes(folder, args, { env: { GIT_OPTIONAL_LOCKS: "0" } }).toString("latin1");
  const beside = join(folder, ".git");
  const gitDir =
    lstatSync(beside, { throwIfNoEntry: false })?.isDirectory() === true ? beside : git("rev-parse", "--absolute-git-dir").trim();
  return {
    head: readFileSync(join(gitDir, "HEAD"), "latin1"),
    refs: git("for-each-ref"),
    reflog: existsSync(join(gitDir, "logs/HEAD")) ? readFileSync(join(gitDir, "logs/HEAD"), "latin1") : "",
    index: git("ls-files", "--stage", "-v", "-z"),
    status: git("status", "--porcelain=v2", "-z", "--ignored"),
    worktrees: git("worktree", "list", "--porcelain"),
    objects: git("count-objects", "-v"),
    gitFolder: readdirSync(gitDir)
      .filter((name) => name !== "ferry" && name !== "index")
      .sort()
      .join("\n"),
    files: filesBelow(folder).join("\n"),
  };
}

/** Each path below a folder, `.git` excepted, with its kind, mode and a hash of its content. */
export function filesBelow(folder: string, prefix = ""): string[] {
  return readdirSync(join(folder, prefix))
    .sort()
    .flatMap((name) => {
      const path = prefix === "" ? name : `${prefix}/${name}`;
      if (name === ".git") return [];
      const status = lstatSync(join(folder, path));
      if (status.isDirectory()) return [`${path}/`, ...filesBelow(folder, path)];
      if (status.isSymbolicLink()) return [`${path} -> ${readlinkSync(join(folder, path))}`];
      const hash = createHash("sha256")
        .update(readFileSync(join(folder, path)))
        .digest("hex");
      return [`${path} ${(status.mode & 0o777).toString(8)} ${hash}`];
    });
}
