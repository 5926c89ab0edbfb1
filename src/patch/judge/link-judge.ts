import type { Git } from "../../git/git.ts";
import { ObjectReader } from "../../git/objects.ts";
import type { GitPath } from "../../git/path.ts";
import { type Change, fields, modes } from "../../git/records.ts";
import { gitError } from "../../git/runner.ts";
import type { Quarantine } from "../quarantine.ts";
import type { Court } from "./court.ts";
import { badLink } from "./links.ts";

const maxTarget = 4096;

/**
 * Follows the links of the tree from commit to commit. Where a commit changes any link, all links are resolved anew: an unchanged
 * one may now lead somewhere else through a changed one. What the base's own links do is the user's affair, while it stays the same.
 */
export class LinkJudge {
  private readonly base: string | undefined;
  private readonly court: Court;
  private links: Map<GitPath, string> | undefined;
  private allowed = new Set<string>();

  constructor(base: string | undefined, court: Court) {
    this.base = base;
    this.court = court;
  }

  /** Takes the changes of the next commit; gives the first link that now leads where it may not. */
  async judge(changes: readonly Change[]): Promise<{ path: GitPath; reason: string } | undefined> {
    const touched = changes.filter((change) => change.oldMode === modes.link || change.newMode === modes.link);
    if (touched.length === 0) return undefined;
    this.links ??= await this.baseLinks();
    for (const change of touched) if (change.newMode !== modes.link) this.links.delete(change.path);
    const targets = await readTargets(
      this.court,
      touched.filter((change) => change.newMode === modes.link).map((change) => ({ path: change.path, id: change.newId })),
    );
    for (const [path, target] of targets) this.links.set(path, target);
    const found = this.wrong(this.links).find(({ path, reason }) => !this.allowed.has(`${path}\0${reason}`));
    return found;
  }

  private async baseLinks(): Promise<Map<GitPath, string>> {
    const { git, quarantine } = this.court;
    const entries = this.base === undefined ? [] : await linkEntries(git, quarantine, this.base);
    const links = await readTargets(this.court, entries);
    this.allowed = new Set(this.wrong(links).map(({ path, reason }) => `${path}\0${reason}`));
    return links;
  }

  private wrong(links: ReadonlyMap<GitPath, string>): { path: GitPath; reason: string }[] {
    return [...links.keys()].flatMap((path) => {
      const reason = badLink(path, links, this.court.platform);
      return reason === undefined ? [] : [{ path, reason }];
    });
  }
}

interface LinkEntry {
  readonly path: GitPath;
  readonly id: string;
}

async function linkEntries(git: Git, quarantine: Quarantine, commit: string): Promise<LinkEntry[]> {
  const args = ["ls-tree", "-r", "-z", "--full-tree", commit];
  const listing = await git.stream(args, quarantine.options);
  listing.stdin.end();
  const entries: LinkEntry[] = [];
  for await (const batch of fields(listing.stdout))
    for (const entry of batch)
      if (entry.startsWith(modes.link)) {
        const tab = entry.indexOf("\t");
        entries.push({ path: entry.slice(tab + 1), id: entry.slice(0, tab).split(" ")[2] ?? "" });
      }
  const { code, stderr } = await listing.exit;
  if (code !== 0) throw gitError(args, { code, stderr });
  return entries;
}

async function readTargets({ git, quarantine }: Court, entries: readonly LinkEntry[]): Promise<Map<GitPath, string>> {
  const targets = new Map<GitPath, string>();
  if (entries.length === 0) return targets;
  const objects = await ObjectReader.open(git, quarantine.options);
  for (const { path, id } of entries) targets.set(path, (await objects.read(id, maxTarget))?.content.toString("latin1") ?? "");
  await objects.close();
  return targets;
}
