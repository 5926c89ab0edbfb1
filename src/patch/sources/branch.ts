import { FerryError } from "../../base/errors.ts";
import { oneLine } from "../../base/text.ts";
import { listRefs } from "../../git/fetch.ts";
import { noneUnlessKilled } from "../../git/runner.ts";
import type { PullContext } from "../context.ts";
import type { Quarantine } from "../quarantine.ts";
import { seriesOf } from "../series/objects.ts";
import type { BranchSource, Remotes } from "../source.ts";
import type { Found } from "./found.ts";
import { reachingOf } from "./reaching.ts";
import { fetchWhole } from "./whole.ts";

/** What is asked of a remote, and what it answered. */
interface Tips {
  readonly remote: string;
  readonly tip: string;
  /** Where the session's branch grew from, by name; undefined where that isn't on the remote. */
  readonly ground: string | undefined;
}

/**
 * The commits of the session's branch on a git remote, after the cursor or since it left the branch that it grew from. Their
 * objects are fetched into the quarantine, checked by git's rules, and nowhere else.
 * @throws FerryError not_found where no remote has the branch; auth, unavailable where one doesn't answer
 */
export async function findBranch(
  { source, remotes }: { readonly source: BranchSource; readonly remotes: Remotes },
  { cursor, head }: { readonly cursor: string | undefined; readonly head: string | undefined },
  context: PullContext,
): Promise<Found> {
  const tips = await findTips(source, await remotes(), context);
  const from = `branch ${oneLine(source.name)} of the remote ${oneLine(tips.remote)}`;
  const found = { source: "branch", engine: "fetch", from } as const;
  const { tip } = tips;
  if (tip === cursor) return { ...found, series: { base: tip, tip, items: [], unmailable: undefined }, isRewritten: false };
  const quarantine = await context.quarantine();
  await fetchTips(tips, source, { context, quarantine });
  const isRewritten = cursor !== undefined && !(await isAncestor(cursor, tip, { context, quarantine }));
  const start = cursor !== undefined && !isRewritten ? cursor : await findStart(tips, { source, head }, { context, quarantine });
  return { ...found, series: await seriesOf({ base: start, tip }, context.git, quarantine), isRewritten };
}

/** Asks one remote after the other for the branch. */
async function findTips(source: BranchSource, remotes: readonly string[], context: PullContext): Promise<Tips> {
  const ref = await branchRef(source.name, context);
  const groundRef =
    source.base.branch === undefined ? undefined : await branchRef(source.base.branch, context).catch(noneUnlessKilled);
  if (remotes.length === 0)
    throw new FerryError("not_found", "no remote of this working copy is of the session's repository", {
      code: "no_branch",
      hint: "git remote add NAME URL with the address of its repository",
    });
  for (const remote of remotes) {
    const names = ["HEAD", ref, ...(groundRef === undefined ? [] : [groundRef])];
    const refs = await listRefs(reachingOf(context), remote, names);
    const tip = refs.get(ref);
    if (tip !== undefined) return { remote, tip, ground: refs.get(groundRef ?? "HEAD") ?? refs.get("HEAD") };
  }
  throw new FerryError("not_found", `${remotes.map(oneLine).join(", ")} has no branch ${oneLine(source.name)}`, {
    code: "no_branch",
    hint: "the agent has not pushed it yet, or it was deleted when it was merged",
  });
}

/** @throws FerryError failure for what can't be a branch's name */
async function branchRef(name: string, { git, repository }: PullContext): Promise<string> {
  const ref = `refs/heads/${name}`;
  const { gitDir } = repository;
  const { code } = await git.run(["check-ref-format", ref], { cwd: gitDir, gitDir });
  if (code !== 0 || name.startsWith("-") || name.includes("\n"))
    throw new FerryError("failure", `the session's branch "${oneLine(name)}" can't be one`, { code: "no_branch" });
  return ref;
}

interface Workplace {
  readonly context: PullContext;
  readonly quarantine: Quarantine;
}

/** By id, so that what is fetched is what was listed; a server that gives no ids is asked by name. */
async function fetchTips(
  { remote, tip, ground }: Tips,
  { name, base }: BranchSource,
  { context, quarantine }: Workplace,
): Promise<void> {
  const { request } = context;
  request.progress?.({ stage: "fetch", done: 0, total: 0 });
  // Where the service names the commit it began at, that is behind the tip.
  const wants = [tip, ...(base.commit === undefined && ground !== undefined ? [ground] : [])];
  try {
    await fetchWhole({ remote, wants }, quarantine, context);
  } catch (error) {
    if (!(error instanceof FerryError && error.code === "no_object")) throw error;
    await fetchWhole({ remote, wants: [`refs/heads/${name}`] }, quarantine, context);
  }
  await context.checkpoint("fetched");
}

/**
 * The commit that the session's own ones begin after: the one that the service names, if the branch grew from it; else the
 * newest that the branch has in common with the branch that it was meant to grow from, or with what is here. Undefined for none.
 */
async function findStart(
  { remote, tip, ground }: Tips,
  { source, head }: { readonly source: BranchSource; readonly head: string | undefined },
  workplace: Workplace,
): Promise<string | undefined> {
  const commit = isId(source.base.commit) ? source.base.commit : undefined;
  if (commit !== undefined) {
    if (await isAncestor(commit, tip, workplace)) return commit;
    await fetchTips({ remote, tip: ground ?? tip, ground }, { ...source, base: {} }, workplace);
  }
  const candidates = [commit, ground, head].filter((each) => each !== undefined);
  let start: string | undefined;
  for (const candidate of candidates) {
    const common = await mergeBase(candidate, tip, workplace);
    if (common !== undefined && (start === undefined || (await isAncestor(start, common, workplace)))) start = common;
  }
  return start;
}

function isId(text: string | undefined): text is string {
  return text !== undefined && /^([0-9a-f]{40}|[0-9a-f]{64})$/u.test(text);
}

/** Also no for a commit that isn't here. */
async function isAncestor(one: string, other: string, { context, quarantine }: Workplace): Promise<boolean> {
  return (await context.git.run(["merge-base", "--is-ancestor", one, other], quarantine.options)).code === 0;
}

async function mergeBase(one: string, other: string, { context, quarantine }: Workplace): Promise<string | undefined> {
  const { code, stdout } = await context.git.run(["merge-base", one, other], quarantine.options);
  return code === 0 ? stdout.toString("latin1").trim() : undefined;
}
