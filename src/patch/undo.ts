import { FerryError } from "../base/errors.ts";
import type { Head } from "../git/discover.ts";
import { oneLine } from "../base/text.ts";
import { shellWord } from "../base/words.ts";
import { readChanges } from "../git/records.ts";
import type { Context } from "./context.ts";
import { findTarget } from "./incoming/target.ts";
import { ferryRefs, readRefs } from "./incoming/refs.ts";
import { land, type Landing } from "./land/land.ts";
import { moveRefs } from "./land/move-refs.ts";
import type { Own, PathCheck } from "./land/path-check.ts";
import { moveRef, type RefUpdate } from "./land/transaction.ts";
import { refuseParked } from "./parked/refuse.ts";
import { inTheWayError } from "./place/place.ts";
import { refuseBusy, refuseCheckedOut } from "./preconditions.ts";
import { makeQuarantine, type Quarantine } from "./quarantine.ts";
import { stashBefore } from "./stash/stash.ts";
import type { Errand, PullDeps } from "./request.ts";
import { short } from "./series/series.ts";
import { isBackBefore, readUndoNote, type UndoNote } from "./undo-note.ts";
import { findWayBack, landBack } from "./undo-way.ts";
import { treeOf } from "./uncommitted/trees.ts";
import { undoWork } from "./uncommitted/undo-work.ts";
import { underLock } from "./under-lock.ts";
import { undoneUpdates } from "./undone.ts";

export interface Undone {
  /** The commit that the branch was at, and the one that it is at again. */
  readonly from: string;
  /** "" where the pull had made the branch: it is gone then. */
  readonly to: string;
  readonly files: number;
  /** The pull had made the branch, which stays since it is checked out: its short name. */
  readonly made?: string;
}

export interface UndoRequest extends Errand {
  /** The pull to this branch (its short name) instead of the one that is checked out. */
  readonly branch?: string | undefined;
}

/**
 * Takes the last pull of a session to this branch back: branch, index, files and cursor in one step, so that the same commits come
 * again with the next pull. Where the branch is back there by itself, the cursor alone goes back.
 * @throws FerryError attention where something came on top, or local work is in the way
 */
