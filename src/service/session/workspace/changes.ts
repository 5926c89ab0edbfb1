import type { Payload } from "../../../wire/event.ts";
import type { Sandbox } from "../../sandbox/driver.ts";
import { runInside } from "./inside.ts";

/** What git sees in the workspace now, and what of it is new. */
export interface Changes {
  /** The tree of everything that isn't ignored, committed or not. */
  readonly tree: string;
  /** One payload a file, in git's order. */
  readonly payloads: readonly Payload[];
  /** How many files changed beyond those. */
  readonly more: number;
}

/** A timeline is for reading: what is larger is told as left out, and is there in full in the patches. */
const limits = { files: 300, patch: 4 * 1024 * 1024, diff: 64 * 1024, list: 32 * 1024 * 1024 };

/**
 * Writes the workspace as a tree, through an index of our own so that the agent's stays as it is, and compares it with an earlier
 * one: `$1` is that tree ("" where there is none), `$2` the bytes of patch text at most. Prints the tree and the raw records of copies,
 * behind an empty one those of all changes, and behind another the patch. The copy keeps the index's time: git compares the content of a file that is no older, since it may
 * have changed unseen (racy-git in git's technical documents). Where there is none, or git can't do it with that one, one of HEAD's takes
 * its place: an index is a cache, but for which ignored files are tracked. A filter that the agent set up, or needs a program that isn't there, and fails
 * is done without: the files are taken as they are.
 *
 * An agent waits for this after each of its commands, however large the repository is. So unedited moves and copies, by their ids, are
 * all that is looked for among all files. Of edited ones at most 400 new files are compared with the 400 that were removed or changed
 * (-l, the square of which git compares at most: half a second), whatever the agent's own configuration says.
 */
const snapshot = `
set -e
copied() {
  [ -f "$git/index" ] && cp "$git/index" "$git/ferry-index" 2>/dev/null && touch -r "$git/index" "$git/ferry-index"
}
anew() {
  rm -f "$git/ferry-index" "$git/ferry-index.lock"
  git read-tree HEAD 2>/dev/null || rm -f "$git/ferry-index"
}
taken() {
  { git add --all || unfiltered; } && git write-tree
}
unfiltered() {
  set -f
  IFS='
'
  at=$GIT_CONFIG_COUNT
  for name in $(git config --name-only --get-regexp '^filter[.].*[.](clean|process|required)$'); do
    value=
    case $name in *.required) value=false ;; esac
    export "GIT_CONFIG_KEY_$at=$name" "GIT_CONFIG_VALUE_$at=$value"
    at=$((at + 1))
  done
  export GIT_CONFIG_COUNT=$at
  git add --all
}
git=$(git rev-parse --absolute-git-dir)
rm -rf "$git/ferry-index" "$git/ferry-index.lock"
export GIT_INDEX_FILE="$git/ferry-index"
copied || anew
tree=$(taken) || { anew; tree=$(taken); }
printf '%s\\0' "$tree"
[ -n "$1" ] && [ "$1" != "$tree" ] || exit 0
git diff-tree -r -C100% --find-copies-harder --no-rename-empty --diff-filter=C -z --raw "$1" "$tree"
printf '\\0'
git diff-tree -r -M -C -l400 -z --raw "$1" "$tree"
printf '\\0'
git diff-tree -r -M -C -l400 -p --no-color --no-ext-diff --no-textconv "$1" "$tree" | head -c "$2"
`;

/**
 * @param before the tree of the last look, "" for the first
 * @throws FerryError failure where git can't read the workspace; the signal's reason where that aborts
 */
