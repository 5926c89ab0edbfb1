import { join } from "node:path";
import { FerryError } from "../../../base/errors.ts";
import { makeId } from "../../../base/ids.ts";
import { count } from "../../../base/text.ts";
import type { Git } from "../../../git/git.ts";
import type { Sandbox } from "../../sandbox/driver.ts";
import { type SessionsDeps, timestamp } from "../deps.ts";
import { runInside } from "../workspace/inside.ts";
import { findTips, pack } from "../workspace/tips.ts";
import type { Ref } from "./bundle.ts";
import { layout, own, uncommittedRef } from "./layout.ts";
import { takeIn } from "./take-in.ts";
import { tidy } from "./tidy.ts";

/** The session's series as its own repository has it. */
export interface Series {
  readonly sessionId: string;
  readonly branch: string;
  /** "" where unborn. */
  readonly base: string;
  /** "" where there is no commit yet. */
  readonly head: string;
  /** Why what the turn changed could not be committed, though it was to be; "" else. */
  readonly obstacle: string;
}

export interface BroughtHome {
  readonly head: string;
  /** What a person should know about it, a sentence; "" where all is as it should be. */
  readonly remark: string;
  /** Whether all that is not committed came, too. */
  readonly whole: boolean;
}

/**
 * Brings what the session's branch has in the sandbox into the session's repository, and with it the workspace `tree` as far as
 * it isn't committed, so that nothing of it is lost with the sandbox. The branch is what counts: commits that lie elsewhere stay
 * in the sandbox; the remark says so, and it is kept for whoever asks for the series.
 * @throws FerryError failure where the sandbox's series can't be read or isn't sound; the session's stays as it was then
 */
export async function bringHome(deps: SessionsDeps, sandbox: Sandbox, tree: string, series: Series): Promise<BroughtHome> {
  const { git } = deps;
  const { branch, base, head } = series;
  const home = { ...series, gitDir: layout.repository(deps.data, series.sessionId) };
  const { tip, uncommitted, remark, left } = await findTips(sandbox, tree, series);
  /** The branch can't be had: what came before stays, and what the files are comes as what isn't committed. */
  const stay = async (why: string, told: string): Promise<BroughtHome> => {
    await keepLeft(deps, home, left > 0 ? leftCommits(left, why) : "");
    const more = await keepUncommitted(deps, sandbox, uncommitted, home);
    return { head, remark: [told, more].filter((text) => text !== "").join("; "), whole: more === "" };
  };
  if (tip === "" && head !== "") {
    const gone = `the branch ${branch} is gone from the sandbox`;
    return stay(gone, `${gone}; what came before is kept`);
  }
  await fetchFrom(deps, sandbox, { name: `refs/heads/${branch}`, commit: tip }, home);
  if (base !== "" && !(await isAncestor(git, home.gitDir, base, tip))) {
    const lost = `the branch ${branch} no longer holds the commit it began with`;
    return stay(`${lost}, ${base.slice(0, 12)}`, `${lost}, ${base}: its commits can't be brought home`);
  }
  const unsaved =
    series.obstacle !== "" && uncommitted !== "" ? `what was changed there is not committed: ${series.obstacle}` : "";
  await keepLeft(deps, home, left > 0 ? leftCommits(left, remark) : unsaved);
  await moveRef(git, home.gitDir, `refs/heads/${branch}`, tip);
  const more = await keepUncommitted(deps, sandbox, uncommitted, { ...home, head: tip });
  const remarks = [
    head !== "" && !(await isAncestor(git, home.gitDir, head, tip))
      ? `the agent rewrote commits of ${branch} that were brought home before`
      : remark,
    more,
  ];
  await tidy(deps, home.gitDir);
  return { head: tip, remark: remarks.filter((text) => text !== "").join("; "), whole: more === "" };
}

/** What is nowhere but in the sandbox is told wherever the series is asked for, until a later turn puts it right. */
async function keepLeft({ host, data }: SessionsDeps, { sessionId }: Home, left: string): Promise<void> {
  const path = layout.left(data, sessionId);
  if (left !== "") await host.files.write(path, left);
  else await host.files.remove(path);
}

function leftCommits(left: number, why: string): string {
  return `${count(left, "commit")} in the sandbox can't come home: ${why}`;
}

/** Whether `ancestor` is in the history of `commit`; false also where the repository doesn't have it. */
export async function isAncestor(git: Git, gitDir: string, ancestor: string, commit: string): Promise<boolean> {
  return (await git.run(["merge-base", "--is-ancestor", ancestor, commit], own(gitDir))).code === 0;
}

interface Home extends Series {
  /** The session's repository. */
  readonly gitDir: string;
}

/** Not worth failing for: it is often large and seldom needed, and it is still in the sandbox. Gives what to say of it. */
async function keepUncommitted(deps: SessionsDeps, sandbox: Sandbox, commit: string, home: Home): Promise<string> {
  try {
    await fetchFrom(deps, sandbox, { name: uncommittedRef, commit }, home);
    await moveRef(deps.git, home.gitDir, uncommittedRef, commit);
    await deps.host.files.write(layout.looked(deps.data, home.sessionId), timestamp(deps));
    return "";
  } catch (error) {
    if (!(error instanceof FerryError)) throw error;
    return `what is not committed can't be brought home (${error.message})`;
  }
}

/** Takes a ref's commit in, where the repository doesn't have it at that ref already. */
async function fetchFrom(deps: SessionsDeps, sandbox: Sandbox, ref: Ref, { sessionId, gitDir, base, head }: Home): Promise<void> {
  if (ref.commit === "" || ref.commit === (await resolve(deps.git, gitDir, ref.name))) return;
  const known = new Set([base, head].filter((commit) => commit !== ""));
  const bundle = await runInside(sandbox, pack, [ref.name, ...known], { limit: deps.limits.bundle });
  const quarantine = join(layout.session(deps.data, sessionId), makeId("sbx", deps.host.random));
  await takeIn(deps, bundle, { gitDir, quarantine, ref });
}

async function moveRef(git: Git, gitDir: string, name: string, commit: string): Promise<void> {
  const from = await resolve(git, gitDir, name);
  if (from === commit) return;
  const none = "0".repeat(commit.length);
  await git.ok(["update-ref", ...(commit === "" ? ["-d", name, from] : [name, commit, from || none])], own(gitDir));
}

async function resolve(git: Git, gitDir: string, ref: string): Promise<string> {
  return (await git.run(["rev-parse", "--quiet", "--verify", ref], own(gitDir))).stdout.toString("utf8").trim();
}