export function undo(errand: UndoRequest, deps: PullDeps): Promise<Undone> {
  return underLock(errand, deps, async (context) => {
    const { git, repository } = context;
    const { head, isAside } = await findTarget(git, repository, errand.branch);
    const refs = ferryRefs(errand, repository, head);
    const at = await readRefs(git, repository, refs);
    await refuseParked({ refs, at, head }, context);
    if (at.undo === undefined)
      throw new FerryError("attention", "no pull of this session to this branch is left to undo", {
        hint: await othersHint(refs.undo, head, context),
      });
    const note = await readUndoNote(at.undo, context);
    const remembered = [
      moveRef(refs.cursor, at.cursor, note.cursor),
      ...undoneUpdates(refs, at),
      ...(at.here === undefined ? [] : [moveRef(refs.here, at.here, undefined)]),
    ];
    if (isBackBefore(note, head)) {
      if (errand.dryRun !== true) await moveRefs({ updates: remembered, reason: "ferry pull: undo" }, context);
      const back = note.old ?? note.base ?? "";
      return { from: back, to: back, files: 0 };
    }
    if (isAside) {
      if (note.tree !== undefined) throw elsewhereError(head, "brought what isn't committed, too");
      if (note.own !== undefined && note.own.length > 0) throw elsewhereError(head, "found work of your own there already");
      return asideBack({ head, note, remembered }, context);
    }
    await refuseBusy(context, head);
    if (note.tree !== undefined) {
      const old = note.new === "" && head.state === "unborn" ? undefined : await requireOnTop(note, head, context);
      return undoWork({ head, old, refs, at, note: { ...note, tree: note.tree } }, context);
    }
    const old = await requireOnTop(note, head, context);
    const updates = [moveRef("HEAD", note.new, old), ...remembered];
    const files = await moveBack({ head, note, old, updates }, context);
    const made = note.old === undefined && head.state === "branch" ? head.ref.replace(/^refs\/heads\//u, "") : undefined;
    return { from: note.new, to: old, files, ...(made !== undefined && { made }) };
  });
}

/**
 * A pull of another session that the branch ends with, which the user may mean; the embedded service's commits say which. Not one
 * that lies below: who undoes the same pull twice means no earlier one.
 */
async function othersHint(ours: string, head: Head, context: Context): Promise<string | undefined> {
  const { git, repository } = context;
  const options = { cwd: repository.gitDir, gitDir: repository.gitDir };
  const branch = ours.slice(ours.lastIndexOf("/") + 1);
  const listed = await git.ok(["for-each-ref", "--format=%(objectname)", `refs/ferry/*/undo/${branch}`], options);
  const ids = listed.toString("latin1").split("\n").filter(Boolean);
  const notes = await Promise.all(ids.map((id) => readUndoNote(id, context)));
  const now = head.state === "unborn" ? undefined : head.commit;
  if (now === undefined || !notes.some((note) => note.new === now)) return undefined;
  const format = "--format=%(trailers:key=Ferry-Session,valueonly)";
  const told = await git.run(["log", "-1", format, now, "--"], options);
  const session = told.code === 0 ? oneLine(told.stdout.toString("utf8").trim()) : "";
  return `the last pull was of another session: ferry pull --undo ${/^\w[\w-]*$/u.test(session) ? session : "SESSION"}`;
}

function elsewhereError(head: Head, why: string): FerryError {
  const branch = head.state === "detached" ? "" : head.ref.replace(/^refs\/heads\//u, "");
  return new FerryError("attention", `the last pull to this branch ${why}`, {
    hint: `git switch ${shellWord(branch)} && ferry pull --undo`,
  });
}

/** A branch that isn't checked out goes back by itself; one that the pull had made goes away. */
async function asideBack(
  { head, note, remembered }: { head: Head; note: UndoNote; remembered: readonly RefUpdate[] },
  context: Context,
): Promise<Undone> {
  await requireNoneSince(note, head, context);
  await refuseCheckedOut(context, head);
  const { git, repository, request } = context;
  const { gitDir } = repository;
  const paths =
    note.old === undefined
      ? ""
      : await git.ok(["diff-tree", "-r", "-z", "--name-only", "--no-renames", note.new, note.old], { cwd: gitDir, gitDir });
  const files = paths.toString("latin1").split("\0").length - 1;
  if (request.dryRun !== true && head.state === "branch")
    await moveRefs({ updates: [moveRef(head.ref, note.new, note.old), ...remembered], reason: "ferry pull: undo" }, context);
  return { from: note.new, to: note.old ?? "", files };
}

/** Gives the commit to go back to: where the pull made the branch, the one that it made it at. */
async function requireOnTop(note: UndoNote, head: Head, context: Context): Promise<string> {
  const before = note.old ?? note.base;
  if (before === undefined) throw beginning(note, context);
  await requireNoneSince(note, head, context);
  return before;
}

/** From a linked worktree the hint names the folder: typed elsewhere it would take another branch away. */
function beginning({ new: tip }: UndoNote, { repository: { gitDir, commonDir, workTree } }: Context): FerryError {
  const there = gitDir === commonDir ? "git" : `git -C ${shellWord(workTree)}`;
  return new FerryError("attention", `the last pull began this branch, up to ${short(tip)}: there is no commit to go back to`, {
    hint: `${there} update-ref -d HEAD takes the branch away and leaves the files`,
  });
}

async function requireNoneSince(note: UndoNote, head: Head, { git, repository: { gitDir } }: Context): Promise<void> {
  const now = head.state === "unborn" ? undefined : head.commit;
  if (now === note.new) return;
  const tip = short(note.new);
  const before = note.old ?? note.base;
  const { code } = await git.run(["merge-base", "--is-ancestor", note.new, now ?? ""], { cwd: gitDir, gitDir });
  if (code === 1)
    throw new FerryError("attention", `the branch hasn't all that the last pull brought any more, which ended at ${tip}`, {
      hint: `git merge ${tip} brings it back; git log ${tip} shows it`,
    });
  throw new FerryError("attention", `the branch has moved on since the last pull, which ended at ${tip}`, {
    hint:
      before === undefined
        ? "git branch -D takes the branch away, with what came on top"
        : `git revert --no-edit ${short(before)}..${tip}, or git rebase --onto ${short(before)} ${tip}`,
  });
}

async function moveBack(
  { head, note, old, updates }: { head: Head; note: UndoNote; old: string; updates: readonly RefUpdate[] },
  context: Context,
): Promise<number> {
  const { git, host, repository, request } = context;
  const { gitDir } = repository;
  const args = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "HEAD", old];
  const changes = readChanges(await git.ok(args, { cwd: gitDir, gitDir }));
  const own = note.own ?? [];
  const stay = new Set(own.map(({ path }) => path));
  const files = changes.filter(({ path }) => !stay.has(path)).length;
  if (request.dryRun === true) return files;
  const quarantine = await makeQuarantine(git, host, repository);
  try {
    const landing = { head, tip: old, updates, reason: "ferry pull: undo" };
    const blocked =
      own.length === 0
        ? await land({ ...landing, changes, scratch: quarantine.folder }, context)
        : await landAround({ from: note.new, to: old, own }, landing, { ...context, quarantine });
    if (blocked.length > 0) throw inTheWayError(blocked, await stashBefore(old, blocked, context));
    return files;
  } finally {
    await quarantine.remove();
  }
}

/** The user's own work stays. */
async function landAround(
  back: { from: string; to: string; own: readonly Own[] },
  landing: Omit<Landing, "changes" | "overlay" | "scratch">,
  context: Context & { readonly quarantine: Quarantine },
): Promise<PathCheck["blocked"]> {
  const trees = { git: context.git, quarantine: context.quarantine };
  const [from, to] = [await treeOf(back.from, trees), await treeOf(back.to, trees)];
  return landBack(await findWayBack({ from, to, given: from, had: to, own: back.own }, trees), landing, context);
}
