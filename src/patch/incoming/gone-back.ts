import type { Context } from "../context.ts";
import { isBackBefore, readUndoNote, type UndoNote } from "../undo-note.ts";
import type { Incoming } from "./incoming.ts";

type There = Pick<Incoming, "at" | "head">;

/** What is said where there is nothing new, and where there is. */
const told = {
  nothing: "what the last pull brought is no longer on this branch: ferry pull --undo, then ferry pull, brings it again",
  more: "what an earlier pull brought is no longer on this branch, and doesn't come again by itself: ferry pull --undo, then ferry pull, brings all of it",
};

/**
 * Who went back by git reset has no commit of the last pull any more, and perhaps didn't mean to do without. Not looked for where HEAD
 * has what came.
 */
export async function tellGoneBack(incoming: Incoming, context: Context): Promise<string[]> {
  const { head, isAside, series } = incoming;
  if (isAside || head.state === "unborn" || head.commit === series.tip) return [];
  const isNews = series.items.length > 0;
  return (await goneBackOn(incoming, context)) === undefined ? [] : [isNews ? told.more : told.nothing];
}

/**
 * Where the cursor is to be once a pull to this branch is undone. Together with one that the user went back on by hand: the branch is
 * where it was before both.
 */
export async function cursorBefore(
  there: There & Partial<Pick<Incoming, "learned">>,
  context: Context,
): Promise<string | undefined> {
  const earlier = await goneBackOn(there, context);
  return earlier === undefined ? (there.learned ?? there.at.cursor) : earlier.cursor;
}

async function goneBackOn({ at, head }: There, context: Context): Promise<UndoNote | undefined> {
  if (at.undo === undefined) return undefined;
  const note = await readUndoNote(at.undo, context);
  return note.tree === undefined && isBackBefore(note, head) ? note : undefined;
}
