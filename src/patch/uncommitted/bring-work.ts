import { count } from "../../base/text.ts";
import type { PullContext } from "../context.ts";
import { cursorUpdates } from "../incoming/cursor.ts";
import { cursorBefore } from "../incoming/gone-back.ts";
import { knownCommits } from "../incoming/known.ts";
import type { Incoming } from "../incoming/incoming.ts";
import { massDeletion } from "../judge/deletions.ts";
import { land } from "../land/land.ts";
import { moveRefs } from "../land/move-refs.ts";
import { checkOverlay, type OverlayCheck } from "../land/overlay.ts";
import type { PathCheck } from "../land/path-check.ts";
import { pointersLeft } from "../land/pointers.ts";
import { promote } from "../land/promote.ts";
import { moveRef, type RefUpdate } from "../land/transaction.ts";
import type { Assembled } from "../place/assemble.ts";
import { deletesMost, inTheWay } from "../place/place.ts";
import type { Quarantine } from "../quarantine.ts";
import { makeUndoCommit } from "../undo-note.ts";
import { newsOf, type Verdict } from "../verdict.ts";
import { changesBetween } from "./trees.ts";
import type { Work } from "./work.ts";

export interface Built {
  readonly incoming: Incoming;
  readonly assembled: Assembled;
  readonly work: Work;
  readonly quarantine: Quarantine;
}

/** Lands commits together with what isn't committed, all or nothing. @throws PullRefused where local work is in the way */
export async function bringWork(built: Built, context: PullContext): Promise<Verdict> {
  const { assembled, work, quarantine } = built;
  const { git, repository, request, host } = context;
  const check = await checkOverlay({ git, repository, scratch: quarantine.folder }, assembled.changes, work.overlay);
  const written = countWritten(built, check);
  const notices = [...assembled.verdict.notices, ...work.notices];
  const verdict = {
    ...assembled.verdict,
    notices,
    ...(work.told === undefined ? {} : { uncommitted: { ...work.told, written } }),
  };
  const all = await changesBetween(work.journey.from, work.tree, { git, quarantine });
  const lost =
    verdict.base === "" || request.acceptDeletion === true ? undefined : await massDeletion(verdict.base, all, assembled.court);
  if (lost !== undefined) throw deletesMost(lost, verdict);
  if (check.blocked.length > 0) throw inTheWay(check.blocked, verdict);
  const isNews = written > 0 || verdict.commits.some(({ applied_as }) => applied_as !== null);
  if (request.dryRun === true) return verdict;
  host.interrupt.throwIfAborted();
  const blocked = await landWork(built, { isNews, own: check.own }, context);
  if (blocked.length > 0) throw inTheWay(blocked, verdict);
  const pointers = isNews ? await pointersLeft(context, work.overlay.changes) : [];
  return { ...verdict, applied: isNews, notices: [...notices, ...pointers] };
}

/** Files that aren't what they will be, and not only for a commit's sake. */
function countWritten({ assembled, work }: Built, { before }: OverlayCheck): number {
  const [so, committed] = [new Set(before.kept), new Set(assembled.changes.map(({ path }) => path))];
  const wanted = new Set(work.overlay.wanted.map(({ path }) => path));
  return work.overlay.changes.filter(({ path }) => !so.has(path) && (!committed.has(path) || wanted.has(path))).length;
}

async function landWork(
  built: Built,
  { isNews, own }: { isNews: boolean; own: PathCheck["own"] },
  context: PullContext,
): Promise<PathCheck["blocked"]> {
  const { incoming, assembled, work, quarantine } = built;
  const { git, repository, checkpoint } = context;
  const { head, series, refs, at } = incoming;
  const commit = head.state === "unborn" ? undefined : head.commit;
  const tip = assembled.placed.tip === "" ? undefined : assembled.placed.tip;
  const remembered = at.uncommitted === work.memory ? [] : [moveRef(refs.uncommitted, at.uncommitted, work.memory)];
  if (!isNews && remembered.length === 0) return [];
  const undo = {
    old: commit,
    new: tip ?? "",
    cursor: await cursorBefore(incoming, context),
    uncommitted: at.uncommitted,
    given: work.memory,
    own,
  };
  const note = isNews ? await makeUndoCommit(undo, work.overlay.old, { git, quarantine }) : undefined;
  const tips = [series.tip, tip, work.memory, note].flatMap((id) => (id === undefined || id === "" ? [] : [id]));
  const there = [...(await knownCommits(incoming, context)), at.uncommitted];
  await promote({ tips, known: there }, { git, quarantine, repository });
  await quarantine.empty();
  await checkpoint("promoted");
  const reason = `ferry pull: ${reasonOf(built)}`;
  const known = series.items.length > 0 || incoming.present > 0 ? await cursorUpdates(incoming, context) : [];
  const updates = [...remembered, ...known, ...(note === undefined ? [] : [moveRef(refs.undo, at.undo, note)])];
  if (!isNews) {
    await moveRefs({ updates, reason }, context);
    return [];
  }
  const { changes } = assembled;
  const landing = { head, tip, changes, own, overlay: work.overlay, scratch: quarantine.folder, reason };
  return land({ ...landing, updates: [moveHead(commit, tip, repository.objectFormat), ...updates] }, context);
}

/** Also where it stays: then it is only held there. */
export function moveHead(from: string | undefined, to: string | undefined, format: string): RefUpdate {
  const none = "0".repeat(format === "sha1" ? 40 : 64);
  return { ref: "HEAD", from: from ?? none, to: to ?? none };
}

function reasonOf({ assembled, work }: Built): string {
  const commits = count(newsOf(assembled.verdict), "commit");
  return work.told === undefined ? commits : `${commits}, and what isn't committed`;
}
