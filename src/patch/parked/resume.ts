import { FerryError } from "../../base/errors.ts";
import { oneLine } from "../../base/text.ts";
import { showPath } from "../../git/path.ts";
import type { Context } from "../context.ts";
import { moveRefs } from "../land/move-refs.ts";
import { promote } from "../land/promote.ts";
import { moveRef, RefsMoved } from "../land/transaction.ts";
import { type Conflict, rebuild, type Rebuilt } from "../place/rebuild.ts";
import { makeQuarantine, type Quarantine } from "../quarantine.ts";
import type { PullRequest } from "../request.ts";
import type { Verdict } from "../verdict.ts";
import { end } from "./end.ts";
import { readItems } from "./items.ts";
import { landParked } from "./land.ts";
import { type Parked, type ParkedNote, type Queued, replaceNote, writeNote } from "./note.ts";
import { endPick } from "../conflict/pick.ts";
import { makeStop } from "./next-stop.ts";
import { type Line, readLine, refuseChanged } from "./line.ts";
import { stoppedError, unmoved } from "./told.ts";
import { findTarget, type ParkedTarget } from "./target.ts";
import { findTree, inTree, isThere, type ParkedTree, placeIn } from "./tree.ts";

export type GoOnContext = Context & { readonly request: Pick<PullRequest, "progress" | "acceptDeletion" | "allowSymlinks"> };

/** How often it starts anew because the user worked there meanwhile. */
const attempts = 3;

/**
 * Goes on with a parked pull whose conflict was resolved, or whose commit is left out: builds the rest, on the branch as it is by
 * now, and lands all of it; where another commit doesn't fit, the worktree stops there.
 * @throws PullRefused at the next conflict, FerryError attention where this one isn't resolved
 */
export async function goOn(parked: Parked, how: "continue" | "skip", context: GoOnContext): Promise<Verdict> {
  const tree = await requireTree(parked, context);
  if (parked.note.stage === "moving") return stopThere(parked, { tree }, context);
  let line = await readLine(parked.note, { tree, how }, context);
  for (let left = attempts; ; left--) {
    try {
      const note = settle(parked.note, { tip: line.tip, isLeft: how === "skip" });
      return await build({ ...parked, note }, line, context);
    } catch (error) {
      if (!(error instanceof RefsMoved)) throw error;
      if (left <= 1)
        throw new FerryError("attention", error.message, { hint: "try again when nothing else works here", cause: error });
      // Not where a commit is left out: what was changed since is no part of what was given up.
      if (how === "continue") line = await readLine(parked.note, { tree, how }, context);
    }
  }
}

async function requireTree({ note }: Parked, context: Context): Promise<ParkedTree> {
  const tree = await findTree(note, context);
  if (tree !== undefined && (await isThere(tree))) return tree;
  const giveUp = "ferry pull --abort gives the pull up";
  if (tree === undefined) throw new FerryError("attention", "the worktree of the parked pull is gone", { hint: giveUp });
  throw new FerryError("attention", `the worktree of the parked pull isn't in ${oneLine(await placeIn(tree))}`, {
    hint: `git worktree repair PATH names where it is now; where it is gone for good, ${giveUp}`,
  });
}

/** The note once its first commit is dealt with. */
function settle(note: ParkedNote, { tip, isLeft }: { tip: string; isLeft: boolean }): ParkedNote {
  const ends = note.queue[0]?.ends ?? [];
  return {
    ...note,
    clean: tip,
    came: note.came.map((commit, at) => (ends.includes(at) ? tip : commit)),
    left: isLeft ? [...note.left, ...ends] : note.left,
    queue: note.queue.slice(1),
  };
}

async function build(parked: Parked, line: Line, context: GoOnContext): Promise<Verdict> {
  const target = await findTarget(parked.note, context);
  const quarantine = await makeQuarantine(context.git, context.host, context.repository);
  const leaving = { from: line.tip, givenUp: line.givenUp, held: line.held };
  let verdict: Verdict;
  try {
    const note = await onto(target, parked.note, { tip: line.tip, context });
    const start = note.onto === parked.note.onto ? line.tip : note.onto;
    const items = await readItems(
      note.queue.map(({ commit }) => commit),
      context,
    );
    const built = await rebuild({ items }, { onto: start, quarantine }, context);
    const next = { ...parked, note: { ...advance(note, built), ...leaving } };
    await refuseChanged(line, context);
    if ("paths" in built) return await moveOn(next, { conflict: built, target, line, quarantine }, context);
    const { acceptDeletion = false, allowSymlinks = false } = context.request;
    const may = { acceptDeletion, allowSymlinks: allowSymlinks || note.allowSymlinks };
    verdict = await landParked({ parked: next, tip: built.tip, target, quarantine, notices: built.notices, ...may });
  } finally {
    await quarantine.remove();
  }
  await context.checkpoint("park-landed");
  const now = await context.git.ok(["rev-parse", "--verify", parked.ref], {
    cwd: context.repository.gitDir,
    gitDir: context.repository.gitDir,
  });
  await end({ ...parked, id: now.toString("latin1").trim(), note: { ...parked.note, ...leaving, stage: "over" } }, context, {
    seen: line.seen,
  });
  return verdict;
}

