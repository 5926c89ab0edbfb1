import { FerryError } from "../../base/errors.ts";
import { oneLine } from "../../base/text.ts";
import { showPath } from "../../git/path.ts";
import type { Change } from "../../git/records.ts";
import type { PullContext } from "../context.ts";
import type { Incoming } from "../incoming/incoming.ts";
import { type PathCheck, stashable, unmerged } from "../land/path-check.ts";
import type { Quarantine } from "../quarantine.ts";
import { ownBranch } from "./own-branch.ts";
import { listed } from "./listed.ts";
import { type Conflict, rebuild } from "./rebuild.ts";
import { type Series, type SeriesItem, short } from "../series/series.ts";
import { asInSandbox, type Shaped } from "../shape/shaped.ts";
import { Conflicting } from "./conflicting.ts";
import type { PullRequest } from "../request.ts";
import { type HeldCommit, PullRefused, type Verdict, whatCame } from "../verdict.ts";

/** The series as it will be on the branch. */
export interface Placed {
  readonly tip: string;
  /** For each commit of the series the one on the branch. */
  readonly commits: readonly string[];
  readonly exactness: Verdict["exactness"];
  readonly notices: readonly string[];
}

/** Puts the series, built and shaped in the quarantine, on HEAD: as it is where it begins there, else rebuilt. @throws Conflicting */
export async function place(incoming: Incoming, shaped: Shaped, quarantine: Quarantine, context: PullContext): Promise<Placed> {
  const { head, series, fit } = incoming;
  if (fit !== "moved" || head.state === "unborn") return asItIs(incoming, shaped);
  if (series.unmailable !== undefined) throw mergesError(series, context.request);
  const rebuilt = await rebuild(shaped, { onto: head.commit, quarantine }, context);
  if ("paths" in rebuilt) throw conflictError(rebuilt, { incoming, shaped }, context.request);
  const exactness = shaped.exactness === "approximate" ? "approximate" : "rebuilt";
  return { ...rebuilt, exactness, notices: [...new Set([...shaped.notices, ...rebuilt.notices])] };
}

export function asItIs({ series, head }: Incoming, { items, tip, exactness, notices }: Shaped = asInSandbox(series)): Placed {
  const end = series.items.length > 0 || head.state === "unborn" ? tip : head.commit;
  return { tip: end, commits: items.map((item) => item.commit), exactness, notices };
}

/** As it is before the landing. */
export function makeVerdict(
  { head, isAside, series, found }: Incoming,
  placed: Placed,
  { changes, notices }: { changes: readonly Change[]; notices: readonly string[] },
): Verdict {
  const isDetached = head.state === "detached" && series.items.length > 0;
  return {
    applied: false,
    base: head.state === "unborn" ? ((isAside ? series.base : undefined) ?? "") : head.commit,
    tip: placed.tip,
    engine: (series.items.length > 0 ? found.engine : undefined) ?? "none",
    source: found.source,
    from: found.from,
    exactness: found.approximation === undefined ? placed.exactness : "approximate",
    commits: whatCame(tell(series, placed, found), [head.state === "unborn" ? undefined : head.commit, series.base]),
    files: changes.length,
    conflicts: [],
    blocked_by: [],
    ...(found.leftBehind === undefined ? {} : { left_behind: found.leftBehind }),
    ...(found.held === undefined ? {} : { held: found.held }),
    notices: [
      ...(found.leftBehind === undefined ? [] : [found.leftBehind]),
      ...(found.held === undefined ? [] : [found.held]),
      ...(found.approximation === undefined || series.items.length === 0 ? [] : [`approximate: ${found.approximation}`]),
      ...(isDetached ? ["HEAD is detached: no branch holds these commits"] : []),
      ...(series.items.length === 0 ? [] : (found.told?.notices ?? [])),
      ...placed.notices,
      ...notices,
    ],
  };
}

