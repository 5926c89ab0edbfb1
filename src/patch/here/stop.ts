import { join } from "node:path";
import { FerryError } from "../../base/errors.ts";
import { count, oneLine } from "../../base/text.ts";
import { type Change, readChanges } from "../../git/records.ts";
import type { Stop } from "../conflict/found.ts";
import type { PullContext } from "../context.ts";
import { cursorBefore } from "../incoming/gone-back.ts";
import { knownCommits } from "../incoming/known.ts";
import { courtOf } from "../judge/court.ts";
import { withIndex } from "../land/compare.ts";
import { copyIndex } from "../land/index-entries.ts";
import { land } from "../land/land.ts";
import { moveRefs } from "../land/move-refs.ts";
import { checkPaths, type PathCheck } from "../land/path-check.ts";
import { promote } from "../land/promote.ts";
import { moveRef, type RefUpdate } from "../land/transaction.ts";
import { judgeAll } from "../place/assemble.ts";
import { inTheWay, stoppedAt } from "../place/place.ts";
import { fromBefore, writeUndoNote } from "../undo-note.ts";
import { newsOf, type Verdict } from "../verdict.ts";
import { noteCame } from "./came.ts";
import { writeHere } from "./note.ts";
import { pickHere } from "./pick.ts";
import { cameBefore, stoppedHere } from "./told.ts";

/**
 * Lands what fits, by the usual step, and leaves the first commit that doesn't as git's own cherry-pick stop in the working copy.
 * The cursor stands before that commit; whether it came is learned at the next pull (learned.ts).
 * @throws PullRefused that says what came and how to go on
 */
export async function stopHere(stop: Stop, context: PullContext): Promise<Verdict> {
  const { incoming, quarantine, error } = stop;
  const { conflict } = error;
  const { git, repository } = context;
  const { head, isAside, series } = incoming;
  if (isAside || head.state === "unborn")
    throw new FerryError("usage", "--here needs the branch that is checked out", { hint: "with another one: --park" });
  if (incoming.found.note !== undefined)
    throw new FerryError("attention", "what is made of the timeline's diffs comes as a whole, and can't stop halfway here", {
      hint: "with ferry pull --park it can",
    });
  const court = courtOf(context, { quarantine, allowSymlinks: context.request.allowSymlinks });
  const placed = { tip: conflict.tip, commits: conflict.commits, exactness: "rebuilt", notices: [] } as const;
  const notices = await judgeAll(incoming, { shaped: error.shaped, placed }, court);
  const diff = async (from: string, to: string) =>
    readChanges(await git.ok(["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", from, to], quarantine.options));
  const changes = {
    all: await diff(head.commit, conflict.tree),
    clean: await diff(head.commit, conflict.tip),
    picked: await diff(conflict.tip, conflict.tree),
  };
  const scratch = quarantine.folder;
  const { commit: sandbox } = stoppedAt(incoming, conflict);
  const { blocked, own } = await checkPaths({ git, repository, scratch }, changes.all);
  if (blocked.length > 0) throw inTheWay(blocked, error.verdict);
  // As git itself refuses a cherry-pick there: its --abort would take them away.
  const picked = new Set(changes.picked.map(({ path }) => path));
  const owned = own.filter(({ path }) => picked.has(path));
  if (owned.length > 0)
    throw inTheWay(
      owned.map(({ path }) => ({ path, why: "is here as it comes, but not committed, and a cherry-pick would take it over" })),
      error.verdict,
    );
  await refuseUncommitted(stop, context);
  await promote(
    { tips: [sandbox, conflict.item.commit, conflict.tip, conflict.tree], known: await knownCommits(incoming, context) },
    { git, quarantine, repository },
  );
  await quarantine.empty();
  const late = await landClean(stop, changes.clean, context);
  if (late.length > 0) throw inTheWay(late, error.verdict);
  await context.checkpoint("here-landed");
  if ((await pickHere(stop, context)) === "came") throw await noteCame(stop, notices, context);
  const left = series.items.length - conflict.commits.length - 1;
  const { shape, allowSymlinks, uncommitted } = context.request;
  // Not remembered: each pull says what it is to be.
  const isPlain = shape === undefined && allowSymlinks !== true && uncommitted !== true;
  const again = isPlain ? "ferry pull" : "ferry pull, with the same flags,";
  const rest = left === 0 ? "" : `; then ${again} brings the other ${left}`;
  throw stoppedHere(stop, { files: changes.clean.length, notices, rest, before: context.came?.verdict });
}

/** A cherry-pick begins with an index as HEAD has it, and with the files of the conflict as they are in git. */
async function refuseUncommitted({ error, quarantine }: Stop, { git, repository }: PullContext): Promise<void> {
  const aside = join(quarantine.folder, "index");
  await copyIndex(join(repository.gitDir, "index"), aside);
  const options = withIndex(repository, aside);
  // In the copy: an untouched file whose times changed isn't modified. Exits with 1 where some are.
  await git.run(["update-index", "-q", "--refresh"], options);
  const paths = async (args: readonly string[]) =>
    (await git.ok([...args, "-z", "--name-only", "--no-ext-diff", "--ignore-submodules=dirty"], options))
      .toString("latin1")
      .split("\0")
      .filter(Boolean);
  const staged = await paths(["diff-index", "--cached", "HEAD"]);
  if (staged.length > 0)
    throw inTheWay(
      staged.map((path) => ({ path, why: "is staged, and a cherry-pick needs a clean index" })),
      error.verdict,
    );
  const touched = new Set(error.conflict.paths);
  const dirty = (await paths(["diff-files"])).filter((path) => touched.has(path));
  if (dirty.length > 0)
    throw inTheWay(
      dirty.map((path) => ({ path, why: "has local changes" })),
      error.verdict,
    );
}

/** What fits, the cursor up to it, and the note: in one step. */
async function landClean(
  { incoming, error, quarantine }: Stop,
  changes: readonly Change[],
  context: PullContext,
): Promise<PathCheck["blocked"]> {
  const { head, refs, at, series } = incoming;
  const { conflict } = error;
  const { commits, tip, item } = conflict;
  const old = head.state === "unborn" ? undefined : head.commit;
  const { commit: sandbox } = stoppedAt(incoming, conflict);
  const last = series.items[commits.length - 1]?.commit ?? incoming.learned;
  const note = await writeHere(
    { session: context.request.session, commit: item.commit, sandbox, subject: oneLine(item.subject), tip },
    context,
  );
  const remembered: RefUpdate[] = [
    moveRef(refs.remote, at.remote, sandbox),
    ...(last === undefined ? [] : [moveRef(refs.cursor, at.cursor, last)]),
    moveRef(refs.here, at.here, note),
  ].filter(({ from, to }) => from !== to);
  const reason = `ferry pull: ${count(newsOf({ commits: cameBefore({ incoming, error }) }), "commit")}, up to a conflict`;
  if (tip === old) {
    await moveRefs({ updates: remembered, reason }, context);
    return [];
  }
  const scratch = quarantine.folder;
  const { own } = await checkPaths({ git: context.git, repository: context.repository, scratch }, changes);
  const made = { old, new: tip, cursor: await cursorBefore(incoming, context), own };
  const undo = await writeUndoNote(fromBefore(made, context.came?.undo), context);
  const updates = [moveRef("HEAD", old, tip), ...remembered, moveRef(refs.undo, at.undo, undo)];
  return land({ head, tip, changes, own, updates, reason, scratch }, context);
}
