import type { Context } from "../context.ts";
import { lockPatience } from "../../git/locked.ts";
import { notesOf, outlivePorcelain } from "../recovery/porcelain.ts";
import { whenUnlocked } from "./locks.ts";
import { refLocks } from "./ref-locks.ts";
import { type Move, prepare } from "./transaction.ts";

/**
 * Moves refs alone, where no file goes with them: all or none. The locks of a git that was killed meanwhile are taken away, by us or
 * by the next run.
 * @throws RefsMoved where one isn't where it was read to be
 */
export async function moveRefs(move: Omit<Move, "children">, context: Context): Promise<void> {
  const { git, host, repository, request } = context;
  const patience = request.hook === undefined ? lockPatience : 0;
  const locks = await refLocks(
    move.updates.map(({ ref }) => ref),
    repository,
  );
  const children = notesOf({ gitDir: repository.gitDir, locks, moves: move.updates }, context);
  try {
    const transaction = await whenUnlocked(host, patience, () => prepare(git, repository, { ...move, children }));
    await transaction.commit();
  } catch (error) {
    await outlivePorcelain(context);
    throw error;
  }
}
