import { readdir, readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Repository } from "../../git/discover.ts";

/** Why a branch can't be moved: its working copy counts on it, though HEAD may be detached there meanwhile. */
export interface Held {
  readonly ref: string;
  readonly path: string;
  readonly how: "is being rebased in" | "is being bisected in";
}

/**
 * The branches that a rebase or a bisect is to go back to or to move when it ends, in all working copies: git takes them for
 * checked out (branch.c, prepare_checked_out_branches; wt-status.c).
 */
export async function heldBranches({ commonDir }: Pick<Repository, "commonDir">): Promise<Held[]> {
  const folder = join(commonDir, "worktrees");
  const linked = (await readdir(folder).catch(() => [])).map((name) => join(folder, name));
  return (await Promise.all([commonDir, ...linked].map((gitDir) => heldIn(gitDir, commonDir)))).flat();
}

async function heldIn(gitDir: string, commonDir: string): Promise<Held[]> {
  const text = async (name: string) => readFile(join(gitDir, name), "utf8").catch(() => "");
  // The main working copy lies around its git folder, or wherever its config says: then the git folder has to do.
  const link = gitDir === commonDir ? undefined : (await text("gitdir")).trim();
  const path = link === undefined ? gitDir.replace(/[\\/]\.git$/u, "") : dirname(resolve(gitDir, link));
  const heads = [await text("rebase-merge/head-name"), await text("rebase-apply/head-name")];
  // `rebase --update-refs`: the ref, and what it was and will be, a line each.
  const others = (await text("rebase-merge/update-refs")).split("\n").filter((line) => line.startsWith("refs/"));
  const bisected = (await text("BISECT_LOG")) === "" ? "" : (await text("BISECT_START")).trim();
  return [
    ...[...heads, ...others].map((ref) => ({ ref: ref.trim(), path, how: "is being rebased in" as const })),
    { ref: bisected === "" ? "" : `refs/heads/${bisected}`, path, how: "is being bisected in" as const },
  ].filter(({ ref }) => ref.startsWith("refs/heads/"));
}
