import { FerryError } from "../../../base/errors.ts";
import { oneLine } from "../../../base/text.ts";
import type { Sandbox } from "../../sandbox/driver.ts";
import { uncommittedRef } from "../repository/layout.ts";
import { runInside } from "./inside.ts";

/** What there is to bring home. */
export interface Tips {
  /** The head of the session's branch; "" where it has no commit. */
  readonly tip: string;
  /** A commit of the workspace on top of it, where that holds more; "" else. */
  readonly uncommitted: string;
  /** Where the agent works, if not on the branch; "" else. */
  readonly remark: string;
}

/**
 * `$1` is the branch, `$2` the workspace's tree, `$3` the ref for what isn't committed. Its commit has a fixed date, so that it is
 * the same as long as the workspace is. Prints four lines: the branch's commit, that ref's, HEAD's ref and HEAD's commit.
 */
const tips = `
set -e
tip=$(git rev-parse --quiet --verify "refs/heads/$1^{commit}") || tip=
empty=$(git hash-object -t tree --stdin </dev/null)
more=
if [ "$2" != "$(git rev-parse "\${tip:-$empty}^{tree}")" ]; then
  export GIT_AUTHOR_DATE='@0 +0000' GIT_COMMITTER_DATE='@0 +0000'
  more=$(git commit-tree "$2" \${tip:+-p "$tip"} -m 'not committed')
  git update-ref "$3" "$more"
fi
printf '%s\\n' "$tip" "$more" "$(git symbolic-ref --quiet HEAD)" "$(git rev-parse --quiet --verify 'HEAD^{commit}')"
`;

/** @throws FerryError failure where git can't read the workspace */
export async function findTips(sandbox: Sandbox, branch: string, tree: string): Promise<Tips> {
  const output = await runInside(sandbox, tips, [branch, tree, uncommittedRef], { limit: 64 * 1024 });
  const [tip = "", uncommitted = "", headRef = "", headCommit = ""] = output.toString("utf8").split("\n");
  // They become arguments of the host's git.
  for (const id of [tip, uncommitted])
    if (!/^([0-9a-f]{40}([0-9a-f]{24})?)?$/u.test(id)) throw new FerryError("failure", "the sandbox gave no commit id");
  const astray = headRef !== `refs/heads/${branch}` && headCommit !== tip;
  const where = headRef === "" ? "a detached HEAD" : oneLine(headRef.replace(/^refs\/heads\//u, ""));
  return { tip, uncommitted, remark: astray ? `the agent works on ${where}; only commits on ${branch} come home` : "" };
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
