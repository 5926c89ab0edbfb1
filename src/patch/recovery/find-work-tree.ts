import { readFile, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { discover } from "../../git/discover.ts";
import { noneUnlessKilled } from "../../git/runner.ts";
import type { Context } from "../context.ts";

/** Where a working copy is by now; gone: git has forgotten it (git worktree prune). away: git knows it, and it isn't where git says. */
export type Whereabouts = { readonly workTree: string } | "gone" | "away";

/**
 * Looks for the working copy with a git folder of this repository, which may have been moved since something was noted of it. One that
 * belongs to another repository by its own `.git`, as the worktrees of a copied one do, isn't it.
 */
export async function findWorkTree(
  { gitDir, workTree }: { readonly gitDir: string; readonly workTree: string },
  { git, repository }: Pick<Context, "git" | "repository">,
): Promise<Whereabouts> {
  if (gitDir === repository.gitDir) return { workTree: repository.workTree };
  if (!(await isThere(gitDir))) return "gone";
  const link = await readFile(join(gitDir, "gitdir"), "utf8").catch(missing);
  if (link === undefined) {
    // The main one: around its folder, or where the configuration says.
    const main = (await discover(git, gitDir).catch(noneUnlessKilled))?.workTree;
    if (main !== undefined && (await isThere(main))) return { workTree: main };
  }
  const noted = link === undefined ? workTree : dirname(resolve(gitDir, link.trim()));
  const own = (await isThere(noted)) ? await discover(git, noted).catch(noneUnlessKilled) : undefined;
  return own?.gitDir === gitDir && own.workTree !== undefined ? { workTree: own.workTree } : "away";
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(missing)) !== undefined;
}

function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error;
  return undefined;
}
