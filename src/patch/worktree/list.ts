import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import type { Repository } from "../../git/discover.ts";
import type { Git } from "../../git/git.ts";
import { type Held, heldBranches } from "./held.ts";

/** A working copy of the repository, the main one among them. */
export interface Worktree {
  readonly path: string;
  /** The full name of the branch that is checked out; undefined for a detached HEAD. */
  readonly branch: string | undefined;
}

/** git-worktree(1), --porcelain -z: records of `worktree`, `HEAD`, `branch`, ended by an empty line. */
export async function listWorktrees(
  git: Git,
  { gitDir, commonDir, workTree }: Pick<Repository, "gitDir" | "commonDir" | "workTree">,
): Promise<Worktree[]> {
  const main = gitDir === commonDir ? workTree : await mainTree(git, commonDir);
  const listing = await git.ok(["worktree", "list", "--porcelain", "-z"], { cwd: gitDir, gitDir });
  return listing
    .toString("utf8")
    .split("\0\0")
    .map((record) => record.split("\0"))
    .flatMap((lines, at) => {
      const value = (name: string) => lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1);
      const path = value("worktree");
      if (path === undefined || lines.includes("bare")) return [];
      // Git takes the main one to lie around its git folder, which that of a submodule, say, doesn't.
      if (at === 0 && main !== undefined) return [{ path: main, branch: value("branch") }];
      // A git before 2.48 gives a relative one as it is written down, seen from any folder beside its own.
      return [{ path: resolve(commonDir, "worktrees", "any", path), branch: value("branch") }];
    });
}

/** Where the main working copy is by the configuration (core.worktree). */
async function mainTree(git: Git, commonDir: string): Promise<string | undefined> {
  const found = await git.run(["config", "--file", `${commonDir}/config`, "core.worktree"], { cwd: commonDir });
  const path = found.stdout.toString("utf8").replace(/\n$/u, "");
  return path === "" ? undefined : resolve(commonDir, path);
}

/** A working copy that a branch can't be moved or checked out beside. */
export interface Holder {
  readonly path: string;
  readonly how: "is checked out in" | Held["how"];
}

/** The one, other than `except`, that has a branch checked out; or any that is in the middle of something with it. */
export async function worktreeWith(
  ref: string,
  { git, repository, except }: { git: Git; repository: Repository; except?: string | undefined },
): Promise<Holder | undefined> {
  const own = except === undefined ? undefined : await realpath(except);
  for (const { path, branch } of await listWorktrees(git, repository))
    if (branch === ref && (await realpath(path).catch(() => path)) !== own) return { path, how: "is checked out in" };
  return (await heldBranches(repository)).find((held) => held.ref === ref);
}
