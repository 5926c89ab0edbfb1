import { count } from "../../base/text.ts";
import { type Change, readChanges } from "../../git/records.ts";
import { FerryError } from "../../base/errors.ts";
import { cursorBefore } from "../incoming/gone-back.ts";
import { writeCursorNote } from "../incoming/note.ts";
import { type FerryRefs, ferryRefs, readRefs } from "../incoming/refs.ts";
import { courtOf } from "../judge/court.ts";
import { massDeletion } from "../judge/deletions.ts";
import { judge } from "../judge/judge.ts";
import { land } from "../land/land.ts";
import { moveRefs } from "../land/move-refs.ts";
import { checkPaths, type PathCheck, untouched } from "../land/path-check.ts";
import { promote } from "../land/promote.ts";
import { moveRef, type RefUpdate } from "../land/transaction.ts";
import type { Context } from "../context.ts";
import { deletesMost, inTheWay } from "../place/place.ts";
import type { Quarantine } from "../quarantine.ts";
import { short } from "../series/series.ts";
import { writeUndoNote } from "../undo-note.ts";
import { newsOf, type Verdict, whatCame } from "../verdict.ts";
import { type Parked, type ParkedNote, writeNote } from "./note.ts";
import type { ParkedTarget } from "./target.ts";

export interface Finished {
  /** Its note with all that came. */
  readonly parked: Parked;
  readonly tip: string;
  readonly target: ParkedTarget;
  readonly quarantine: Quarantine;
  readonly notices: readonly string[];
  readonly acceptDeletion: boolean;
  readonly allowSymlinks: boolean;
}

/**
 * Lands what was parked, by the same step as any pull: branch, files and cursor move together or not at all.
 * @throws PullRefused where local work is in the way; RefsMoved
 */
export async function landParked(finished: Finished): Promise<Verdict> {
  const { target, tip, quarantine, acceptDeletion, allowSymlinks } = finished;
  const { git, repository } = target.context;
  const court = courtOf(target.context, { quarantine, allowSymlinks });
  const old = target.head.commit;
  const commits = (await git.ok(["rev-list", "--reverse", `${old}..${tip}`], quarantine.options)).toString("latin1").split("\n");
  const args = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", old, tip];
  const changes = readChanges(await git.ok(args, quarantine.options));
  const notices = await judge({ base: old, tip, commits: commits.filter((commit) => commit !== "") }, court);
  const verdict = verdictOf(finished, { changes, notices });
  const lost = acceptDeletion ? undefined : await massDeletion(old, changes, court);
  if (lost !== undefined) throw deletesMost(lost, verdict);
  const scratch = quarantine.folder;
  const { blocked, own } = target.isAside ? untouched : await checkPaths({ git, repository, scratch }, changes);
  if (blocked.length > 0) throw inTheWay(blocked, verdict);
  await promote({ tips: [tip], known: [old] }, { git, quarantine, repository });
  await quarantine.empty();
  const late = await move(finished, { changes, own }, `ferry pull: ${count(newsOf(verdict), "commit")}`);
  if (late.length > 0) throw inTheWay(late, verdict);
  return { ...verdict, applied: tip !== old };
}

async function move(
  { parked, target, tip, quarantine }: Finished,
  { changes, own }: { changes: readonly Change[]; own: PathCheck["own"] },
  reason: string,
) {
  const { context, head, isAside } = target;
  const { note } = parked;
  const refs = ferryRefs(context.request, context.repository, head);
  const at = await readRefs(context.git, context.repository, refs);
  const cursor = await cursorBefore({ at, head }, context);
  const undo = await writeUndoNote({ old: head.commit, new: tip, cursor, own }, context);
  if (note.cursor !== undefined) await writeCursorNote(note.cursor, context);
  const over = await writeNote({ ...note, stage: "over" }, context);
  const updates = [
    ...(await remembered(note, refs, context)),
    moveRef(refs.undo, at.undo, undo),
    moveRef(parked.ref, parked.id, over),
  ];
  if (isAside) {
    const branch = head.state === "branch" ? [moveRef(head.ref, head.commit, tip)] : [];
    await moveRefs({ updates: [...branch, ...updates], reason }, context);
    return [];
  }
  const landing = { head, tip, changes, own, updates: [moveRef("HEAD", head.commit, tip), ...updates], reason };
  return land({ ...landing, scratch: quarantine.folder }, context);
}

/** The refs that say that all of it came. All but the session's own may have been moved by a pull to another branch since. */
async function remembered({ updates }: ParkedNote, refs: FerryRefs, { git, repository }: Context): Promise<RefUpdate[]> {
  const { gitDir } = repository;
  const args = ["for-each-ref", "--format=%(refname) %(objectname)", ...updates.map(({ ref }) => ref)];
  const lines = (await git.ok(args, { cwd: gitDir, gitDir })).toString("latin1").split("\n");
  const now = new Map(lines.map((line): [string, string] => [line.split(" ")[0] ?? "", line.split(" ")[1] ?? ""]));
  return updates.flatMap(({ ref, from, to }) => {
    const at = now.get(ref) ?? "0".repeat(from.length);
    if (ref === refs.cursor && at !== from) throw overtakenError();
    return at === to ? [] : [{ ref, from: at, to }];
  });
}

function overtakenError(): FerryError {
  return new FerryError("attention", "another pull of this session came to the branch since this one was parked", {
    hint: "ferry pull --abort gives the parked one up; ferry pull then brings what is missing",
  });
}

function verdictOf(
  { parked: { note }, target, tip, notices: more }: Finished,
  found: { changes: readonly Change[]; notices: readonly string[] },
): Verdict {
  return {
    applied: false,
    base: target.head.commit,
    tip,
    ...note.told,
    exactness: note.exactness,
    commits: whatCame(
      note.items.flatMap((item, at) => (note.left.includes(at) ? [] : [{ ...item, applied_as: note.came[at] ?? tip }])),
      [target.head.commit, note.onto],
    ),
    files: found.changes.length,
    conflicts: [],
    blocked_by: [],
    notices: [...new Set([...leftOut(note), ...note.notices, ...more, ...found.notices])],
  };
}

function leftOut({ left, items }: ParkedNote): string[] {
  return left.map((at) => `commit ${short(items[at]?.commit ?? "")} (${items[at]?.subject ?? ""}) was left out`);
}
