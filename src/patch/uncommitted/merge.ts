import { showPath } from "../../git/path.ts";
import { modes } from "../../git/records.ts";
import type { Received } from "./receive.ts";
import { makeCommit } from "./memory.ts";
import { changesBetween, entriesAt, treeOf, treeWith, type Trees } from "./trees.ts";

/** The sandbox's uncommitted work on the branch as it will be. */
export interface Merged {
  readonly tree: string;
  readonly notices: readonly string[];
}

/** Puts it on the branch's tree: as it is where that is the sandbox's, else by a three-way merge. `paths` are where both changed the same. */
export async function merge(received: Received, branch: string, trees: Trees): Promise<Merged | { paths: string[] }> {
  const merged =
    received.commitTree === branch || received.commit === undefined
      ? { tree: received.tree }
      : await mergeTrees(received, branch, trees);
  return "paths" in merged ? merged : withoutGitlinks(merged.tree, branch, trees);
}

/** See place/rebuild.ts: git-merge-tree(1) takes the merge base from history. */
async function mergeTrees(
  { commit = "", tree }: Received,
  branch: string,
  trees: Trees,
): Promise<{ tree: string } | { paths: string[] }> {
  const { git, quarantine } = trees;
  const [ours, theirs] = [
    await makeCommit({ tree: branch, parents: [commit], message: "ours" }, trees),
    await makeCommit({ tree, parents: [commit], message: "theirs" }, trees),
  ];
  const args = ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours, theirs];
  const options = { ...quarantine.options, config: { "merge.directoryRenames": "conflict" } };
  const result = await git.run(args, options);
  const [merged = "", ...paths] = result.stdout.toString("latin1").split("\0");
  if (result.code === 1) return { paths: [...new Set(paths.filter((path) => path !== ""))] };
  if (result.code !== 0) await git.ok(args, options);
  return { tree: merged };
}

/** Which commit a submodule is at is said by its own checkout, so an unstaged change of that can't be written here. */
async function withoutGitlinks(tree: string, branch: string, trees: Trees): Promise<Merged> {
  const changes = await changesBetween(branch, tree, trees);
  const links = changes.filter(({ oldMode, newMode }) => oldMode === modes.gitlink || newMode === modes.gitlink);
  if (links.length === 0) return { tree, notices: [] };
  const paths = links.map(({ path }) => path);
  const back = await entriesAt(await treeOf(branch, trees), paths, trees);
  return {
    tree: await treeWith(tree, [...back.values()], trees),
    notices: paths.map((path) => `${showPath(path)} is a repository in itself: what isn't committed of it stays in the sandbox`),
  };
}
