import type { Head, Repository } from "../git/discover.ts";
import type { Git } from "../git/git.ts";
import { isMadeSince } from "./incoming/incarnation.ts";
import { type FerryRefs, ferryRefs, readRefs } from "./incoming/refs.ts";
import { moveRef, type RefUpdate } from "./land/transaction.ts";
import type { Errand } from "./request.ts";
import { readUndoNote } from "./undo-note.ts";

/** Keeps the note of the pull that is taken back: it says where the cursor is from then on. */
export function undoneUpdates(refs: FerryRefs, at: Partial<FerryRefs>): RefUpdate[] {
  return [moveRef(refs.undo, at.undo, undefined), moveRef(refs.undone, at.undone, at.undo)];
}

/**
 * Whether the last pull to the branch that is checked out was taken back, and nothing came since: then the cursor is where that left
 * it. The next pull would bring it again, which is for the user to want.
 */
export async function isUndone(errand: Errand, head: Head, place: { git: Git; repository: Repository }): Promise<boolean> {
  const { git, repository } = place;
  const refs = ferryRefs(errand, repository, head);
  const { cursor, undone } = await readRefs(git, repository, refs);
  if (undone === undefined || (await readUndoNote(undone, place)).cursor !== cursor) return false;
  return !(await isMadeSince(refs.undone, head, repository));
}
