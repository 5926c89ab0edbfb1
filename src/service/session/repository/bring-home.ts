import { join } from "node:path";
import { makeId } from "../../../base/ids.ts";
import type { Git } from "../../../git/git.ts";
import type { Sandbox } from "../../sandbox/driver.ts";
import type { SessionsDeps } from "../deps.ts";
import { runInside, script } from "../workspace/inside.ts";
import { layout, own } from "./layout.ts";
import { takeIn } from "./take-in.ts";

/** The session's series as its own repository has it. */
export interface Series {
  readonly sessionId: string;
  readonly branch: string;
  /** "" where unborn. */
  readonly base: string;
  /** "" where there is no commit yet. */
  readonly head: string;
}

export interface BroughtHome {
  readonly head: string;
  /** What a person should know about it, a sentence; "" where all is as it should be. */
  readonly remark: string;
}

/** Where the session's branch and HEAD stand inside. `$1` is the branch. Three lines: commit or empty, HEAD's ref or empty, HEAD's commit. */
const whereabouts = `
git rev-parse --quiet --verify "refs/heads/$1^{commit}" || echo
git symbolic-ref --quiet HEAD || echo
git rev-parse --quiet --verify "HEAD^{commit}" || echo
`;

/** Writes the branch as a bundle, without what the session's repository has of it: `$2` and on, as far as they are there. */
const bundle = `
branch=$1; shift
for commit; do
  shift
  ! git cat-file -e "$commit^{commit}" 2>/dev/null || set -- "$@" "^$commit"
done
exec git bundle create --quiet - "refs/heads/$branch" "$@"
`;

/**
 * Brings what the session's branch has in the sandbox into the session's repository, and moves the branch there. The branch is
 * what counts: commits that lie elsewhere stay in the sandbox, and the remark says so.
 * @throws FerryError failure where the sandbox's series can't be read or isn't sound; the session's stays as it was then
 */
export async function bringHome(deps: SessionsDeps, sandbox: Sandbox, series: Series): Promise<BroughtHome> {
  const { git } = deps;
  const { branch, base, head } = series;
  const gitDir = layout.repository(deps.data, series.sessionId);
  const [tip = "", headRef = "", headCommit = ""] = (await runInside(sandbox, whereabouts, [branch], { limit: 64 * 1024 }))
    .toString("utf8")
    .split("\n");
  const astray = headCommit === tip || headRef === `refs/heads/${branch}` ? "" : straying(headRef, branch);
  if (tip === "")
    return { head, remark: head === "" ? astray : `the branch ${branch} is gone from the sandbox; what came before is kept` };
  if (tip === head) return { head, remark: astray };

  const ref = `refs/heads/${branch}`;
  const { argv, env } = script(bundle, [branch, ...new Set([base, head].filter((commit) => commit !== ""))]);
  const child = await sandbox.spawn(argv, { cwd: sandbox.workspace, env });
  child.stdin.end();
  try {
    const quarantine = join(layout.session(deps.data, series.sessionId), makeId("sbx", deps.host.random));
    await takeIn(deps, child.stdout as AsyncIterable<Uint8Array>, { gitDir, quarantine, ref, tip, limit: deps.limits.bundle });
  } finally {
    child.kill();
  }
  if (base !== "" && !(await isAncestor(git, gitDir, base, tip)))
    return {
      head,
      remark: `the branch ${branch} no longer holds the commit it began with (${base.slice(0, 12)}): its commits can't be brought home`,
    };
  await git.ok(["update-ref", ref, tip, head === "" ? "0".repeat(tip.length) : head], own(gitDir));
  const rewritten = head !== "" && !(await isAncestor(git, gitDir, head, tip));
  return { head: tip, remark: rewritten ? `the agent rewrote commits of ${branch} that were brought home before` : astray };
}

/** Whether `ancestor` is in the history of `commit`; false also where the repository doesn't have it. */
export async function isAncestor(git: Git, gitDir: string, ancestor: string, commit: string): Promise<boolean> {
  return (await git.run(["merge-base", "--is-ancestor", ancestor, commit], own(gitDir))).code === 0;
}

function straying(headRef: string, branch: string): string {
  const where = headRef === "" ? "a detached HEAD" : headRef.replace(/^refs\/heads\//u, "");
  return `the agent works on ${where}; only commits on ${branch} come home`;
}
