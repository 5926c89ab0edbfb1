import type { PullContext } from "../context.ts";
import { storeCommits } from "../engine/commits.ts";
import { type Pickable, rebuiltContent } from "../place/rebuild.ts";
import type { Quarantine } from "../quarantine.ts";
import { hashCommit, lie, type SeriesItem } from "../series/series.ts";

/** One commit of the sandbox's, with the tree that it is to have, and its content with author and message as they are to be. */
export interface Link {
  readonly item: SeriesItem;
  readonly raw: Buffer;
  readonly tree: string;
  /** Nothing is left of it: what follows it follows the one before. */
  readonly isDropped?: boolean;
}

/**
 * Writes commits that follow each other as the sandbox's do, merges too, by the user as committer. One in which nothing changes stays the sandbox's.
 * A signature, which could only be of what was, is left out.
 * @throws FerryError failure for a series in which a commit comes before its parent
 */
export async function writeChain(
  links: readonly Link[],
  { committer, quarantine }: { readonly committer: string; readonly quarantine: Quarantine },
  { git, host, repository }: PullContext,
): Promise<Pickable[]> {
  const { objectFormat } = repository;
  const own = new Set(links.map(({ item }) => item.commit));
  const became = new Map<string, string>();
  const items = links.map(({ item, raw, tree, isDropped = false }): Pickable => {
    const parents = item.parents.map((parent) => {
      const now = became.get(parent);
      if (now === undefined && own.has(parent)) throw lie("it comes before the commit that it follows", item);
      return now ?? parent;
    });
    const on = parents.filter((parent) => parent !== "");
    const isSame = raw === item.raw && tree === item.tree && on.join(" ") === item.parents.join(" ");
    const content = isSame ? raw : rebuiltContent({ raw }, { tree, parents: on, committer });
    const commit = isDropped ? (on[0] ?? "") : isSame ? item.commit : hashCommit(content, objectFormat);
    became.set(item.commit, commit);
    return { commit, parents: on, tree, raw: content, subject: item.subject, isDropped };
  });
  const made = items.filter(({ commit, isDropped = false }) => !isDropped && !own.has(commit));
  if (made.length > 0) await storeCommits(made, { git, quarantine, signal: host.interrupt });
  return items;
}
