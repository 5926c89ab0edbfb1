import { listed } from "../place/listed.ts";
import { PullRefused, type Verdict } from "../verdict.ts";
import type { StashLeft } from "./stash.ts";

/** The commits came, and the local changes that were put away don't go on top of them as they were. */
export function stashLeft(left: StashLeft, verdict: Verdict): PullRefused {
  const { name, paths, isBack } = left;
  const what = paths.length > 0 ? `conflict with them in ${listed(paths)}` : "are back, but what of them was staged is not";
  return new PullRefused(
    "attention",
    isBack
      ? `the commits came, and your changes ${what}; they are in ${name} as well`
      : `the commits came, and your changes could not be put back: they are in ${name}`,
    {
      code: "stash_conflict",
      verdict: { ...verdict, conflicts: paths },
      details: paths,
      hint: hintOf(left),
    },
  );
}

/** Never a reset of the whole tree: the stash has only what was in the way. */
function hintOf({ name, paths, giveUp, isBack }: StashLeft): string {
  if (!isBack) return `git stash apply ${name} says what is in the way; or ferry pull --undo, then git stash pop --index`;
  if (paths.length === 0) return `git add what you want staged, then git stash drop ${name}`;
  return `resolve it, then git stash drop ${name}; or ${giveUp}, then ferry pull --undo and git stash pop --index`;
}
