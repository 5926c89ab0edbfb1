import type { Head } from "../../git/discover.ts";
import type { Context } from "../context.ts";
import type { FerryRefs } from "../incoming/refs.ts";
import { parkedHere } from "./end.ts";
import { readNote } from "./note.ts";
import { parkedError } from "./told.ts";

/** @throws PullRefused in the worktree of a parked pull: what came there would go with it */
export async function refuseInParked(context: Context): Promise<void> {
  const parked = await parkedHere(context);
  if (parked !== undefined) throw await parkedError(parked, { state: "detached", commit: parked.note.onto }, context);
}

/** @throws PullRefused where a pull of the same session to the same branch is parked */
export async function refuseParked(
  { refs, at, head }: { refs: FerryRefs; at: Partial<FerryRefs>; head: Head },
  context: Context,
): Promise<void> {
  if (at.parked !== undefined) throw await parkedError(await readNote(refs.parked, at.parked, context), head, context);
}
