import { listed } from "../place/listed.ts";
import { PullRefused, type Verdict } from "../verdict.ts";
import type { StashLeft } from "./stash.ts";

/** The commits came, and the local changes that were put away don't go on top of them as they were. */
export function stashLeft({ name, paths, isBack }: StashLeft, verdict: Verdict): PullRefused {
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
      hint: isBack
        ? `resolve it, then git stash drop ${name}; or ferry pull --undo once git reset --hard made the tree clean, then git stash pop --index`
        : `git stash apply --index ${name} says what is in the way; or ferry pull --undo, then git stash pop --index`,
    },
  );
}
