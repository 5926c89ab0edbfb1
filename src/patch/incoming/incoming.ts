import { FerryError } from "../../base/errors.ts";
import { count } from "../../base/text.ts";
import type { Head } from "../../git/discover.ts";
import type { Context, PullContext } from "../context.ts";
import { isMadeSince } from "./incarnation.ts";
import { readCursorNote } from "./note.ts";
import { hasCome } from "../here/learned.ts";
import { readHere } from "../here/note.ts";
import { canGoOntoHead, refuseOtherWay } from "../onto-head/can.ts";
import { findTarget } from "./target.ts";
import { type FerryRefs, ferryRefs, listRefs, type Memory, memoryOf, sessionRefs } from "./refs.ts";
import { type Series, short, withoutPresent } from "../series/series.ts";
import { findGround, type Ground } from "../sources/base.ts";
import { findCommits } from "../sources/choose.ts";
import type { Found } from "../sources/found.ts";

/** What there is to bring to this branch. */
export interface Incoming {
  readonly head: Head;
  /** Not the branch that is checked out here: no file moves. */
  readonly isAside: boolean;
  readonly refs: FerryRefs;
  /** Where these refs are now. */
  readonly at: Partial<FerryRefs>;
  readonly memory: Memory;
  /** The commit that came by the user's own hand, after a pull that stopped at it in the working copy. */
  readonly learned: string | undefined;
  /** Where the commits come from, and all that came. */
  readonly found: Found;
  /** Where the commit that all of them follow is. */
  readonly ground: Ground;
  /** The commits that are neither behind the cursor nor in the branch. */
  readonly series: Series;
  /** How many of the session's commits the branch had, though the cursor didn't know. */
  readonly present: number;
  /**
   * How the branch can take them: as they are on top of HEAD, rebuilt on it, in place of what the session rewrote since (the series
   * is then what is new since the two histories parted), or not at all.
   */
  readonly fit: "on-top" | "moved" | "rewritten" | "unrelated";
}

/** @throws FerryError failure for a manifest that doesn't hold, attention for a history that was rewritten since it came approximately */
export async function findIncoming(context: PullContext): Promise<Incoming> {
  const { git, repository, request } = context;
  const seen = request.head?.state === "branch" ? request.head.ref : undefined;
  const { refs: listed, head: here } = await listRefs(git, repository, sessionRefs(request), seen);
  const { head, isAside } = await findTarget(git, repository, request.branch, here);
  const refs = ferryRefs(request, repository, head);
  const memory = memoryOf(listed, refs);
  const { at } = memory;
  // The branch that it tells of is gone, or was never there.
  const learned = await learn(at.here, head, context);
  const isGone = at.cursor !== undefined && (await isMadeSince(refs.cursor, head, repository));
  const cursor = head.state === "unborn" ? undefined : (learned ?? (isGone ? undefined : at.cursor));
  const commit = head.state === "unborn" ? undefined : head.commit;
  const isNote = memory.isNote && learned === undefined;
  const note = isNote && cursor !== undefined ? await readCursorNote(cursor, context) : undefined;
  const reached = { commit: isNote ? note?.sandbox : cursor, note, head: commit };
  const found = await findCommits(reached, memory, context);
  const whole = found.series;
  const ground = await groundOf(whole, commit, context);
  const series =
    commit === undefined ? whole : withoutPresent(whole, await findPresent(whole, commit, { ground, context }), commit);
  const present = whole.items.length - series.items.length;
  const facts = { head, isAside, refs, at, memory, learned, found, ground, series, present };
  const incoming: Incoming = { ...facts, fit: found.isRewritten ? "rewritten" : findFit(facts) };
  refuseOtherWay(incoming);
  return incoming;
}

async function learn(id: string | undefined, head: Head, context: Context): Promise<string | undefined> {
  if (id === undefined) return undefined;
  const note = await readHere(id, context);
  return (await hasCome(note, head, context)) ? note.sandbox : undefined;
}

/** Only looked for where it matters. */
async function groundOf({ base, items }: Series, head: string | undefined, context: PullContext): Promise<Ground> {
  const { gitDir } = context.repository;
  return items.length === 0 || base === head
    ? { at: "here", reasons: [], options: { cwd: gitDir, gitDir } }
    : findGround(base, context);
}

function findFit({ head, isAside, series, ground }: Omit<Incoming, "fit">): Incoming["fit"] {
  const { base, items } = series;
  const commit = head.state === "unborn" ? undefined : head.commit;
  if (items.length === 0 || base === commit) return "on-top";
  // A new branch begins at the base; a working copy without a commit can't begin at one that is elsewhere.
  if (base === undefined || (commit === undefined && !isAside)) return "unrelated";
  if (ground.at === undefined) return "unrelated";
  return commit === undefined ? "on-top" : "moved";
}

/** The commits that the branch has already, because it was made from one that they were brought to, or they were fetched. */
async function findPresent(
  { base, items }: Series,
  head: string,
  { ground, context }: { readonly ground: Ground; readonly context: Context },
): Promise<ReadonlySet<string>> {
  if (items.length === 0 || base === head) return new Set();
  const range = await context.git.run(["rev-list", head, ...(base === undefined ? [] : [`^${base}`])], ground.options);
  // The base isn't here, so nothing that follows it is.
  if (range.code !== 0) return new Set();
  const reached = new Set(range.stdout.toString("latin1").split("\n"));
  return new Set(items.map((item) => item.commit).filter((commit) => reached.has(commit)));
}

/** HEAD has nothing to do with where the series begins, or that isn't here: said with both commits. */
export function unrelatedError(incoming: Incoming): FerryError {
  const { head, series, ground } = incoming;
  const here = head.state === "unborn" ? "this branch has no commit yet" : `HEAD is at ${short(head.commit)}`;
  const commits = count(series.items.length, "new commit");
  const [begin, follow, own] = series.items.length === 1 ? ["begins", "follows", "its"] : ["begin", "follow", "their"];
  const there = series.base === undefined ? `${begin} a history of ${own} own` : `${follow} ${short(series.base)}`;
  return new FerryError("attention", `${here}, but the session's ${commits} ${there}`, {
    code: "unrelated",
    details: ground.reasons,
    hint:
      series.base === undefined
        ? "pull on an unborn branch (git switch --orphan NAME)"
        : `fetch that commit, or pull in a clone that has it${canGoOntoHead(incoming) ? "; or have them put on HEAD, approximately: ferry pull --onto-head" : ""}`,
  });
}

/** Whether what came is still in the branch that the session went back from. */
export async function holdsCursor({ head, at }: Incoming, { git, repository }: Context): Promise<boolean> {
  if (head.state === "unborn" || at.cursor === undefined) return false;
  const { gitDir } = repository;
  return (await git.run(["merge-base", "--is-ancestor", at.cursor, head.commit], { cwd: gitDir, gitDir })).code === 0;
}

/** The session went back to before what came, and has nothing new. */
export function droppedError({ series }: Incoming): FerryError {
  return new FerryError("attention", "the session dropped commits that came here before, and has no new ones", {
    code: "history_rewritten",
    hint: `to drop them here too: git reset --keep ${short(series.base ?? series.tip)}`,
  });
}
