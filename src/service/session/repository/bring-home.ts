import { join } from "node:path";
import { makeId } from "../../../base/ids.ts";
import type { Git } from "../../../git/git.ts";
import type { Sandbox } from "../../sandbox/driver.ts";
import type { SessionsDeps } from "../deps.ts";
import { runInside } from "../workspace/inside.ts";
import { findTips, pack } from "../workspace/tips.ts";
import type { Ref } from "./bundle.ts";
import { layout, own, uncommittedRef } from "./layout.ts";
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

/**
 * Brings what the session's branch has in the sandbox into the session's repository, and with it the workspace `tree` as far as
 * it isn't committed, so that nothing of it is lost with the sandbox. The branch is what counts: commits that lie elsewhere stay
 * in the sandbox, and the remark says so.
 * @throws FerryError failure where the sandbox's series can't be read or isn't sound; the session's stays as it was then
 */
export async function bringHome(deps: SessionsDeps, sandbox: Sandbox, tree: string, series: Series): Promise<BroughtHome> {
  const { git } = deps;
  const { branch, base, head } = series;
  const gitDir = layout.repository(deps.data, series.sessionId);
  const tips = await findTips(sandbox, branch, tree);
  if (tips.tip === "" && head !== "")
    return { head, remark: `the branch ${branch} is gone from the sandbox; what came before is kept` };

  const moves: Move[] = [
    { name: `refs/heads/${branch}`, from: head, commit: tips.tip },
    { name: uncommittedRef, from: await resolve(git, gitDir, uncommittedRef), commit: tips.uncommitted },
  ].filter(({ from, commit }) => from !== commit);
  const brought = moves.filter(({ commit }) => commit !== "");
  if (brought.length > 0) await fetchFrom(deps, sandbox, brought, { ...series, gitDir });
  if (base !== "" && !(await isAncestor(git, gitDir, base, tips.tip)))
    return {
      head,
      remark: `the branch ${branch} no longer holds the commit it began with, ${base}: its commits can't be brought home`,
    };
  await git.ok(["update-ref", "--stdin"], { ...own(gitDir), input: moves.map(instruction).join("") });
  const rewritten = head !== "" && !(await isAncestor(git, gitDir, head, tips.tip));
  return {
    head: tips.tip,
    remark: rewritten ? `the agent rewrote commits of ${branch} that were brought home before` : tips.remark,
  };
}

/** Whether `ancestor` is in the history of `commit`; false also where the repository doesn't have it. */
export async function isAncestor(git: Git, gitDir: string, ancestor: string, commit: string): Promise<boolean> {
  return (await git.run(["merge-base", "--is-ancestor", ancestor, commit], own(gitDir))).code === 0;
}

interface Move extends Ref {
  /** Where the ref is now; "" for nowhere. */
  readonly from: string;
}

async function resolve(git: Git, gitDir: string, ref: string): Promise<string> {
  return (await git.run(["rev-parse", "--quiet", "--verify", ref], own(gitDir))).stdout.toString("utf8").trim();
}

async function fetchFrom(
  deps: SessionsDeps,
  sandbox: Sandbox,
  refs: readonly Ref[],
  { sessionId, gitDir, base, head }: Series & { readonly gitDir: string },
): Promise<void> {
  const args = [String(refs.length), ...refs.map(({ name }) => name), ...[base, head].filter((commit) => commit !== "")];
  const bundle = await runInside(sandbox, pack, args, { limit: deps.limits.bundle });
  const quarantine = join(layout.session(deps.data, sessionId), makeId("sbx", deps.host.random));
  await takeIn(deps, bundle, { gitDir, quarantine, refs: refs.map(({ name, commit }) => ({ name, commit })) });
}

/** A line of `git update-ref --stdin`. An id of zeros stands for "not there". */
function instruction({ name, from, commit }: Move): string {
  const none = "0".repeat(Math.max(from.length, commit.length));
  return commit === "" ? `delete ${name} ${from}\n` : `update ${name} ${commit} ${from || none}\n`;
}
