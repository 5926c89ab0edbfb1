import { FerryError } from "../../../base/errors.ts";
import { oneLine } from "../../../base/text.ts";
import type { Sandbox } from "../../sandbox/driver.ts";
import { uncommittedRef } from "../repository/layout.ts";
import { runInside } from "./inside.ts";

/** What there is to bring home. */
export interface Tips {
  /** The head of the session's branch; "" where it has no commit. */
  readonly tip: string;
  /** A commit of the workspace on top of what comes home, where that holds more; "" else. */
  readonly uncommitted: string;
  /** How many commits of HEAD and the branch neither come home nor were fetched from a remote. */
  readonly left: number;
  /** Where the agent works, if not on the branch; "" else. */
  readonly remark: string;
}

/** What the series is known as so far; "" for what is unborn. */
interface Known {
  readonly branch: string;
  readonly base: string;
  readonly head: string;
}

/**
 * `$1` is the branch, `$2` the workspace's tree, `$3` the ref for what isn't committed, `$4` the base and `$5` the head that came
 * home last. Home comes the branch, or, where it is gone or lost its base, nothing beyond that head. The commit of what isn't
 * committed has a fixed date, so that it is the same as long as the workspace is. Prints five lines: the branch's commit, that
 * ref's, HEAD's ref, HEAD's commit, and how many commits are left.
 */
const tips = `
set -e
not=
tip=$(git rev-parse --quiet --verify "refs/heads/$1^{commit}") || tip=
home=$tip
if [ -z "$tip" ] || { [ -n "$4" ] && ! git merge-base --is-ancestor "$4" "$tip" 2>/dev/null; }; then
  [ -z "$5" ] || ! git cat-file -e "$5^{commit}" 2>/dev/null || home=$5
fi
empty=$(git hash-object -t tree --stdin </dev/null)
more=
if [ "$2" != "$(git rev-parse "\${home:-$empty}^{tree}")" ]; then
  export GIT_AUTHOR_DATE='@0 +0000' GIT_COMMITTER_DATE='@0 +0000'
  more=$(git commit-tree "$2" \${home:+-p "$home"} -m 'not committed')
  git update-ref "$3" "$more"
fi
head=$(git rev-parse --quiet --verify 'HEAD^{commit}') || head=
printf '%s\\n' "$tip" "$more" "$(git symbolic-ref --quiet HEAD)" "$head"
for commit in "$home" "$4" "$5"; do
  [ -z "$commit" ] || ! git cat-file -e "$commit^{commit}" 2>/dev/null || not="$not ^$commit"
done
if [ -n "$tip$head" ]; then git rev-list --count $tip $head $not --not --remotes; else echo 0; fi
`;

/** @throws FerryError failure where git can't read the workspace */
export async function findTips(sandbox: Sandbox, tree: string, { branch, base, head }: Known): Promise<Tips> {
  const output = await runInside(sandbox, tips, [branch, tree, uncommittedRef, base, head], { limit: 64 * 1024 });
  const [tip = "", uncommitted = "", headRef = "", headCommit = "", left = ""] = output.toString("utf8").split("\n");
  // They become arguments of the host's git.
  for (const id of [tip, uncommitted])
    if (!/^([0-9a-f]{40}([0-9a-f]{24})?)?$/u.test(id)) throw new FerryError("failure", "the sandbox gave no commit id");
  const astray = headRef !== `refs/heads/${branch}` && headCommit !== tip;
  const where = headRef === "" ? "a detached HEAD" : oneLine(headRef.replace(/^refs\/heads\//u, ""));
  return {
    tip,
    uncommitted,
    left: Number(left) || 0,
    remark: astray ? `the agent works on ${where}; only commits on ${branch} come home` : "",
  };
}

/** Writes the ref `$1` as a bundle, without what the commits `$2` … hold, as far as the sandbox still has these. */
export const pack = `
ref=$1; shift
for commit; do
  shift
  ! git cat-file -e "$commit^{commit}" 2>/dev/null || set -- "$@" "^$commit"
done
exec git bundle create --quiet - "$ref" "$@"
`;