/** Where the branch moved on, all that the worktree has is put on top of it again, the resolved commits as they were resolved. */
async function onto(
  target: ParkedTarget,
  note: ParkedNote,
  { tip, context }: { tip: string; context: Context },
): Promise<ParkedNote> {
  const { commit } = target.head;
  if (commit === note.onto) return note;
  const { gitDir } = context.repository;
  const args = ["rev-list", "--reverse", "--topo-order", `${note.onto}..${tip}`];
  const listing = (await context.git.ok(args, { cwd: gitDir, gitDir })).toString("latin1");
  const again = listing.split("\n").filter((each) => each !== "");
  const queue: Queued[] = again.map((each) => ({
    commit: each,
    ends: note.came.flatMap((came, at) => (came === each ? [at] : [])),
  }));
  const came = note.came.map((each) => (each === null || again.includes(each) ? null : commit));
  return { ...note, onto: commit, came, queue: [...queue, ...note.queue] };
}

/** The note once so many of its queue are built. */
function advance(note: ParkedNote, { tip, commits }: Rebuilt | Conflict): ParkedNote {
  const became = new Map(
    note.queue.slice(0, commits.length).flatMap(({ ends }, at) => ends.map((item) => [item, commits[at] ?? tip])),
  );
  return {
    ...note,
    clean: tip,
    came: note.came.map((commit, item) => became.get(item) ?? commit),
    queue: note.queue.slice(commits.length),
  };
}

interface Next {
  readonly conflict: Conflict;
  readonly target: ParkedTarget;
  readonly line: Line;
  readonly quarantine: Quarantine;
}

/** Takes the worktree on to the next commit that doesn't fit: its HEAD and the note in one step, then its files. */
async function moveOn(parked: Parked, { conflict, target, line, quarantine }: Next, context: GoOnContext): Promise<Verdict> {
  const { git, repository } = context;
  const { tree, head } = line;
  await promote({ tips: [conflict.tip], known: [target.head.commit] }, { git, quarantine, repository });
  if ((await git.run(["symbolic-ref", "--quiet", "HEAD"], inTree(tree))).code === 0)
    throw new FerryError("attention", `the parked worktree is on a branch of its own, and the next commit doesn't fit either`, {
      hint: `git switch --detach in ${tree.workTree}, then ferry pull --continue`,
    });
  const note: ParkedNote = { ...parked.note, stage: "moving", picked: undefined };
  const id = await writeNote(note, context);
  const inside: Context = { ...context, repository: { ...repository, ...tree } };
  const updates = [moveRef("HEAD", head, conflict.tip), moveRef(parked.ref, parked.id, id)];
  await moveRefs({ updates, reason: "ferry pull: parked at the next conflict" }, inside);
  await context.checkpoint("park-moved");
  return stopThere({ ...parked, id, note }, line, context);
}

/** Brings the worktree to where its HEAD is, and leaves the first commit of the queue there with its markers. */
async function stopThere(
  parked: Parked,
  { tree, seen }: Pick<Line, "tree"> & Partial<Pick<Line, "seen">>,
  context: GoOnContext,
): Promise<Verdict> {
  const made = await makeStop(parked, { tree, seen }, context);
  const over = { stage: "stopped", from: undefined, givenUp: undefined, held: undefined, made: undefined } as const;
  const stopped = await replaceNote(made, over, { context });
  if ((await endPick(inTree(tree), context)) === "came") return goOn(stopped, "continue", context);
  const paths = await pathsOf(tree, context);
  throw await stoppedError(stopped, { paths, verdict: unmoved(parked.note) }, context);
}

/** What is in conflict; where git resolved all of it as it was once before (rerere.autoUpdate), what is staged. */
async function pathsOf(tree: ParkedTree, { git }: Context): Promise<string[]> {
  const ask = async (args: readonly string[]) =>
    (await git.ok(args, inTree(tree))).toString("latin1").split("\0").filter(Boolean);
  const unmerged = (await ask(["ls-files", "-z", "--unmerged"])).map((line) => line.slice(line.indexOf("\t") + 1));
  const found = unmerged.length > 0 ? unmerged : await ask(["diff-index", "--cached", "--name-only", "-z", "HEAD", "--"]);
  return [...new Set(found.map(showPath))];
}
