import type { Git } from "../../../git/git.ts";
import type { Sandbox } from "../../sandbox/driver.ts";
import { own, uncommittedRef } from "../repository/layout.ts";
import { runInside } from "./inside.ts";

/**
 * Puts a clean clone of the session's repository into a new sandbox, and on it what an earlier sandbox had not committed. The
 * clone is the host's, since no process has run in there yet; the checkout is the sandbox's, since attributes may start filters.
 */
export async function prepareWorkspace(git: Git, sandbox: Sandbox, gitDir: string, branch: string): Promise<void> {
  const workspace = sandbox.hostWorkspace;
  if (await has(git, gitDir, `refs/heads/${branch}`)) await clone(git, gitDir, branch, workspace);
  else await initialize(git, gitDir, branch, workspace);
  const more = await has(git, gitDir, uncommittedRef);
  const refspec = `${uncommittedRef}:${uncommittedRef}`;
  if (more)
    await git.ok(["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--", gitDir, refspec], {
      cwd: workspace,
      isolated: true,
    });
  await runInside(sandbox, checkout, more ? [uncommittedRef] : []);
}

/** `$1` is the ref of what isn't committed: its files are put there, and left out of the index. */
const checkout = `
set -e
if git rev-parse --quiet --verify HEAD >/dev/null; then
  git reset --quiet --hard
  [ -z "$1" ] || { git read-tree -m -u HEAD "$1"; git reset --quiet; }
elif [ -n "$1" ]; then
  git read-tree --reset -u "$1"; git read-tree --empty
fi
`;

async function has(git: Git, gitDir: string, ref: string): Promise<boolean> {
  return (await git.run(["rev-parse", "--quiet", "--verify", ref], own(gitDir))).code === 0;
}

async function clone(git: Git, gitDir: string, branch: string, workspace: string): Promise<void> {
  // --no-local: a local clone would link or copy all objects, those of the mirror's other branches too.
  const options = ["--quiet", "--no-local", "--single-branch", "--no-tags", "--template=", "--no-checkout", `--branch=${branch}`];
  await git.ok(["clone", ...options, "--", gitDir, workspace], { cwd: gitDir, isolated: true });
  // Its address is a path of the host, which is not there inside.
  await git.ok(["remote", "remove", "origin"], { cwd: workspace, isolated: true });
}

async function initialize(git: Git, gitDir: string, branch: string, workspace: string): Promise<void> {
  const format = (await git.ok(["rev-parse", "--show-object-format"], own(gitDir))).toString("utf8").trim();
  const options = ["--quiet", "--template=", `--object-format=${format}`, `--initial-branch=${branch}`];
  await git.ok(["init", ...options, "--", workspace], { cwd: gitDir, isolated: true });
}
