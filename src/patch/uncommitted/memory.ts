import type { Change } from "../../git/records.ts";
import { changesBetween, emptyTree, treeOf, type Trees } from "./trees.ts";

/**
 * What of a sandbox's uncommitted work came into a working copy: a commit whose tree is what the working tree was given, on top of
 * the commit that the branch had then. Its files are the sandbox's and nobody's here, as long as they are as they came.
 */
export interface Memory {
  readonly commit: string;
  /** From the branch's tree to what the working tree was given. */
  readonly changes: readonly Change[];
}

export async function readMemory(commit: string, trees: Trees): Promise<Memory> {
  const { git, quarantine } = trees;
  const parent = await git.run(["rev-parse", "--verify", "--quiet", `${commit}^`], quarantine.options);
  const before = parent.code === 0 ? parent.stdout.toString("latin1").trim() : await emptyTree(trees);
  return { commit, changes: await changesBetween(before, commit, trees) };
}

/** The commit for what is given now; undefined where the working tree is to hold nothing but the branch. The same for the same. */
export async function makeMemory(
  { tree, on }: { tree: string; on: string | undefined },
  trees: Trees,
): Promise<string | undefined> {
  const base = on === undefined ? await emptyTree(trees) : await treeOf(on, trees);
  if (tree === base) return undefined;
  return makeCommit({ tree, parents: on === undefined ? [] : [on], message: "ferry: not committed in the sandbox" }, trees);
}

/** By nobody, at no time. */
export async function makeCommit(
  { tree, parents, message }: { tree: string; parents: readonly string[]; message: string },
  { git, quarantine }: Trees,
): Promise<string> {
  const args = ["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent])];
  return (await git.ok(args, { ...quarantine.options, input: message })).toString("latin1").trim();
}
