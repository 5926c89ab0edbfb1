import { type Ran, run } from "../processes/run.ts";

/** What is taken of the disk. */
export interface DiskUse {
  readonly bytes: number;
  /** Whether there is more that can't be counted: a folder that is shut even to its owner. */
  readonly hidden: boolean;
}

/** What a file counts at least: a disk also runs out of inodes, which empty files take as well. */
export const leastBytes = 4096;

/**
 * What lies under a folder, on its file system alone. `du` walks by descriptors and follows no link, so that an agent that swaps a folder
 * for a link while it walks leads it nowhere. An agent can shut its folders (chmod 0); their owner may read them all the same as the root
 * of a user namespace (CAP_DAC_READ_SEARCH, capabilities(7)), where one may be made.
 */
export async function lyingIn(folder: string): Promise<DiskUse> {
  const seen = await measure([], folder);
  if (!seen.hidden) return seen;
  const all = await measure(["unshare", "--user", "--map-root-user", "--"], folder);
  return { bytes: Math.max(seen.bytes, all.bytes), hidden: all.hidden };
}

async function measure(prefix: readonly string[], folder: string): Promise<DiskUse> {
  const count = (unit: string): Promise<Ran> => run([...prefix, "du", "-sxP", unit, "--", folder]);
  // Only GNU's counts files.
  const [kilobytes, files] = await Promise.all([count("-k"), count("--inodes")]);
  const bytes = Math.max(numberIn(kilobytes) * 1024, numberIn(files) * leastBytes);
  if (kilobytes.code === 0) return { bytes, hidden: false };
  // What went while it was counted is no matter.
  const { stdout } = await run([...prefix, "sh", "-c", findShut, "sh", folder]);
  return { bytes, hidden: stdout !== "looked\n" };
}

/** Says that it looked, and one folder that it couldn't look into. */
const findShut = `echo looked; find "$1" -xdev -type d '(' ! -readable -o ! -executable ')' -print -quit`;

function numberIn({ stdout }: Ran): number {
  return Number(/^\d+/.exec(stdout)?.[0] ?? 0);
}
