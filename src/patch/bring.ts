import { count } from "../base/text.ts";
import { type Change, readChanges } from "../git/records.ts";
import { showPath } from "../git/path.ts";
import type { Context } from "./context.ts";
import { am } from "./engine/am.ts";
import type { Incoming } from "./incoming.ts";
import { judge } from "./judge/judge.ts";
import { land } from "./land/land.ts";
import { checkPaths, type PathCheck } from "./land/path-check.ts";
import { promote } from "./land/promote.ts";
import type { RefUpdate } from "./land/transaction.ts";
import { makeQuarantine, type Quarantine } from "./quarantine.ts";
import { PullRefused, type Verdict } from "./verdict.ts";

/**
 * Builds the series in a quarantine, judges it, and lands it on HEAD. Nothing of the user's is written before all of it is known
 * to be good.
 * @throws PullRefused where local work is in the way
 */
export async function bring(incoming: Incoming, context: Context): Promise<Verdict> {
  const { git, host, repository, checkpoint } = context;
  const quarantine = await makeQuarantine(git, host, repository);
  try {
    await checkpoint("quarantined");
    await build(incoming, quarantine, context);
    host.interrupt.throwIfAborted();
    const { notices } = await judge(incoming.series, { git, quarantine, platform: host.platform });
    await checkpoint("judged");
    const changes = await allChanges(incoming, quarantine, context);
    const verdict = makeVerdict(incoming, changes, notices);
    const blocked = await tryLanding(incoming, { changes, quarantine }, context);
    if (blocked.length > 0) throw inTheWay(blocked, verdict);
    return { ...verdict, applied: context.request.dryRun !== true };
  } finally {
    await quarantine.remove();
  }
}

async function build({ series }: Incoming, quarantine: Quarantine, { request, git, host, checkpoint }: Context): Promise<void> {
  const total = series.items.length;
  await am.build(series, {
    git,
    quarantine,
    bytes: () => request.source.mbox(series.base ?? "", series.tip),
    signal: host.interrupt,
    checkpoint,
    progress: (stage, done) => request.progress?.({ stage, done, total }),
  });
}

async function allChanges({ head, series }: Incoming, { options }: Quarantine, { git }: Context): Promise<Change[]> {
  const tree = ["hash-object", "-t", "tree", "--stdin"];
  const from = head.state === "unborn" ? (await git.ok(tree, { ...options, input: "" })).toString("latin1").trim() : head.commit;
  return readChanges(await git.ok(["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", from, series.tip], options));
}

interface Built {
  readonly changes: readonly Change[];
  readonly quarantine: Quarantine;
}

/** Looked at first without a lock, so that a pull that is in the way leaves no object behind; what counts is the look under the lock. */
async function tryLanding(incoming: Incoming, { changes, quarantine }: Built, context: Context): Promise<PathCheck["blocked"]> {
  const { git, host, repository, request, checkpoint } = context;
  const scratch = quarantine.folder;
  const { blocked } = await checkPaths({ git, repository, scratch }, changes);
  if (blocked.length > 0 || request.dryRun === true) return blocked;
  host.interrupt.throwIfAborted();
  await promote(incoming.series, { git, quarantine, repository });
  await checkpoint("promoted");
  const { head, series } = incoming;
  const updates = [{ ref: "HEAD", to: series.tip, from: headCommit(incoming) }, ...cursorUpdates(incoming)];
  const reason = `ferry pull: ${count(series.items.length, "commit")}`;
  return land({ head, tip: series.tip, changes, updates, reason, scratch }, context);
}

/** The two refs that remember the session, moved to its newest commit; none that are there already. */
export function cursorUpdates({ refs, remote, cursor, series }: Incoming): RefUpdate[] {
  const zero = "0".repeat(series.tip.length);
  return [
    { ref: refs.remote, to: series.tip, from: remote ?? zero },
    { ref: refs.cursor, to: series.tip, from: cursor ?? zero },
  ].filter(({ to, from }) => to !== from);
}

function headCommit({ head, series }: Incoming): string {
  return head.state === "unborn" ? "0".repeat(series.tip.length) : head.commit;
}

/** As it is before the landing. */
export function makeVerdict(incoming: Incoming, changes: readonly Change[], notices: readonly string[]): Verdict {
  const { head, series } = incoming;
  const detached =
    head.state === "detached" && series.items.length > 0 ? ["HEAD is detached: no branch holds these commits"] : [];
  return {
    applied: false,
    base: head.state === "unborn" ? "" : head.commit,
    tip: series.items.length > 0 || head.state === "unborn" ? series.tip : head.commit,
    engine: series.items.length > 0 ? am.name : "none",
    exactness: "exact",
    commits: series.items.map(({ sequence, commit, subject }) => ({ sequence, commit, subject, applied_as: commit })),
    files: changes.length,
    conflicts: [],
    blocked_by: [],
    notices: [...detached, ...notices],
  };
}

function inTheWay(blocked: PathCheck["blocked"], verdict: Verdict): PullRefused {
  const lines = blocked.map(({ path, why }) => `${showPath(path)} ${why}`);
  return new PullRefused(
    "attention",
    `local work is in the way: ${lines[0] ?? ""}${lines.length > 1 ? `, and ${lines.length - 1} more` : ""}`,
    {
      verdict: { ...verdict, blocked_by: blocked.map(({ path }) => showPath(path)) },
      details: lines,
      hint: "commit it, stash it or move it away, then pull again; nothing was changed",
    },
  );
}
