import type { Head } from "../../git/discover.ts";
import { hideOutOfCone } from "./cone.ts";
import { indexInfo } from "./compare.ts";
import { refreshIndex, writeIndex } from "./locks.ts";
import type { PathCheck } from "./path-check.ts";
import { type Replacement, replaceFiles } from "./replace.ts";
import type { WorkingCopy } from "./working-copy.ts";

export interface TreeMove {
  readonly old: Head;
  readonly tip: string;
  readonly check: PathCheck;
  readonly checkpoint: Replacement["checkpoint"];
  readonly replacement: Replacement;
}

/**
 * Takes the index from the old tree to the tip's by `git read-tree -m`, which keeps what the two have in common as it is, staged changes
 * among it, and the working tree after it. What lies there already is entered into the index first, or git would refuse it.
 */
export async function writeTree(copy: WorkingCopy, { old, tip, check, checkpoint, replacement }: TreeMove): Promise<void> {
  if (check.present.length > 0) await writeIndex(copy, ["update-index", "-z", "--index-info"], indexInfo(check.present));
  await checkpoint("adopted");
  await refreshIndex(copy);
  const from = old.state === "unborn" ? await emptyTree(copy) : old.commit;
  await moveTree(copy, { from, to: tip, replacement });
  await checkpoint("tree-written");
}

/** Index and working tree from one tree to another. What lies in the working tree is for its own part to look at (-i). */
export async function moveTree(
  copy: WorkingCopy,
  { from, to, replacement }: { from: string; to: string; replacement: Replacement },
): Promise<void> {
  await writeIndex(copy, ["read-tree", "-i", "-m", from, to]);
  const hidden = await hideOutOfCone(copy, replacement.changes);
  const kept = new Set([...replacement.kept, ...hidden]);
  await replaceFiles(copy, { ...replacement, kept });
}

async function emptyTree({ git, repository }: WorkingCopy): Promise<string> {
  const { gitDir } = repository;
  return (await git.ok(["hash-object", "-t", "tree", "--stdin"], { cwd: gitDir, gitDir, input: "" })).toString("latin1").trim();
}
