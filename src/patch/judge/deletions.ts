import { fields, type Change, modes } from "../../git/records.ts";
import { gitError } from "../../git/runner.ts";
import type { Court } from "./court.ts";

/** Fewer than these are no catastrophe, whatever part of the tree they are. */
const few = 10;

/**
 * How many files of how many would be gone, where that is more than half of them: seldom what someone wanted. Undefined where it isn't.
 * A file that moves is one gone and one new.
 */
export async function massDeletion(
  before: string,
  changes: readonly Change[],
  court: Court,
): Promise<{ gone: number; of: number } | undefined> {
  const removed = changes.filter((change) => change.newMode === modes.absent).length;
  const gone = removed - changes.filter((change) => change.oldMode === modes.absent).length;
  if (gone < few) return undefined;
  const of = await countFiles(before, court);
  return gone * 2 > of ? { gone, of } : undefined;
}

async function countFiles(tree: string, { git, quarantine }: Court): Promise<number> {
  const args = ["ls-tree", "-r", "-z", "--full-tree", "--name-only", tree];
  const listing = await git.stream(args, quarantine.options);
  listing.stdin.end();
  let count = 0;
  for await (const batch of fields(listing.stdout)) count += batch.length;
  const { code, stderr } = await listing.exit;
  if (code !== 0) throw gitError(args, { code, stderr });
  return count;
}
