import { constants } from "node:fs";
import { writeFile } from "node:fs/promises";
import type { GitPath } from "../../git/path.ts";
import { modes } from "../../git/records.ts";
import type { Entry } from "../land/compare.ts";
import { Looker, onDisk } from "../land/disk.ts";
import type { WorkingCopy } from "../land/working-copy.ts";

/** What git has just written, and no link that took its place; Windows has no such flag, which counts as 0. */
const over = constants.O_WRONLY | constants.O_TRUNC | constants.O_NOFOLLOW;

/**
 * Gives files that were checked out again the bytes of their blobs where that is what was there before: files that were written before
 * `core.autocrlf`, an attribute or a filter was set lie in the working tree unconverted, which git, asked for them, doesn't remember. Told
 * by the sizes that they had, in bytes: git takes a file of another size for changed, whatever it holds (racy-git.txt).
 */
export async function unfilter(
  { git, repository }: WorkingCopy,
  restored: readonly Entry[],
  sizes: Readonly<Record<GitPath, number>>,
): Promise<void> {
  const { workTree, gitDir } = repository;
  const looker = new Looker(workTree);
  for (const { path, mode, id } of restored) {
    const found = looker.look(path);
    const wanted = sizes[path];
    if (mode === modes.link || wanted === undefined || found.what !== "file" || found.size === wanted) continue;
    const blob = await git.ok(["cat-file", "blob", id], { cwd: workTree, gitDir });
    if (blob.length === wanted) await writeFile(onDisk(workTree, path), blob, { flag: over });
  }
}
