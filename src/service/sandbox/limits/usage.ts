import type { ProcessEntry } from "../processes/table.ts";
import { heldBy } from "./held.ts";
import { type DiskUse, lyingIn } from "./lying.ts";
import { readResident, readShare } from "../processes/table.ts";

/**
 * Bytes of memory that processes use together. Counting shared pages once for each process gives a bound from above and is cheap; only
 * where it is over `limit` the exact shares are summed.
 */
export function memoryOf(members: readonly ProcessEntry[], limit: number): number {
  const bound = sum(members.map(({ pid }) => readResident(pid)));
  return bound <= limit ? bound : sum(members.map(({ pid }) => readShare(pid) ?? readResident(pid)));
}

/** Threads that processes have together: the unit of RLIMIT_NPROC and of the pids controller. */
export function threadsOf(members: readonly ProcessEntry[]): number {
  return sum(members.map((member) => member.threads));
}

/** What lies under a folder, and what processes hold of its file system. */
export async function diskOf(folder: string, members: readonly ProcessEntry[]): Promise<DiskUse> {
  // In this order what is deleted meanwhile doesn't count twice.
  const held = await heldBy(members, folder);
  const lying = await lyingIn(folder);
  return { bytes: held.bytes + lying.bytes, hidden: held.hidden || lying.hidden };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
