import { FerryError } from "../../../base/errors.ts";
import { bringHome } from "../repository/bring-home.ts";
import { localPath } from "../repository/create.ts";
import { originAddress } from "../repository/origin-access.ts";
import { commitId, fieldsInside } from "./inside.ts";
import { bringIn, hostGit, originOf } from "./origin.ts";
import { noInput, repositoryOf, type Tool } from "./tool.ts";

/** `$1` is the branch. Only where nothing of the branch's own would be left behind. */
const fastForward = `
old=$(git rev-parse --quiet --verify HEAD)
if git merge-base --is-ancestor HEAD "refs/remotes/origin/$1"; then
  git merge --quiet --ff-only "refs/remotes/origin/$1" >/dev/null || exit 1
fi
[ "$old" = "$(git rev-parse HEAD)" ] && printf 'same\\0' || printf 'moved\\0'
`;

export const pullFromRemote: Tool = {
  name: "pull_from_remote",
  description:
    "Fetches the newest state of a branch of the repository's origin as origin/BRANCH, and moves the branch that is checked out there" +
    " where it has no commits of its own. Else use merge_remote_branch.",
  inputSchema: {
    type: "object",
    properties: { branch: { type: "string", description: "where it isn't given the branch that the session began with" } },
    additionalProperties: false,
  },
  remote: true,
  async run(scene, args) {
    const branch = args.text("branch") || (scene.session.base_branch ?? "");
    if (branch === "") throw new FerryError("usage", "branch: is required, since the session began with none");
    const commit = await bringIn(scene, branch);
    const [state] = await fieldsInside(scene, fastForward, [branch]);
    const what = state === "moved" ? "the branch is there now" : "the branch stays where it is";
    return {
      text: `origin/${branch} is ${commit}; ${what}.`,
      payloads: [{ type: "agent_pull_from_remote", ...repositoryOf(scene), branch, commit }],
    };
  },
};

export const pushToRemote: Tool = {
  name: "push_to_remote",
  description:
    "Pushes the commits of this session's branch to the repository's origin, to a branch of the same name; never by force.",
  inputSchema: noInput,
  remote: true,
  async run(scene) {
    const { deps, session, sandbox, tree } = scene;
    const { branch_name: branch, id, base_commit: base = "", head_commit: head = "" } = session;
    const repository = await originOf(scene);
    const { clone_url: origin, default_branch } = repository;
    // What comes to a developer's machine comes when they bring it.
    if (localPath(origin) !== undefined)
      throw new FerryError(
        "failure",
        "the repository is the user's own on this machine: they bring the commits there themselves",
      );
    if (branch === default_branch || branch === session.base_branch)
      throw new FerryError("failure", `only a branch of the session's own is pushed, and ${branch} is not`);
    const home = await bringHome(deps, sandbox, tree, { sessionId: id, branch, base, head, obstacle: "" });
    if (home.remark !== "") throw new FerryError("failure", `nothing was pushed: ${home.remark}`);
    if (home.head === "" || home.head === base) throw new FerryError("failure", "there is no commit to push");
    const commit = commitId(home.head);
    await deps.git.ok(
      [
        "push",
        "--quiet",
        "--no-signed",
        "--no-recurse-submodules",
        "--",
        originAddress(repository),
        `${commit}:refs/heads/${branch}`,
      ],
      await hostGit(scene, repository),
    );
    return {
      text: `Pushed ${commit} to the branch ${branch} of the origin.`,
      payloads: [{ type: "agent_push_to_remote", ...repositoryOf(scene), branch, commit }],
    };
  },
};
