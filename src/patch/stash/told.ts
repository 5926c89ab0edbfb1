import { listed } from "../place/listed.ts";
import { PullRefused, type Verdict } from "../verdict.ts";
import type { StashLeft } from "./stash.ts";

/** The commits came, and the local changes that were put away don't go on top of them as they were. */
export function stashLeft({ name, paths }: StashLeft, verdict: Verdict): PullRefused {
  const what = paths.length > 0 ? `conflict with them in ${listed(paths)}` : "are back, but what of them was staged is not";
  return new PullRefused("attention", `the commits came, and your changes ${what}; they are in ${name} as well`, {
    code: "stash_conflict",
    verdict: { ...verdict, conflicts: paths },
    details: paths,
    hint: `resolve it, then git stash drop ${name}; or ferry pull --undo once git reset --hard made the tree clean, then git stash pop --index`,
  });
}
