import type { InputSchema } from "../../agent/tools/tool-box.ts";
import { commitId, fieldsInside, listed, pathsOf } from "./inside.ts";
import { bringIn } from "./origin.ts";
import { noInput, repositoryOf, type Tool } from "./tool.ts";

const branch: InputSchema = {
  type: "object",
  properties: { branch: { type: "string", description: "a branch of the repository's origin, e.g. main" } },
  required: ["branch"],
  additionalProperties: false,
};

/** `$1` is the branch. A merge that stops with conflicts is no failure; one that can't begin is. */
const merge = `
git=$(git rev-parse --absolute-git-dir) || exit 1
[ ! -e "$git/MERGE_HEAD" ] || { echo 'a merge is open already: resolve or abort it' >&2; exit 1; }
if git merge --quiet --no-edit "refs/remotes/origin/$1" >/dev/null; then
  printf 'merged\\0'; git rev-parse HEAD | tr '\\n' '\\0'
elif [ -e "$git/MERGE_HEAD" ]; then
  printf 'conflicts\\0\\0'; git diff --name-only --diff-filter=U --no-ext-diff -z --
else exit 1; fi
`;

export const mergeRemoteBranch: Tool = {
  name: "merge_remote_branch",
  description:
    "Merges the newest state of a branch of the repository's origin into the branch that is checked out. With conflicts the merge stays" +
    " open: resolve them, git add the files and commit, or abort_merge.",
  inputSchema: branch,
  remote: true,
  async run(scene, args) {
    const name = args.text("branch");
    const commit = await bringIn(scene, name);
    const [state, head, ...found] = await fieldsInside(scene, merge, [name]);
    const merged = { type: "agent_merge_remote_branch", ...repositoryOf(scene), branch: name, commit } as const;
    if (state === "merged") return { text: `Merged: HEAD is ${commitId(head)}.`, payloads: [{ ...merged, paths: [] }] };
    const paths = pathsOf(found);
    return {
      text: listed("The merge stopped with conflicts in", paths),
      payloads: [
        { ...merged, paths },
        { type: "agent_conflict_state", ...repositoryOf(scene), paths },
      ],
    };
  },
};

/** `$1` is the branch. git-merge-tree(1) exits with 1 for conflicts, whose files follow the tree's id. */
const tryMerge = `
git merge-tree --write-tree --name-only --no-messages -z HEAD "refs/remotes/origin/$1"
[ $? -le 1 ]
`;

export const checkMergeability: Tool = {
  name: "check_mergeability",
  description:
    "Tells whether HEAD and the newest state of a branch of the repository's origin merge without conflicts. Changes nothing.",
  inputSchema: branch,
  remote: true,
  async run(scene, args) {
    const name = args.text("branch");
    await bringIn(scene, name);
    const [, ...found] = await fieldsInside(scene, tryMerge, [name]);
    const paths = pathsOf(found.filter((path) => path !== ""));
    const mergeable = paths.length === 0;
    return {
      text: mergeable ? `It merges with ${name} without conflicts.` : listed(`Conflicts with ${name} in`, paths),
      payloads: [
        { type: "agent_check_target_branch_mergeability", ...repositoryOf(scene), target_branch: name, mergeable, paths },
      ],
    };
  },
};

const abort = `
git=$(git rev-parse --absolute-git-dir) || exit 1
[ -e "$git/MERGE_HEAD" ] || { echo 'no merge is open' >&2; exit 1; }
git merge --abort >/dev/null
`;

export const abortMerge: Tool = {
  name: "abort_merge",
  description: "Gives up the open merge: the working copy is again as it was before it.",
  inputSchema: noInput,
  remote: false,
  async run(scene) {
    await fieldsInside(scene, abort, []);
    return {
      text: "The merge is given up.",
      payloads: [{ type: "agent_abort_conflict_resolution", ...repositoryOf(scene) }],
    };
  },
};
