import { FerryError } from "../../base/errors.ts";
import { oneLine } from "../../base/text.ts";
import { showPath } from "../../git/path.ts";
import type { Change } from "../../git/records.ts";
import type { PullContext } from "../context.ts";
import type { Incoming } from "../incoming/incoming.ts";
import { type PathCheck, unmerged } from "../land/path-check.ts";
import type { Quarantine } from "../quarantine.ts";
import { ownBranch } from "./own-branch.ts";
import { listed } from "./listed.ts";
import { type Conflict, rebuild } from "./rebuild.ts";
import { refuseRewrite } from "./rewrite.ts";
import { type Series, short } from "../series/series.ts";
import { Conflicting } from "./conflicting.ts";
import { PullRefused, type Verdict } from "../verdict.ts";

/** The series as it will be on the branch. */
export interface Placed {
  readonly tip: string;
  /** For each commit of the series the one on the branch. */
  readonly commits: readonly string[];
  readonly exactness: Verdict["exactness"];
  readonly notices: readonly string[];
}

/** Puts the series, built in the quarantine, on HEAD: as it is where it begins there, else rebuilt. @throws Conflicting */
export async function place(incoming: Incoming, quarantine: Quarantine, context: PullContext): Promise<Placed> {
  const { head, series, fit } = incoming;
  await refuseRewrite(incoming, quarantine, context);
  if (fit !== "moved" || head.state === "unborn") return asItIs(incoming);
  if (series.unmailable !== undefined) throw mergesError(series, context.request.session);
  const rebuilt = await rebuild(series, { onto: head.commit, quarantine }, context);
  if ("paths" in rebuilt) throw conflictError(rebuilt, incoming, context.request.session);
  return { ...rebuilt, exactness: "rebuilt" };
}

export function asItIs({ series, head }: Incoming): Placed {
  const tip = series.items.length > 0 || head.state === "unborn" ? series.tip : head.commit;
  return { tip, commits: series.items.map((item) => item.commit), exactness: "exact", notices: [] };
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
    commits: series.items.length > 0 && found.told !== undefined ? found.told.commits : tell(series, placed),
    files: changes.length,
    conflicts: [],
    blocked_by: [],
    notices: [
      ...(found.approximation === undefined || series.items.length === 0 ? [] : [`approximate: ${found.approximation}`]),
      ...(isDetached ? ["HEAD is detached: no branch holds these commits"] : []),
      ...(series.items.length === 0 ? [] : (found.told?.notices ?? [])),
      ...placed.notices,
      ...notices,
    ],
  };
}

function tell({ items }: Series, { commits }: Placed): Verdict["commits"] {
  return items.map(({ sequence, commit, subject }, at) => ({ sequence, commit, subject, applied_as: commits[at] ?? commit }));
}

function mergesError(series: Series, session: string): FerryError {
  return new FerryError(
    "attention",
    `${series.unmailable ?? "the series has merges"}, and can't be rebuilt on a branch that moved on`,
    {
      code: "merges",
      hint: `bring it to a branch of its own, and merge that: ${ownBranch(series, session)}`,
    },
  );
}

function conflictError(conflict: Conflict, incoming: Incoming, session: string): Conflicting {
  const { item, paths } = conflict;
  const names = paths.map(showPath);
  const base = asItIs(incoming);
  const verdict = makeVerdict(incoming, { ...base, exactness: "rebuilt", commits: [] }, { changes: [], notices: [] });
  return new Conflicting(`commit ${short(item.commit)} (${oneLine(item.subject)}) and yours both change ${listed(names)}`, {
    conflict,
    verdict: { ...verdict, tip: verdict.base, conflicts: names },
    details: names,
    hint: `nothing was changed; resolve it in a worktree of its own (ferry pull --park) or here (--here), or bring it to a branch of its own, and merge that: ${ownBranch(incoming.series, session)}`,
  });
}

export function inTheWay(blocked: PathCheck["blocked"], verdict: Verdict): PullRefused {
  const { message, details, hint } = inTheWayError(blocked);
  return new PullRefused("attention", message, {
    verdict: { ...verdict, blocked_by: blocked.map(({ path }) => showPath(path)) },
    details,
    hint,
  });
}

export function deletesMost({ gone, of }: { gone: number; of: number }, verdict: Verdict): PullRefused {
  return new PullRefused("attention", `the series would leave ${of - gone} of ${of} files`, {
    code: "deletes_most",
    verdict,
    hint: "nothing was changed; look at it on a branch of its own first (--branch NAME), or take it with --yes",
  });
}

export function inTheWayError(blocked: PathCheck["blocked"], stash?: string): FerryError {
  const lines = blocked.map(({ path, why }) => `${showPath(path)} ${why}`);
  const isUnmerged = blocked.some(({ why }) => why === unmerged);
  return new FerryError("attention", `local work is in the way: ${listed(lines)}`, {
    details: lines,
    hint: `nothing was changed; ${isUnmerged ? unmergedHint(stash) : "stash it (git stash -u; what git ignores: move it away), try again, then git stash pop"}`,
  });
}

/** `stash` has what the conflict is about. */
function unmergedHint(stash: string | undefined): string {
  return stash === undefined
    ? "resolve what git status calls unmerged and git add it, or git checkout HEAD -- PATH to give it up; then try again"
    : `what you had is in ${stash}: git reset --hard, try again, then git stash pop --index`;
}
