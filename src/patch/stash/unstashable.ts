import { FerryError } from "../../base/errors.ts";
import { shellWord } from "../../base/words.ts";
import { type GitPath, showPath } from "../../git/path.ts";
import { type PathCheck, unmerged, untracked } from "../land/path-check.ts";
import { listed } from "../place/listed.ts";
import { inTheWay } from "../place/place.ts";
import { PullRefused, type Verdict } from "../verdict.ts";

/** A path that --autostash leaves alone, so that the pull is refused. */
export interface Unstashable {
  readonly path: GitPath;
  readonly why: string;
}

const altered = "has bytes that git would not give back as they are (line ends, or a filter)";

/** Beyond what is in the way of any pull. */
export const whyNot = {
  unwatched: "is out of git's sight (assume-unchanged or skip-worktree)",
  announced: "has been announced only (git add -N)",
  submodule: "is a submodule",
  what: {
    folder: "is a folder where git has a file",
    behind: "is in git, and its folder here is a file or a link",
    other: "is neither a file nor a link",
  },
  altered: (path: GitPath): Unstashable => ({ path, why: altered }),
} as const;

const remedies: Readonly<Record<string, (path: string) => string>> = {
  [whyNot.unwatched]: (path) => `git update-index --no-assume-unchanged --no-skip-worktree ${shellWord(path)}, then try again`,
  [whyNot.announced]: (path) => `git add ${shellWord(path)}, then try again`,
  [altered]: (path) => `commit ${path}, or copy it elsewhere and git restore ${shellWord(path)}; then try again`,
};

/** Says of what is in the way only what --autostash can't put away, and what to do about that. */
export function unstashableError(refused: readonly Unstashable[], blocked: PathCheck["blocked"], verdict: Verdict): FerryError {
  const [first] = refused;
  if (first === undefined || refused.some(({ why }) => why === unmerged)) return inTheWay(blocked, verdict);
  const lines = refused.map(({ path, why }) => `${showPath(path)} ${why}`);
  const name = showPath(first.path);
  const remedy =
    remedies[first.why]?.(name) ??
    `move it away${first.why === untracked ? "" : ` (git restore ${shellWord(name)} brings back what git has of it)`}, then try again`;
  return new PullRefused("attention", `--autostash puts changes of tracked files away, and not this: ${listed(lines)}`, {
    verdict: { ...verdict, blocked_by: blocked.map(({ path }) => showPath(path)) },
    details: lines.length > 1 ? lines : [],
    hint: `nothing was changed; ${remedy}`,
  });
}
