import { FerryError } from "../../base/errors.ts";
import type { Head } from "../../git/discover.ts";
import type { Context } from "../context.ts";
import { moveRef, type RefUpdate } from "../land/transaction.ts";
import { inTheWayError } from "../place/place.ts";
import { makeQuarantine } from "../quarantine.ts";
import type { FerryRefs } from "../incoming/refs.ts";
import type { ReadNote } from "../undo-note.ts";
import { findWayBack, landBack } from "../undo-way.ts";
import { undoneUpdates } from "../undone.ts";
import { moveHead } from "./bring-work.ts";
import { emptyTree, treeOf, type Trees } from "./trees.ts";

/** A pull that is to be taken back, with the files that aren't committed. */
export interface WorkUndo {
  readonly head: Head;
  readonly old: string | undefined;
  readonly refs: FerryRefs;
  readonly at: Partial<FerryRefs>;
  readonly note: ReadNote & { readonly tree: string };
}

/** The same as for commits alone. @throws FerryError attention where a file was edited since */
export async function undoWork(
  undo: WorkUndo,
  context: Context,
): Promise<{ readonly from: string; readonly to: string; readonly files: number }> {
  const { old, refs, at, note } = undo;
  requireGiven(at.uncommitted, note.given);
  const head = moveHead(note.new === "" ? undefined : note.new, old, context.repository.objectFormat);
  const updates = [
    head,
    moveRef(refs.uncommitted, note.given, note.uncommitted),
    moveRef(refs.cursor, at.cursor, note.cursor),
    // Files alone never come unasked.
    ...(note.new === (old ?? "") ? [moveRef(refs.undo, at.undo, undefined)] : undoneUpdates(refs, at)),
  ].filter((update) => update === head || update.to !== update.from);
  return { from: note.new, to: old ?? "", files: await moveBack(undo, updates, context) };
}

async function moveBack({ head, old, note }: WorkUndo, updates: readonly RefUpdate[], context: Context): Promise<number> {
  const { given, tree, own = [] } = note;
  const { git, host, repository, request } = context;
  const quarantine = await makeQuarantine(git, host, repository);
  try {
    const trees = { git, quarantine };
    const now = head.state === "unborn" ? undefined : head.commit;
    const from = await branchTree(now, trees);
    const had = { to: await branchTree(old, trees), had: tree, own };
    const way = await findWayBack({ ...had, from, given: given === undefined ? from : await treeOf(given, trees) }, trees);
    const stay = new Set(own.map(({ path }) => path));
    const paths = [...way.changes, ...way.overlay.changes].map(({ path }) => path);
    const files = new Set(paths.filter((path) => !stay.has(path))).size;
    if (request.dryRun === true) return files;
    const landing = { head, tip: old, updates, reason: "ferry pull: undo" };
    const blocked = await landBack(way, landing, { ...context, quarantine });
    if (blocked.length > 0) throw inTheWayError(blocked);
    return files;
  } finally {
    await quarantine.remove();
  }
}

/** @throws FerryError attention where what isn't committed was pulled again since, from another branch */
function requireGiven(now: string | undefined, given: string | undefined): void {
  if (now !== given)
    throw new FerryError("attention", "what isn't committed was pulled again since, on another branch", {
      hint: "ferry pull --uncommitted brings what there is now",
    });
}

async function branchTree(commit: string | undefined, trees: Trees): Promise<string> {
  return commit === undefined ? emptyTree(trees) : treeOf(commit, trees);
}
