import { cut, oneLine } from "../../../base/text.ts";
import type { Sandbox } from "../../sandbox/driver.ts";
import { runInside } from "./inside.ts";

export interface TurnCommit {
  readonly branch: string;
  /** The snapshot to commit, made by `seeChanges` just before. */
  readonly tree: string;
  readonly message: string;
}

/** What became of it: a commit was made, there was nothing to commit, or why the workspace isn't in a state for one. */
export type CommitResult = { readonly made: boolean; readonly obstacle: string };

/**
 * Commits a snapshot on the session's branch, without porcelain: no hook, no editor, no signing. `$1` is the branch, `$2` the
 * tree, stdin the message. The snapshot's index becomes the agent's, since it is what the commit says.
 */
const commit = `
set -e
git=$(git rev-parse --absolute-git-dir)
ref="refs/heads/$1"
[ "$(git symbolic-ref --quiet HEAD)" = "$ref" ] || { echo elsewhere; exit 0; }
for open in MERGE_HEAD CHERRY_PICK_HEAD REVERT_HEAD; do
  [ ! -e "$git/$open" ] || { echo "$open"; exit 0; }
done
head=$(git rev-parse --quiet --verify "$ref^{commit}") || head=
if [ -n "$head" ]; then
  [ "$(git rev-parse "$head^{tree}")" != "$2" ] || { echo nothing; exit 0; }
else
  [ "$(git hash-object -t tree --stdin </dev/null)" != "$2" ] || { echo nothing; exit 0; }
fi
new=$(git commit-tree "$2" \${head:+-p "$head"})
git update-ref -m "ferry: the turn's changes" "$ref" "$new" "\${head:-$(printf %s "$new" | tr 0-9a-f 0)}"
[ ! -f "$git/ferry-index" ] || mv -f "$git/ferry-index" "$git/index"
echo made
`;

const obstacles: Readonly<Record<string, string>> = {
  elsewhere: "the workspace is not on the session's branch",
  MERGE_HEAD: "a merge is open in the workspace",
  CHERRY_PICK_HEAD: "a cherry-pick is open in the workspace",
  REVERT_HEAD: "a revert is open in the workspace",
};

/** @throws FerryError failure where git can't commit */
export async function commitTurn(sandbox: Sandbox, { branch, tree, message }: TurnCommit): Promise<CommitResult> {
  const said = (await runInside(sandbox, commit, [branch, tree], { input: message })).toString("utf8").trim();
  return { made: said === "made", obstacle: obstacles[said] ?? "" };
}

/** A message that says what the turn was about: the user's words as the subject, and the session as a trailer. */
export function commitMessage(userMessage: string, sessionId: string): string {
  const line = userMessage.split("\n").map(oneLine).find(saysSomething) ?? "";
  return `${cut(line === "" ? "Changes of a turn" : line, 72)}\n\nFerry-Session: ${sessionId}\n`;
}

/** Not the beginnings of a script that are the same in each. */
function saysSomething(line: string): boolean {
  return line !== "" && !line.startsWith("#!") && !/^set [-+][a-z]+( [a-z]+)?;?$/u.test(line);
}