export async function seeChanges(sandbox: Sandbox, before: string, repositoryId: string, signal?: AbortSignal): Promise<Changes> {
  const limit = limits.list + limits.patch;
  const output = await runInside(sandbox, snapshot, [before, String(limits.patch)], { limit, signal });
  const { fields, rest } = splitFields(output);
  const [tree = "", ...copies] = fields;
  const { fields: records, rest: patch } = splitFields(rest);
  const sources = new Map(parseRaw(copies).map(({ path, source }) => [path, source]));
  const files = parseRaw(records);
  const diffs = splitPatch(patch, files);
  const payloads = files.slice(0, limits.files).map((file, at): Payload => {
    const source = file.status === "A" ? sources.get(file.path) : undefined;
    if (source === undefined) return payloadOf(file, diffs[at] ?? "", repositoryId);
    return { type: "agent_file_copy", repository_id: repositoryId, source_path: source, destination_path: file.path };
  });
  return { tree, payloads, more: files.length - payloads.length };
}

/** The NUL-terminated fields up to the empty one, and what follows it; nothing where there is none. */
function splitFields(output: Buffer): { fields: string[]; rest: Buffer } {
  const fields: string[] = [];
  let at = 0;
  for (;;) {
    const end = output.indexOf(0, at);
    if (end === -1) return { fields, rest: output.subarray(at) };
    if (end === at) return { fields, rest: output.subarray(end + 1) };
    fields.push(output.subarray(at, end).toString("utf8"));
    at = end + 1;
  }
}

interface FileChange {
  /** A, M, T, D, R or C, see git-diff-tree(1), Raw output format. */
  readonly status: string;
  readonly path: string;
  /** Where it came from, for R and C. */
  readonly source: string;
}

/** @param records `:<modes> <ids> <status>`, then one path, or two for a rename and a copy */
function parseRaw(records: readonly string[]): FileChange[] {
  const files: FileChange[] = [];
  for (let at = 0; at < records.length;) {
    const status = records[at]?.split(" ").at(-1)?.charAt(0) ?? "";
    const moved = status === "R" || status === "C";
    const source = records[at + 1] ?? "";
    files.push({ status, source, path: moved ? (records[at + 2] ?? "") : source });
    at += moved ? 3 : 2;
  }
  return files;
}

/** No line of a file's diff begins with `diff --git `: all content is set off by a character of its own. */
const header = "diff --git ";

/** Each file's part of the patch. A change of type is two parts, a removal and an addition. */
function splitPatch(patch: Buffer, files: readonly FileChange[]): string[] {
  const starts: number[] = [];
  if (patch.subarray(0, header.length).toString("latin1") === header) starts.push(0);
  for (let at = patch.indexOf(`\n${header}`); at !== -1; at = patch.indexOf(`\n${header}`, at + 1)) starts.push(at + 1);
  let part = 0;
  return files.map(({ status }) => {
    const from = starts[part];
    part += status === "T" ? 2 : 1;
    return from === undefined
      ? ""
      : bounded(patch.subarray(from, starts[part]), starts[part] === undefined && patch.length === limits.patch);
  });
}

/** As much of a diff as an event holds; `cutAlready` where more of it was left out before. Cut at a line's end. A line that begins with a backslash is no content in a unified diff, so it can say so. */
export function bounded(diff: Buffer, cutAlready: boolean): string {
  if (diff.length <= limits.diff && !cutAlready) return diff.toString("utf8");
  const kept = diff.subarray(0, diff.subarray(0, limits.diff).lastIndexOf("\n") + 1).toString("utf8");
  return `${kept}\\ The rest of this diff is left out\n`;
}

function payloadOf({ status, path, source }: FileChange, diff: string, repositoryId: string): Payload {
  const repository = { repository_id: repositoryId };
  switch (status) {
    case "A":
      return { type: "agent_file_create", ...repository, file_path: path, diff };
    case "D":
      return { type: "agent_file_remove", ...repository, file_path: path };
    case "R":
      return { type: "agent_file_move", ...repository, source_path: source, destination_path: path, diff };
    case "C":
      return { type: "agent_file_copy", ...repository, source_path: source, destination_path: path, diff };
    default:
      return { type: "agent_file_edit", ...repository, file_path: path, diff };
  }
}
