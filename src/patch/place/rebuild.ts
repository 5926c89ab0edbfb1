import type { Context } from "../context.ts";
import { committerIdent, wantsSignatures } from "./identity.ts";
import type { Quarantine } from "../quarantine.ts";
import type { PullRequest } from "../request.ts";
import type { SeriesItem } from "../series/series.ts";

/** What of a commit it takes to rebuild it: of the sandbox's, and of one that was rebuilt before. */
export type Pickable = Pick<SeriesItem, "commit" | "parents" | "tree" | "raw" | "subject">;

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
 * @throws FerryError attention where git doesn't know who the user is
 */
export async function rebuild(
  series: { readonly items: readonly Pickable[] },
  place: { onto: string; quarantine: Quarantine },
  context: RebuildContext,
): Promise<Rebuilt | Conflict> {
  const committer = await committerIdent(context);
  const builder = new Builder(context, place.quarantine, committer);
  const commits: string[] = [];
  let tip = place.onto;
  for (const item of series.items) {
    context.host.interrupt.throwIfAborted();
    const merged = await builder.merge(item, tip);
    if ("paths" in merged) return { ...merged, item, tip, commits };
    // Nothing is left of it: what it did is here already. One that was empty from the start is kept.
    const isSpent = merged.tree === (await builder.treeOf(tip)) && item.tree !== (await builder.treeOf(item.parents[0] ?? ""));
    if (!isSpent) tip = await builder.commit(item, { tree: merged.tree, parent: tip });
    commits.push(tip);
    context.request.progress?.({ stage: "rebuild", done: commits.length, total: series.items.length });
  }
  const unsigned = (await wantsSignatures(context)) ? ["the rebuilt commits aren't signed, though commit.gpgSign is set"] : [];
  return { tip, commits, notices: unsigned };
}

class Builder {
  private readonly context: RebuildContext;
  private readonly quarantine: Quarantine;
  private readonly committer: string;

  constructor(context: RebuildContext, quarantine: Quarantine, committer: string) {
    this.context = context;
    this.quarantine = quarantine;
    this.committer = committer;
  }

  /**
   * git-merge-tree(1) takes the merge base from history, and a given one only since git 2.40: so our side is a commit with the
   * tip's tree whose parent is the other side's parent.
   */
  async merge(item: Pickable, tip: string): Promise<{ tree: string } | { tree: string; paths: string[] }> {
    const [base = ""] = item.parents;
    const ours = await this.ask(["commit-tree", "-p", base, "-m", "ours", `${tip}^{tree}`]);
    const args = ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours, item.commit];
    const config = { "merge.directoryRenames": "conflict" };
    const { git } = this.context;
    const result = await git.run(args, { ...this.quarantine.options, config });
    const [tree = "", ...paths] = result.stdout.toString("latin1").split("\0");
    if (result.code === 0) return { tree };
    if (result.code === 1) return { tree, paths: [...new Set(paths.filter((path) => path !== ""))] };
    await git.ok(args, { ...this.quarantine.options, config });
    return { tree };
  }

  async commit(item: Pickable, { tree, parent }: { tree: string; parent: string }): Promise<string> {
    const content = rebuiltContent(item, { tree, parent, committer: this.committer });
    return this.ask(["hash-object", "-t", "commit", "-w", "--stdin"], content);
  }

  treeOf(commit: string): Promise<string> {
    return this.ask(["rev-parse", "--verify", "--quiet", `${commit}^{tree}`]);
  }

  private async ask(args: readonly string[], input?: Uint8Array): Promise<string> {
    return (await this.context.git.ok(args, { ...this.quarantine.options, input })).toString("latin1").trim();
  }
}

/** A commit object with another tree, parent and committer: the author's line and the message are taken byte for byte. */
export function rebuiltContent(item: Pickable, to: { tree: string; parent: string; committer: string }): Buffer {
  const raw = item.raw.toString("latin1");
  const end = raw.indexOf("\n\n");
  const header = raw.slice(0, end).split("\n");
  const kept = (name: string) => header.filter((line) => line.startsWith(`${name} `));
  const lines = [`tree ${to.tree}`, `parent ${to.parent}`, ...kept("author"), `committer ${to.committer}`, ...kept("encoding")];
  return Buffer.from(`${lines.join("\n")}\n\n${raw.slice(end + 2)}`, "latin1");
}
