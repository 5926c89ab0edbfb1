import { shellWord } from "../../base/words.ts";
import { type GitPath, pathBytes, showPath } from "../../git/path.ts";
import type { Context } from "../context.ts";

/**
 * The command that gives up what index and files have at these paths. What HEAD doesn't have is to be removed: git restore refuses it
 * where it is unmerged, as the other name is that git gives one side where a link and a file meet.
 */
export async function giveUp(paths: readonly GitPath[], { git, repository }: Context): Promise<string> {
  const { gitDir, workTree } = repository;
  const names = paths.map((path) => pathBytes(path).toString("utf8"));
  const listing = await git.ok(["ls-tree", "-z", "--name-only", "HEAD", "--", ...names], { cwd: workTree, gitDir });
  const inHead = new Set(listing.toString("latin1").split("\0"));
  const words = (of: readonly GitPath[]) => of.map((path) => shellWord(fromTop(showPath(path)))).join(" ");
  const [old, added] = [paths.filter((path) => inHead.has(path)), paths.filter((path) => !inHead.has(path))];
  return [
    ...(added.length === 0 ? [] : [`git rm -qf -- ${words(added)}`]),
    ...(old.length === 0 ? [] : [`git restore --staged --worktree -- ${words(old)}`]),
  ].join(" && ");
}

/** From whatever folder it is run, and that path alone: gitglossary(7), pathspec. */
function fromTop(path: string): string {
  return /[*?[\\]/u.test(path) ? `:(top,literal)${path}` : `:/${path}`;
}
