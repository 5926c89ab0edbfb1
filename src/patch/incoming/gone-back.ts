import type { Context } from "../context.ts";
import { isBackBefore, readUndoNote } from "../undo-note.ts";
import { short } from "../series/series.ts";
import type { Incoming } from "./incoming.ts";

/** What is said where there is nothing new, and where there is. */
const whole = {
  nothing: "what the last pull brought is no longer on this branch: ferry pull --undo, then ferry pull, brings it again",
  more: "what an earlier pull brought is no longer on this branch, and doesn't come again by itself: ferry pull --undo, then ferry pull, brings all of it",
};
const part = {
  nothing: (tip: string) => `some of what came before is no longer on this branch: git merge ${tip} brings it back`,
  more: (tip: string) =>
    `some of what came before is no longer on this branch, and doesn't come again by itself: ferry pull --undo, then git merge ${tip}, brings it back`,
};

/**
 * Who went back by git reset has no commit of the last pull any more, and perhaps didn't mean to do without. Not looked for where HEAD
 * has what came.
 */
export async function tellGoneBack(incoming: Incoming, context: Context): Promise<string[]> {
  const { at, head, isAside, series } = incoming;
  if (isAside || at.undo === undefined || head.state === "unborn" || head.commit === series.tip) return [];
  const note = await readUndoNote(at.undo, context);
  const which = series.items.length > 0 ? "more" : "nothing";
  if (isBackBefore(note, head)) return [whole[which]];
  return (await isBehind(head.commit, note.new, context)) ? [part[which](short(note.new))] : [];
}

/** Whether the branch went back from that commit and nowhere else: after a rebase or an amend it isn't behind it. */
async function isBehind(head: string, tip: string, { git, repository: { gitDir } }: Context): Promise<boolean> {
  if (head === tip || tip === "") return false;
  return (await git.run(["merge-base", "--is-ancestor", head, tip], { cwd: gitDir, gitDir })).code === 0;
}

/**
 * Where the cursor is to be once a pull to this branch is undone. Together with one that the user went back on by hand: the branch is
 * where it was before both.
 */
export async function cursorBefore(
  { at, head, learned }: Pick<Incoming, "at" | "head"> & Partial<Pick<Incoming, "learned">>,
  context: Context,
): Promise<string | undefined> {
  const earlier = at.undo === undefined ? undefined : await readUndoNote(at.undo, context);
  return earlier !== undefined && isBackBefore(earlier, head) ? earlier.cursor : (learned ?? at.cursor);
}
