import { count } from "../base/text.ts";
import type { Change } from "../git/records.ts";
import { stop } from "./conflict/stop.ts";
import type { PullContext } from "./context.ts";
import { cursorBefore } from "./incoming/gone-back.ts";
import { cursorUpdates } from "./incoming/cursor.ts";
import { knownCommits } from "./incoming/known.ts";
import type { Incoming } from "./incoming/incoming.ts";
import { massDeletion } from "./judge/deletions.ts";
import { land } from "./land/land.ts";
import { moveRefs } from "./land/move-refs.ts";
import { checkOverlay } from "./land/overlay.ts";
import { checkPaths, type PathCheck, untouched } from "./land/path-check.ts";
import { pointersLeft } from "./land/pointers.ts";
import { promote } from "./land/promote.ts";
import { moveRef } from "./land/transaction.ts";
import { Conflicting } from "./place/conflicting.ts";
import { assemble } from "./place/assemble.ts";
import { deletesMost, inTheWay, type Placed } from "./place/place.ts";
import type { Quarantine } from "./quarantine.ts";
import { capture } from "./stash/capture.ts";
import { landStashed, type StashedLanding } from "./stash/land.ts";
import { planStash, type StashPlan } from "./stash/plan.ts";
import { stashLeft } from "./stash/told.ts";
import { unstashableError } from "./stash/unstashable.ts";
import { bringWork } from "./uncommitted/bring-work.ts";
import { workFor } from "./uncommitted/work.ts";
import { fromBefore, writeUndoNote } from "./undo-note.ts";
import { newsOf, type Verdict } from "./verdict.ts";

/**
 * Builds the series in a quarantine, judges it, and lands it on HEAD. Nothing of the user's is written before all of it is known
 * to be good.
 * @throws PullRefused where local work is in the way, or a commit conflicts
 */
export async function bring(incoming: Incoming, context: PullContext): Promise<Verdict> {
  const { request } = context;
  const quarantine = await context.quarantine();
  const assembled = await assemble(incoming, quarantine, context).catch((error: unknown) => {
    if (error instanceof Conflicting) return error;
    throw error;
  });
  if (assembled instanceof Conflicting) return stop({ error: assembled, incoming, quarantine }, context);
  const work = await workFor(incoming, { assembled, quarantine }, context);
  if (work !== undefined) return bringWork({ incoming, assembled, work, quarantine }, context);
  const { placed, changes, verdict, court } = assembled;
  const lost =
    verdict.base === "" || request.acceptDeletion === true ? undefined : await massDeletion(verdict.base, changes, court);
  if (lost !== undefined) throw deletesMost(lost, verdict);
  const { blocked, left } = await tryLanding({ incoming, placed, changes, quarantine, verdict }, context);
  if (blocked.length > 0) throw inTheWay(blocked, verdict, true);
  if (left !== undefined) throw stashLeft(left, { ...verdict, applied: true });
  if (request.dryRun === true) return verdict;
  const pointers = incoming.isAside ? [] : await pointersLeft(context, changes);
  return {
    ...verdict,
    applied: incoming.head.state === "unborn" || verdict.tip !== verdict.base,
    notices: [...verdict.notices, ...pointers],
  };
}

const landed: StashedLanding = { blocked: [], left: undefined };

interface Built {
  readonly incoming: Incoming;
  readonly placed: Placed;
  readonly changes: readonly Change[];
  readonly quarantine: Quarantine;
  readonly verdict: Verdict;
}

/** Looked at first without a lock, so that a pull that is in the way leaves no object behind; what counts is the look under the lock. */
async function tryLanding(built: Built, context: PullContext): Promise<StashedLanding> {
  const { incoming, placed, changes, quarantine } = built;
  const { git, host, repository, request, checkpoint } = context;
  const { head, isAside, series, refs, at } = incoming;
  const scratch = quarantine.folder;
  const { blocked, own: seen } = isAside ? untouched : await checkPaths({ git, repository, scratch }, changes);
  const stash = request.autostash === true ? await stashFor(built, blocked, context) : undefined;
  if (blocked.length > 0 && stash === undefined) return { blocked, left: undefined };
  if (request.dryRun === true) return landed;
  const own = stash === undefined ? seen : (await checkOverlay({ git, repository, scratch }, stash.changes, stash.overlay)).own;
  host.interrupt.throwIfAborted();
  const commit = head.state === "unborn" ? undefined : head.commit;
  const known = await knownCommits(incoming, context);
  await promote({ tips: [series.tip, placed.tip, ...(stash?.objects ?? [])], known }, { git, quarantine, repository });
  await quarantine.empty();
  await checkpoint("promoted");
  const reason = `ferry pull: ${count(newsOf(built.verdict), "commit")}`;
  const base = commit === undefined && built.verdict.base !== "" ? built.verdict.base : undefined;
  const undo = { old: commit, base, new: placed.tip, cursor: await cursorBefore(incoming, context), own };
  // Where all of it is here already, there is nothing to take back; what was left out comes again once this pull is.
  const isUndoable = placed.tip !== commit || request.shape?.exclude !== undefined;
  const note = isUndoable
    ? [moveRef(refs.undo, at.undo, await writeUndoNote(fromBefore(undo, context.came?.undo), context))]
    : [];
  const remembered = [...(await cursorUpdates(incoming, context)), ...note];
  if (isAside && head.state !== "detached") {
    await moveRefs({ updates: [moveRef(head.ref, commit, placed.tip), ...remembered], reason }, context);
    return landed;
  }
  const updates = [moveRef("HEAD", commit, placed.tip), ...remembered];
  const landing = { head, tip: placed.tip, changes, own, updates, reason, scratch };
  if (stash !== undefined) return landStashed(landing, stash, context);
  return { blocked: await land(landing, context), left: undefined };
}

/** What becomes of local changes that are in the way; undefined where none can be taken along. @throws PullRefused where some can't */
async function stashFor(
  { incoming: { head }, placed: { tip }, changes, quarantine, verdict }: Built,
  blocked: PathCheck["blocked"],
  context: PullContext,
): Promise<StashPlan | undefined> {
  if (blocked.length === 0 || head.state === "unborn") return undefined;
  const captured = await capture({ head: head.commit, changes, blocked, quarantine }, context);
  if (!("tree" in captured)) throw unstashableError(captured, blocked, verdict);
  return planStash(captured, { head: head.commit, tip }, { ...context, quarantine });
}
