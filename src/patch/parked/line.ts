import type { Context } from "../context.ts";
import { RefsMoved } from "../land/transaction.ts";
import { changedContents, lookAt, seeAll, type Seen } from "./look.ts";
import { readHeld } from "./held.ts";
import type { Held, ParkedNote } from "./note.ts";
import { resolvedCommit, skippedCommit } from "./resolved.ts";
import { inTree, type ParkedTree } from "./tree.ts";

/** What a parked worktree was resolved to, and all that it held then. */
export interface Line {
  /** What the worktree's line ends with. */
  readonly tip: string;
  readonly how: "continue" | "skip";
  readonly tree: ParkedTree;
  /** The worktree when it was read: its HEAD, all files, what of them is given up, and what git held. */
  readonly head: string;
  readonly seen: Seen;
  readonly givenUp: ParkedNote["givenUp"];
  readonly held: Held;
}

/** What the worktree holds. First of all what lies there: whatever differs from that later on, nobody here has looked at. */
export async function readLine(
  note: ParkedNote,
  { tree, how }: { tree: ParkedTree; how: "continue" | "skip" },
  context: Context,
): Promise<Line> {
  const seen = seeAll(tree);
  const held = await readHeld(tree, context);
  const head = await headOf(tree, context);
  const tip = how === "skip" ? await skippedCommit(note, tree, context) : await resolvedCommit(note, tree, context);
  const givenUp = how === "skip" ? await changedContents(tip, { tree, seen }, context) : {};
  await context.checkpoint("park-read");
  return { tip, how, tree, head, seen, givenUp, held };
}

/**
 * The last look before anything is done, which may be long after it was read. Where a commit is left out, what is there counts for nothing.
 * @throws RefsMoved where someone has worked there meanwhile: it may belong to what is to come
 */
export async function refuseChanged({ tip, how, tree, head, seen }: Line, context: Context): Promise<void> {
  if (how === "skip") return;
  const { own } = await lookAt(tree, { commits: [tip], seen }, context);
  if (own.length > 0 || (await headOf(tree, context)) !== head)
    throw new RefsMoved("attention", `${tree.workTree} was changed meanwhile`);
}

/** The commit that a worktree stands at. */
export async function headOf(tree: ParkedTree, { git }: Context): Promise<string> {
  return (await git.ok(["rev-parse", "--verify", "HEAD"], inTree(tree))).toString("latin1").trim();
}
