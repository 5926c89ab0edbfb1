import type { Context } from "../context.ts";
import { lockPatience } from "../../git/locked.ts";
import { whenUnlocked } from "./locks.ts";
import { type Move, prepare } from "./transaction.ts";

/** Moves refs alone, where no file goes with them: all or none. @throws RefsMoved where one isn't where it was read to be */
export async function moveRefs(move: Move, { git, host, repository, request }: Context): Promise<void> {
  const patience = request.hook === undefined ? lockPatience : 0;
  const transaction = await whenUnlocked(host, patience, () => prepare(git, repository, move));
  await transaction.commit();
}
