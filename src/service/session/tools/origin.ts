import { FerryError } from "../../../base/errors.ts";
import type { Repository } from "../../../wire/resources.ts";
import { isAncestor } from "../repository/bring-home.ts";
import { checkBranch } from "../create.ts";
import { localPath, uploadPack } from "../repository/create.ts";
import { layout, own } from "../repository/layout.ts";
import { originAccess, originAddress } from "../repository/origin-access.ts";
import { runInside } from "../workspace/inside.ts";
import type { Scene } from "./tool.ts";

/** How long the origin may take, in ms. */
const patience = 120_000;

/** Where what was fetched last stands in the session's repository. */
const fetchedRef = "refs/ferry/fetched";

/** The repository that the session works on. @throws FerryError failure where it is gone or disabled */
export async function originOf({ deps, session }: Scene): Promise<Repository> {
  const repository = await deps.store.repositories.find(session.repository_id ?? "");
  if (repository?.enabled !== true) throw new FerryError("failure", "the session's repository is not registered any more");
  return repository;
}

/** Git that talks to the origin, as the service does it: in the session's own repository, in which no agent can write. */
export async function hostGit({ deps, session, signal }: Scene, repository: Repository) {
  const gitDir = layout.repository(deps.data, session.id);
  const { config, env } = await originAccess(deps, repository);
  return {
    ...own(gitDir),
    unattended: true,
    signal: AbortSignal.any([signal, AbortSignal.timeout(patience)]),
    config: {
      "fetch.unpackLimit": "1",
      "credential.helper": "",
      "http.followRedirects": "false",
      ...config,
    },
    env,
  };
}

/**
 * Brings a branch of the origin into the workspace, as `refs/remotes/origin/BRANCH`, and gives its commit. The service fetches it; the
 * sandbox is handed a bundle of what it lacks.
 * @throws FerryError failure where there is no such branch, or the origin can't be reached; Problem 400 for what is no branch's name
 */
export async function bringIn(scene: Scene, name: string): Promise<string> {
  const { deps, sandbox, session, signal } = scene;
  const branch = await checkBranch(deps, name);
  const repository = await originOf(scene);
  const { clone_url: origin } = repository;
  const options = await hostGit(scene, repository);
  const local = localPath(origin) === undefined ? [] : ["--update-shallow", `--upload-pack=${uploadPack}`];
  const flags = ["--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", ...local];
  await deps.git.ok(["fetch", ...flags, "--", originAddress(repository), `+refs/heads/${branch}:${fetchedRef}`], options);
  const tip = await deps.git.ok(["rev-parse", "--verify", `${fetchedRef}^{commit}`], options);
  const commit = tip.toString("utf8").trim();
  const known = [...new Set([session.base_commit ?? "", session.head_commit ?? ""])].filter((id) => id !== "");
  const there = await Promise.all(known.map((id) => isAncestor(deps.git, options.gitDir, commit, id)));
  const bundle = there.includes(true)
    ? new Uint8Array()
    : await deps.git.ok(["bundle", "create", "--quiet", "-", fetchedRef, ...known.map((id) => `^${id}`)], {
        ...options,
        maxOutput: deps.limits.bundle,
      });
  await runInside(sandbox, takeIn, [branch, commit], { input: bundle, signal });
  return commit;
}

/** `$1` is the branch, `$2` its commit, stdin a bundle, or nothing where the commit is there already. */
const takeIn = `
set -e
file=$(mktemp)
cat >"$file"
[ ! -s "$file" ] || git bundle unbundle "$file" >/dev/null
rm -f "$file"
git update-ref "refs/remotes/origin/$1" "$2"
`;