function tell({ items }: Series, { commits }: Placed, { told }: Incoming["found"]): readonly HeldCommit[] {
  const became = new Map(items.map(({ commit }, at) => [commit, commits[at] ?? commit]));
  if (items.length > 0 && told !== undefined)
    return told.commits.map((each) => ({ ...each, applied_as: became.get(each.applied_as) ?? each.applied_as }));
  return items.map(({ sequence, commit, subject }) => ({ sequence, commit, subject, applied_as: became.get(commit) ?? commit }));
}

function mergesError(series: Series, request: PullRequest): FerryError {
  return new FerryError(
    "attention",
    `${series.unmailable ?? "the series has merges"}, and can't be rebuilt on a branch that moved on`,
    {
      code: "merges",
      hint: `bring it to a branch of its own, and merge that: ${ownBranch(request)}`,
    },
  );
}

function conflictError(
  conflict: Conflict,
  { incoming, shaped }: { incoming: Incoming; shaped: Shaped },
  request: PullRequest,
): Conflicting {
  const { item, paths } = conflict;
  const { commit } = stoppedAt(incoming, conflict);
  const names = paths.map(showPath);
  const base = asItIs(incoming, shaped);
  const exactness = base.exactness === "approximate" ? "approximate" : "rebuilt";
  const verdict = makeVerdict(incoming, { ...base, exactness, commits: [] }, { changes: [], notices: [] });
  return new Conflicting(`commit ${short(commit)} (${oneLine(item.subject)}) and yours both change ${listed(names)}`, {
    conflict,
    shaped,
    verdict: { ...verdict, tip: verdict.base, conflicts: names },
    details: names,
    hint: `nothing was changed; resolve it in a worktree of its own (ferry pull --park) or here (--here), leave it out (--exclude PATH), or bring it to a branch of its own, and merge that: ${ownBranch(request)}`,
  });
}

/** The sandbox's commit that doesn't fit: what is picked may be one that was made of it. */
export function stoppedAt({ series }: Incoming, { commits, item }: Conflict): Pick<SeriesItem, "commit" | "sequence"> {
  return series.items[commits.length] ?? { commit: item.commit, sequence: 0 };
}

const byHand = "stash it (git stash -u; what git ignores: move it away), try again, then git stash pop";

/** `canStash`: where --autostash could have put away what git can stash. */
export function inTheWay(blocked: PathCheck["blocked"], verdict: Verdict, canStash = false): PullRefused {
  const { message, details, hint } = inTheWayError(blocked);
  const isStashable = canStash && blocked.every(({ why }) => stashable.has(why));
  return new PullRefused("attention", message, {
    verdict: { ...verdict, blocked_by: blocked.map(({ path }) => showPath(path)) },
    details,
    hint: isStashable ? `nothing was changed; ferry pull --autostash puts it aside meanwhile; or ${byHand}` : hint,
  });
}

export function deletesMost({ gone, of }: { gone: number; of: number }, verdict: Verdict): PullRefused {
  return new PullRefused("attention", `the series would leave ${of - gone} of ${of} files`, {
    code: "deletes_most",
    verdict,
    hint: "nothing was changed; look at it on a branch of its own first (--branch NAME), or take it with --yes",
  });
}

export function inTheWayError(blocked: PathCheck["blocked"], stash?: StashBefore): FerryError {
  const lines = blocked.map(({ path, why }) => `${showPath(path)} ${why}`);
  const isUnmerged = blocked.some(({ why }) => why === unmerged);
  return new FerryError("attention", `local work is in the way: ${listed(lines)}`, {
    details: lines,
    hint: `nothing was changed; ${isUnmerged ? unmergedHint(blocked, stash) : byHand}`,
  });
}

/** What the conflict is about, what of it went on top of what came, and nothing of what else was changed. */
export interface StashBefore {
  readonly name: string;
  /** The command that takes that out of the way. */
  readonly giveUp: string;
}

function unmergedHint(blocked: PathCheck["blocked"], stash: StashBefore | undefined): string {
  if (stash === undefined)
    return "resolve what git status calls unmerged and git add it, or git checkout HEAD -- PATH to give it up; then try again";
  return `what you had is in ${stash.name}: ${stash.giveUp}, try again, then git stash pop --index`;
}
