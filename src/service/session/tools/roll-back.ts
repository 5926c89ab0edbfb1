import { FerryError } from "../../../base/errors.ts";
import { fieldsInside, listed, pathsOf } from "./inside.ts";
import { repositoryOf, type Tool } from "./tool.ts";

/** `$1` is the mode, the others are paths, none for all. Prints what it takes back. */
const rollBack = `
set -e
mode=$1; shift
[ $# -gt 0 ] || set -- .
git=$(git rev-parse --absolute-git-dir)
[ ! -e "$git/MERGE_HEAD" ] || { echo 'a merge is open: abort that' >&2; exit 1; }
git rev-parse --quiet --verify 'HEAD^{commit}' >/dev/null || { echo 'there is no commit to go back to' >&2; exit 1; }
export GIT_LITERAL_PATHSPECS=1
changed=$(mktemp)
git diff --name-only --no-ext-diff -z HEAD -- "$@" >"$changed"
cat "$changed"
[ "$mode" = soft ] || git ls-files --others --exclude-standard -z -- "$@"
[ ! -s "$changed" ] || git restore --source=HEAD --staged --worktree --pathspec-from-file="$changed" --pathspec-file-nul >&2
[ "$mode" = soft ] || git clean -f -d -q -- "$@" >&2
`;

export const rollBackUncommitted: Tool = {
  name: "rollback_uncommitted_changes",
  description:
    "Takes back what is not committed: tracked files are again as in HEAD. Mode hard also removes files that git doesn't track (never" +
    " ignored ones). With paths only those.",
  inputSchema: {
    type: "object",
    properties: {
      mode: { type: "string", enum: ["soft", "hard"], description: "soft where it isn't given" },
      paths: { type: "array", items: { type: "string" }, description: "files or folders, relative to the repository" },
    },
    additionalProperties: false,
  },
  remote: false,
  async run(scene, args) {
    const mode = args.text("mode") || "soft";
    if (mode !== "soft" && mode !== "hard") throw new FerryError("usage", "mode: must be soft or hard");
    const wanted = args.texts("paths");
    if (wanted.some((path) => path.startsWith("/") || path.split("/").includes("..")))
      throw new FerryError("usage", "paths: must be relative, and in the repository");
    const paths = pathsOf([...new Set(await fieldsInside(scene, rollBack, [mode, ...wanted]))]);
    return {
      text: paths.length === 0 ? "There was nothing to take back." : listed("Taken back", paths),
      payloads: [{ type: "agent_rollback_uncommitted_changes", ...repositoryOf(scene), paths }],
    };
  },
};
