import type { Payload } from "../../../wire/event.ts";
import { bounded, seeChanges } from "../workspace/changes.ts";
import { runInside } from "../workspace/inside.ts";
import { commitId, fieldsInside, listed, pathsOf } from "./inside.ts";
import { noInput, repositoryOf, type Tool } from "./tool.ts";

/** Bytes of a diff that leave the sandbox; what is shown of it is less. */
const most = 1024 * 1024;

/** `$1` is a commit, "" for what has none before it; `$2` the bytes of diff at most. */
const compare = `
set -e
head=$(git rev-parse --quiet --verify 'HEAD^{commit}') || { echo 'there is no commit yet' >&2; exit 1; }
base=\${1:-$(git hash-object -w -t tree --stdin </dev/null)}
git cat-file -e "$base"
printf '%s\\0' "$head"
git diff -M --no-color --no-ext-diff --no-textconv "$base" "$head" -- | head -c "$2"
`;

export const branchDiff: Tool = {
  name: "branch_diff",
  description: "Shows what the commits of this session's branch change, compared with the commit that the session began with.",
  inputSchema: noInput,
  remote: false,
  async run(scene) {
    const { sandbox, session, signal } = scene;
    const base = session.base_commit ?? "";
    const output = await runInside(sandbox, compare, [base, String(most)], { limit: most + 1024, signal });
    const end = output.indexOf(0);
    const head = commitId(output.subarray(0, Math.max(end, 0)).toString("latin1"));
    const patch = output.subarray(end + 1);
    const diff = bounded(patch, patch.length >= most);
    return {
      text: diff === "" ? "The branch has no changes." : diff,
      payloads: [{ type: "agent_branch_diff", ...repositoryOf(scene), base, head, diff }],
    };
  },
};

const headTree = `
set -e
git rev-parse --quiet --verify 'HEAD^{tree}' || git hash-object -w -t tree --stdin </dev/null
`;

export const uncommittedChanges: Tool = {
  name: "uncommitted_changes",
  description: "Shows what is changed in the working copy and not committed, files that git doesn't track yet too.",
  inputSchema: noInput,
  remote: false,
  async run(scene) {
    const { sandbox, signal, session } = scene;
    const tree = (await runInside(sandbox, headTree, [], { limit: 1024, signal })).toString("latin1").trim();
    const changes = await seeChanges(sandbox, commitId(tree), session.repository_id ?? "");
    const paths = changes.payloads.map(pathIn);
    const diff = bounded(Buffer.from(changes.payloads.map(diffIn).join("")), false);
    return {
      text: paths.length === 0 ? "Nothing is uncommitted." : `${listed("Not committed", paths)}\n\n${diff}`,
      payloads: [{ type: "agent_uncommitted_changes", ...repositoryOf(scene), diff, paths }],
    };
  },
};

function pathIn(payload: Payload): string {
  const path = payload["destination_path"] ?? payload["file_path"];
  return typeof path === "string" ? path : "";
}

function diffIn(payload: Payload): string {
  const diff = payload["diff"];
  return typeof diff === "string" ? diff : "";
}

const unmerged = `
set -e
git=$(git rev-parse --absolute-git-dir)
[ -e "$git/MERGE_HEAD" ] && printf 'open\\0' || printf 'none\\0'
git diff --name-only --diff-filter=U --no-ext-diff -z --
`;

export const conflictState: Tool = {
  name: "conflict_state",
  description: "Tells whether a merge is open in the working copy, and which files still have conflicts.",
  inputSchema: noInput,
  remote: false,
  async run(scene) {
    const [state, ...found] = await fieldsInside(scene, unmerged, []);
    const paths = pathsOf(found);
    const merge = state === "open" ? "A merge is open." : "No merge is open.";
    return {
      text: paths.length === 0 ? `${merge} No file has conflicts.` : `${merge}\n${listed("In conflict", paths)}`,
      payloads: [{ type: "agent_conflict_state", ...repositoryOf(scene), paths }],
    };
  },
};
