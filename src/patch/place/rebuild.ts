import type { Context } from "../context.ts";
import { CommitWriter } from "./commit-writer.ts";
import { committerIdent, unsignedNotices } from "./identity.ts";
import { type Merge, Merges } from "./merges.ts";
import type { Quarantine } from "../quarantine.ts";
import type { PullRequest } from "../request.ts";
import type { SeriesItem } from "../series/series.ts";
import { fitting } from "../shape/encoding.ts";

/** What of a commit it takes to rebuild it: of the sandbox's, and of one that was rebuilt before. */
export interface Pickable extends Pick<SeriesItem, "commit" | "parents" | "tree" | "raw" | "subject"> {
  /** Nothing is left of it, so that it is the commit before. */
  readonly isDropped?: boolean;
}

/** A context of which only the progress is asked for. */
export type RebuildContext = Context & { readonly request: Pick<PullRequest, "progress"> };

/** A series on top of another commit than the one it was made on. */
export interface Rebuilt {
  readonly tip: string;
  /** For each commit of the series the one that it became; the one before where nothing was left of it. */
  readonly commits: readonly string[];
  readonly notices: readonly string[];
}

/** The first commit that doesn't fit, and the paths where both sides changed the same. */
export interface Conflict {
  readonly item: Pickable;
  readonly paths: readonly string[];
  /** What the merge would leave in the working tree, markers included. */
  readonly tree: string;
  /** What came before it, which fits: as in Rebuilt. */
  readonly tip: string;
  readonly commits: readonly string[];
}

/**
 * Rebuilds each commit of a series on `onto` by a three-way merge of trees, as a cherry-pick would, renames followed; in the
 * quarantine, where the series' own commits are. The author and the message stay, the committer is the user.
 * @throws FerryError attention where git doesn't know who the user is, or their name can't go into a commit
 */
export async function rebuild(
  series: { readonly items: readonly Pickable[] },
  place: { onto: string; quarantine: Quarantine },
  context: RebuildContext,
): Promise<Rebuilt | Conflict> {
  const committer = await committerIdent(context);
  const builder = await Builder.open(context, place.quarantine, committer);
  try {
    const rebuilt = await rebuildAll(series.items, { onto: place.onto, builder, context });
    if ("paths" in rebuilt) return rebuilt;
    return { ...rebuilt, notices: await unsignedNotices(context) };
  } finally {
    await builder.close();
  }
}

async function rebuildAll(
  items: readonly Pickable[],
  { onto, builder, context }: { onto: string; builder: Builder; context: RebuildContext },
): Promise<Omit<Rebuilt, "notices"> | Conflict> {
  const commits: string[] = [];
  const trees = new Map(items.map(({ commit, tree }) => [commit, tree]));
  let tip = onto;
  let tree = await builder.treeOf(onto);
  for (const item of items) {
    context.host.interrupt.throwIfAborted();
    if (item.isDropped === true) {
      commits.push(tip);
      continue;
    }
    const merged = await builder.merge(item, tree, commits.length === items.length - 1);
    if (!merged.isClean) return { item, paths: merged.paths, tree: merged.tree, tip, commits };
    const before = item.parents[0] ?? "";
    // Nothing is left of it: what it did is here already. One that was empty from the start is kept.
    const isSpent = merged.tree === tree && item.tree !== (trees.get(before) ?? (await builder.treeOf(before)));
    if (!isSpent) tip = await builder.commit(item, { tree: merged.tree, parent: tip });
    tree = merged.tree;
    commits.push(tip);
    context.request.progress?.({ stage: "rebuild", done: commits.length, total: items.length });
  }
  return { tip, commits };
}

/** A few gits for a series of any length: a process for each step of each commit would be most of the time. */
class Builder {
  private readonly context: RebuildContext;
  private readonly quarantine: Quarantine;
  private readonly committer: string;
  private readonly merges: Merges;
  private readonly writer: CommitWriter;

  private constructor(
    context: RebuildContext,
    of: { quarantine: Quarantine; committer: string; merges: Merges; writer: CommitWriter },
  ) {
    this.context = context;
    this.quarantine = of.quarantine;
    this.committer = of.committer;
    this.merges = of.merges;
    this.writer = of.writer;
  }

  static async open(context: RebuildContext, quarantine: Quarantine, committer: string): Promise<Builder> {
    const { git, host } = context;
    const writer = await CommitWriter.open(git, quarantine, host.interrupt);
    const merges = await Merges.open(git, quarantine, host.interrupt);
    return new Builder(context, { quarantine, committer, merges, writer });
  }

  /**
   * What a commit does, done to a tree. git-merge-tree(1) takes the merge base from history, and a given one only since git 2.40: so
   * our side is a commit with that tree whose parent is the other side's parent.
   */
  async merge(item: Pickable, tree: string, isLast: boolean): Promise<Merge> {
    const [base = ""] = item.parents;
    const nobody = "ferry <ferry@localhost> 1767225600 +0000";
    const content = `tree ${tree}\nparent ${base}\nauthor ${nobody}\ncommitter ${nobody}\n\nours\n`;
    return this.merges.merge(await this.writer.write(Buffer.from(content)), item.commit, isLast);
  }

  commit(item: Pickable, { tree, parent }: { tree: string; parent: string }): Promise<string> {
    return this.writer.write(rebuiltContent(item, { tree, parents: [parent], committer: this.committer }));
  }

  async treeOf(commit: string): Promise<string> {
    const args = ["rev-parse", "--verify", "--quiet", `${commit}^{tree}`];
    return (await this.context.git.ok(args, this.quarantine.options)).toString("latin1").trim();
  }

  async close(): Promise<void> {
    await this.merges.close();
    await this.writer.close();
  }
}

/**
 * A commit object with another tree, other parents and committer: the author's line and the message are taken byte for byte, in their
 * encoding unless the committer's name can't be in it.
 * @throws FerryError attention as fitting does
 */
export function rebuiltContent(
  item: Pick<Pickable, "raw">,
  to: { tree: string; parents: readonly string[]; committer: string },
): Buffer {
  const raw = fitting(item.raw, [to.committer]).toString("latin1");
  const end = raw.indexOf("\n\n");
  const header = raw.slice(0, end).split("\n");
  const kept = (name: string) => header.filter((line) => line.startsWith(`${name} `));
  const parents = to.parents.map((parent) => `parent ${parent}`);
  const lines = [`tree ${to.tree}`, ...parents, ...kept("author"), `committer ${to.committer}`, ...kept("encoding")];
  return Buffer.from(`${lines.join("\n")}\n\n${raw.slice(end + 2)}`, "latin1");
}
