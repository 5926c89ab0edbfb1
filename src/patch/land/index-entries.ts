import { copyFile, stat, utimes } from "node:fs/promises";
import type { GitPath } from "../../git/path.ts";
import { type Change, fields, modes } from "../../git/records.ts";
import { gitError } from "../../git/runner.ts";
import { withIndex } from "./compare.ts";
import type { Watched } from "./working-copy.ts";

/** What an index has at a path, seen from a change of that path. */
export interface IndexEntry {
  readonly mode: string;
  readonly id: string;
  /** Git is told not to look at the file (skip-worktree, assume-unchanged). */
  readonly unwatched: boolean;
  /** The first of the two. */
  readonly skipped: boolean;
  readonly kind: "old" | "new" | "unmerged" | "other";
}

/** Whether the index has the path as it will be. */
export function isIndexed(entry: IndexEntry | undefined, newMode: string): boolean {
  return entry === undefined ? newMode === modes.absent : entry.kind === "new";
}

/**
 * With its time: git takes a file that is no older than the index for one that may have changed unseen, and compares its content
 * (racy-git in git's technical documents). An earlier time only makes it compare more.
 */
export async function copyIndex(from: string, to: string): Promise<void> {
  try {
    const second = Math.floor((await stat(from)).mtimeMs / 1000);
    await copyFile(from, to);
    await utimes(to, second, second);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
}

/** The index's entries of the changed paths, and all that are unmerged. `ls-files -v`: a small letter is assume-unchanged, S skip-worktree. */
export async function readIndex(
  { git, repository, index }: Watched,
  changes: ReadonlyMap<GitPath, Change>,
): Promise<Map<GitPath, IndexEntry>> {
  const { workTree, gitDir } = repository;
  const args = ["ls-files", "-z", "--stage", "-v", "--full-name"];
  const listing = await git.stream(
    args,
    index === undefined ? { cwd: workTree, gitDir, workTree } : withIndex(repository, index),
  );
  listing.stdin.end();
  const entries = new Map<GitPath, IndexEntry>();
  for await (const batch of fields(listing.stdout))
    for (const line of batch) {
      const tab = line.indexOf("\t");
      const path = line.slice(tab + 1);
      const change = changes.get(path);
      const [tag = "", mode = "", id = "", stage] = line.slice(0, tab).split(" ");
      if (change === undefined && stage === "0") continue;
      const isOld = mode === change?.oldMode && id === change.oldId;
      const isNew = mode === change?.newMode && id === change.newId;
      entries.set(path, {
        mode,
        id,
        unwatched: /^[a-zS]$/u.test(tag),
        skipped: /^[sS]$/u.test(tag),
        kind: stage !== "0" ? "unmerged" : isOld ? "old" : isNew ? "new" : "other",
      });
    }
  const { code, stderr } = await listing.exit;
  if (code !== 0) throw gitError(args, { code, stderr });
  return entries;
}

/** A path that the index no longer has is a staged deletion, unless the series deletes it as well. */
export function isStaged(change: Change, index: ReadonlyMap<GitPath, IndexEntry>): boolean {
  const entry = index.get(change.path);
  return entry === undefined
    ? change.oldMode !== modes.absent && change.newMode !== modes.absent
    : entry.kind === "other" || entry.kind === "unmerged";
}
