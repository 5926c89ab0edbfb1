import { pathBytes } from "../../git/path.ts";
import { type Change, fields, RawReader } from "../../git/records.ts";
import { gitError } from "../../git/runner.ts";
import { lie, type Series } from "../series/series.ts";
import type { Workshop } from "./engine.ts";
import { commitLines, importTrees } from "./import.ts";

/**
 * Takes the diffs of the commits after `mini` onto the series' real base and compares the tree of each with the one that the
 * sandbox's commit names: the same tree is the same content, whatever way it came.
 * @throws FerryError failure naming the first commit whose tree differs
 */
export async function graft(series: Series, mini: string, workshop: Workshop): Promise<void> {
  const changes = await changesAfter(mini, workshop);
  if (changes.length !== series.items.length) throw lie(`${changes.length} patches for ${series.items.length} commits`);
  const wrong = series.items.find((item, at) => !agree(item.changes, changes[at] ?? []));
  if (wrong !== undefined) throw lie("it changes something else than the manifest says", wrong);
  await importTrees(importStream(series.base, changes), series, workshop);
}

/** The changes of each commit, oldest first. */
async function changesAfter(mini: string, { git, quarantine }: Workshop): Promise<Change[][]> {
  const commits = await git.ok(["rev-list", "--reverse", `${mini}..HEAD`], quarantine.options);
  const args = ["diff-tree", "--stdin", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--always"];
  const listing = await git.stream(args, quarantine.options);
  listing.stdin.end(commits);
  const all: Change[][] = [];
  const reader = new RawReader();
  for await (const batch of fields(listing.stdout))
    for (const field of batch) {
      const before = reader.commit;
      const change = reader.take(field);
      if (change !== undefined) all.at(-1)?.push(change);
      else if (reader.commit !== before) all.push([]);
    }
  const { code, stderr } = await listing.exit;
  if (code !== 0) throw gitError(args, { code, stderr });
  return all;
}

/** Ids may be said shortened: the tree tells what they are. */
function agree(said: readonly Change[], done: readonly Change[]): boolean {
  const left = new Map(said.map((change) => [change.path, change]));
  const isSaid = ({ path, oldMode, newMode, oldId, newId }: Change) => {
    const change = left.get(path);
    return (
      change?.oldMode === oldMode &&
      change.newMode === newMode &&
      oldId.startsWith(change.oldId) &&
      newId.startsWith(change.newId)
    );
  };
  return said.length === done.length && done.every(isSaid);
}

async function* importStream(base: string | undefined, changes: readonly (readonly Change[])[]): AsyncGenerator<Uint8Array> {
  for (const [at, commit] of changes.entries())
    yield await Promise.resolve(pathBytes(commitLines(at === 0 ? base : undefined, commit)));
}
