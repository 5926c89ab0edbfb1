import { mkdir } from "node:fs/promises";
import { endPick } from "../conflict/pick.ts";
import type { Stop } from "../conflict/found.ts";
import type { PullContext } from "../context.ts";
import { cursorUpdates } from "../incoming/cursor.ts";
import { knownCommits } from "../incoming/known.ts";
import { courtOf } from "../judge/court.ts";
import { moveRefs } from "../land/move-refs.ts";
import { promote } from "../land/promote.ts";
import { moveRef } from "../land/transaction.ts";
import { judgeAll } from "../place/assemble.ts";
import type { Pickable } from "../place/rebuild.ts";
import type { Verdict } from "../verdict.ts";
import { endUnfinished } from "./end.ts";
import { listParked, type Parked, parkedFolder, type ParkedNote, type Queued, replaceNote, tipRef, writeNote } from "./note.ts";
import { makeStop } from "./next-stop.ts";
import { goOn } from "./resume.ts";
import { makeCommit } from "../uncommitted/memory.ts";
import { treeOf } from "../uncommitted/trees.ts";
import { stoppedError } from "./told.ts";
import { addTree, findTree, inTree } from "./tree.ts";

/**
 * Builds what fits in a linked worktree and leaves the first commit that doesn't there with its markers, for a person; branch,
 * checkout and cursor stay. Killed on the way, the next run takes it all away.
 * @throws PullRefused that says where it lies and how to go on
 */
export async function park(stop: Stop, context: PullContext): Promise<Verdict> {
  const { incoming, quarantine } = stop;
  const { conflict, verdict } = stop.error;
  const { git, repository, checkpoint } = context;
  const { tip, commits } = conflict;
  const court = courtOf(context, { quarantine, allowSymlinks: context.request.allowSymlinks });
  const notices = await judgeAll(
    incoming,
    { shaped: stop.error.shaped, placed: { tip, commits, exactness: "rebuilt", notices: [] } },
    court,
  );
  const known = await knownCommits(incoming, context);
  const held = await heldBy(stop, context);
  await promote({ tips: [incoming.series.tip, held, tip], known }, { git, quarantine, repository });
  await quarantine.empty();
  // First of all: where there is such a folder, whoever comes next looks for notes.
  await mkdir(parkedFolder(context), { recursive: true, mode: 0o700 });
  let parked = await note(stop, held, context);
  await checkpoint("park-noted");
  try {
    await addTree(parked.note, context);
    await checkpoint("park-added");
    const tree = await findTree(parked.note, context);
    if (tree !== undefined) parked = await makeStop(parked, { tree }, context);
    await checkpoint("park-picked");
    parked = await replaceNote(parked, { stage: "stopped", made: undefined }, { context });
    if (tree !== undefined && (await endPick(inTree(tree), context)) === "came") return await goOn(parked, "continue", context);
  } catch (error) {
    const now = (await listParked(context)).find(({ ref }) => ref === parked.ref);
    if (now?.note.stage === "adding") await endUnfinished(now, context);
    throw error;
  }
  throw await stoppedError(
    parked,
    { paths: verdict.conflicts, verdict: { ...verdict, notices: [...verdict.notices, ...notices] } },
    context,
  );
}

/** One commit that has all behind it that is still needed: the sandbox's, and those that are to come in their place. */
async function heldBy({ incoming, error, quarantine }: Stop, { git }: PullContext): Promise<string> {
  const [own, { tip }] = [incoming.series.tip, error.shaped];
  if (tip === own) return own;
  const trees = { git, quarantine };
  return makeCommit({ tree: await treeOf(tip, trees), parents: [own, tip], message: "ferry: parked" }, trees);
}

async function note({ incoming, error }: Stop, held: string, context: PullContext): Promise<Parked> {
  const { head, refs, at, series } = incoming;
  const { conflict, shaped } = error;
  const { engine, source, from, exactness, notices } = error.verdict;
  const { session, origin, workspace, repositoryId } = context.request;
  const done = conflict.commits.length;
  const content: ParkedNote = {
    stage: "adding",
    errand: { origin, workspace, session, repositoryId },
    target: head.state === "detached" ? { gitDir: context.repository.gitDir } : { ref: head.ref },
    name: `${session.replace(/[^A-Za-z0-9_]/gu, "").slice(0, 12)}-${Buffer.from(context.host.random(4)).toString("hex")}`,
    told: { engine, source, from },
    exactness,
    notices,
    allowSymlinks: context.request.allowSymlinks === true,
    onto: head.state === "unborn" ? "" : head.commit,
    clean: conflict.tip,
    items: series.items.map(({ sequence, commit, subject }) => ({ sequence, commit, subject })),
    came: series.items.map((_, at) => conflict.commits[at] ?? null),
    left: [],
    queue: queueOf(shaped.items, done),
    cursor: incoming.found.note,
    updates: await cursorUpdates(incoming, context),
  };
  const id = await writeNote(content, context);
  const parked = { ref: refs.parked, id, note: content };
  const updates = [moveRef(refs.parked, at.parked, id), moveRef(tipRef(parked), at.parkedTip, held)];
  await moveRefs({ updates, reason: "ferry pull: parked" }, context);
  return parked;
}

/** What nothing is left of has come with the one before it. */
function queueOf(items: readonly Pickable[], done: number): Queued[] {
  const queue: { commit: string; ends: number[] }[] = [];
  for (const [at, { commit, isDropped = false }] of items.entries()) {
    if (at < done) continue;
    if (isDropped) queue.at(-1)?.ends.push(at);
    else queue.push({ commit, ends: [at] });
  }
  return queue;
}
