import type { ProcessEntry } from "../processes/table.ts";
import { run } from "../processes/run.ts";
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

/** What a file counts at least: a disk also runs out of inodes, which empty files take as well. */
const leastBytes = 4096;

/**
 * Bytes on disk under a folder, on its file system alone. `du` walks by descriptors and follows no link, so that an agent that swaps a
 * folder for a link while it walks leads it nowhere. What it can't read isn't counted.
 */
export async function diskOf(folder: string): Promise<number> {
  // Only GNU's counts files.
  const [kilobytes = 0, files = 0] = await Promise.all(["-k", "--inodes"].map((unit) => count(folder, unit)));
  return Math.max(kilobytes * 1024, files * leastBytes);
}

async function count(folder: string, unit: string): Promise<number> {
  const { stdout } = await run(["du", "-sxP", unit, "--", folder]);
  return Number(/^\d+/.exec(stdout)?.[0] ?? 0);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
