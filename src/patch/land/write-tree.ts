import { FerryError } from "../../base/errors.ts";
import type { Head } from "../../git/discover.ts";
import type { GitChild } from "../../git/git.ts";
import { showPath } from "../../git/path.ts";
import { type Change, modes } from "../../git/records.ts";
import type { Checkpoint } from "../request.ts";
import { indexInfo } from "./compare.ts";
import { look } from "./disk.ts";
import { refreshIndex, writeIndex } from "./locks.ts";
import type { PathCheck } from "./path-check.ts";
import type { ChildNotes, WorkingCopy } from "./working-copy.ts";

export interface TreeMove {
  readonly old: Head;
  readonly tip: string;
  readonly changes: readonly Change[];
  readonly check: PathCheck;
  readonly checkpoint: (name: Checkpoint) => Promise<void>;
}

/**
 * Takes index and working tree from the old tree to the tip's by `git read-tree -m -u`, which keeps what the two have in common
 * as it is, staged changes among it. What lies there already is entered into the index first, or git would refuse it.
 */
export async function writeTree(copy: WorkingCopy, { old, tip, changes, check, checkpoint }: TreeMove): Promise<void> {
  if (check.present.length > 0) await writeIndex(copy, ["update-index", "-z", "--index-info"], indexInfo(check.present));
  await checkpoint("adopted");
  // read-tree trusts the index's times: an untouched file with new times would be in its way.
  await refreshIndex(copy);
  const from = old.state === "unborn" ? await emptyTree(copy) : old.commit;
  await writeIndex({ ...copy, children: withCheckpoint(copy.children, checkpoint) }, ["read-tree", "-m", "-u", from, tip]);
  await refuseLeftovers(copy, changes);
  await checkpoint("tree-written");
}

export function withCheckpoint(children: ChildNotes, checkpoint: TreeMove["checkpoint"]): ChildNotes {
  const starting = async (child: GitChild) => {
    await children.starting(child);
    await checkpoint("tree-started");
  };
  return { ...children, starting };
}

async function emptyTree({ git, repository }: WorkingCopy): Promise<string> {
  const { gitDir } = repository;
  return (await git.ok(["hash-object", "-t", "tree", "--stdin"], { cwd: gitDir, gitDir, input: "" })).toString("latin1").trim();
}

/** Git only warns where a file can't be removed. */
export async function refuseLeftovers({ repository }: WorkingCopy, changes: readonly Change[]): Promise<void> {
  for (const { path, oldMode, newMode } of changes) {
    if (newMode !== modes.absent || oldMode === modes.gitlink) continue;
    const found = await look(repository.workTree, path);
    if (found.what === "file" || found.what === "link")
      throw new FerryError("attention", `${showPath(path)} can't be removed`, { hint: "check the permissions of its folder" });
  }
}
