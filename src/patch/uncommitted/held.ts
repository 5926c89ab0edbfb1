import type { GitPath } from "../../git/path.ts";
import { type Change, modes } from "../../git/records.ts";
import { type Entry, presentAs } from "../land/compare.ts";
import { look } from "../land/disk.ts";
import { readIndex } from "../land/index-entries.ts";
import type { Watched } from "../land/working-copy.ts";
import type { Memory } from "./memory.ts";

/** The paths whose entries the working tree holds; an entry that is absent is held where nothing is. */
export async function holds(copy: Watched, entries: readonly Entry[]): Promise<Set<GitPath>> {
  const { git, repository } = copy;
  const held = await presentAs(git, repository, { entries, scratch: copy.scratch });
  for (const { path, mode } of entries) {
    if (mode !== modes.absent) continue;
    const found = await look(repository.workTree, path);
    // A folder in its place holds what other entries tell of.
    if (found.what === "nothing" || found.what === "behind" || found.what === "folder") held.add(path);
  }
  return held;
}

/** The paths that are still as they came, and of which the index knows only what the branch has. */
export async function stillHeld(copy: Watched, memory: Memory, branch: ReadonlyMap<GitPath, Entry>): Promise<Set<GitPath>> {
  const asTheyCame = await holds(copy, memory.changes.map(newEntry));
  const unstaged = new Map(
    memory.changes.map((change): [GitPath, Change] => {
      const entry = branch.get(change.path);
      return [change.path, { ...change, oldMode: entry?.mode ?? modes.absent, oldId: entry?.id ?? "" }];
    }),
  );
  const index = await readIndex(copy, unstaged);
  return new Set(
    [...asTheyCame].filter((path) => {
      const entry = index.get(path);
      return entry === undefined ? unstaged.get(path)?.oldMode === modes.absent : entry.kind === "old";
    }),
  );
}

export function newEntry({ path, newMode, newId }: Change): Entry {
  return { path, mode: newMode, id: newId };
}
