import type { Git } from "../../git/git.ts";
import { ObjectReader } from "../../git/objects.ts";
import type { GitPath } from "../../git/path.ts";
import { fields, modes } from "../../git/records.ts";
import { gitError } from "../../git/runner.ts";
import type { Quarantine } from "../quarantine.ts";
import type { Court } from "./court.ts";
import type { CommitChanges } from "./history.ts";
import { badLink, type Escape, outOfRepository } from "./links.ts";
import { leadsIntoGit } from "./outside.ts";

const maxTarget = 4096;

/**
 * Where a commit changes any link, all links of its tree are resolved: an unchanged one may now lead somewhere else through a
 * changed one. What the base's own links do is the user's affair, while they lead to the same place.
 */
export class LinkJudge {
  private readonly base: string | undefined;
  private readonly court: Court;
  private allowed: ReadonlySet<string> | undefined;
  private readonly outside = new Map<GitPath, WrongLink>();

  constructor(base: string | undefined, court: Court) {
    this.base = base;
    this.court = court;
  }

  /** Gives the first link that leads where it may not since this commit, one that leaves the repository where the court allows none. */
  async judge({ commit, changes }: CommitChanges): Promise<WrongLink | undefined> {
    if (!changes.some((change) => change.oldMode === modes.link || change.newMode === modes.link)) return undefined;
    const allowed = (this.allowed ??= new Set((this.base === undefined ? [] : await this.wrongLinks(this.base)).map(keyOf)));
    for (const link of await this.wrongLinks(commit)) {
      if (allowed.has(keyOf(link))) continue;
      const reason = await this.reasonAgainst(link);
      if (reason !== undefined) return { ...link, reason };
      this.outside.set(link.path, link);
    }
    return undefined;
  }

  /** Those that leave the repository since its base, and were let through. */
  passed(): readonly WrongLink[] {
    return [...this.outside.values()];
  }

  private async reasonAgainst({ reason, place }: WrongLink): Promise<string | undefined> {
    const { outside } = this.court;
    if (reason !== outOfRepository || outside === undefined) return reason;
    return (await leadsIntoGit(place, outside)) ? "leads out of the repository and into a .git" : undefined;
  }

  private async wrongLinks(commit: string): Promise<WrongLink[]> {
    const { git, quarantine, platform } = this.court;
    const links = await readTargets(this.court, await linkEntries(git, quarantine, commit));
    return [...links.keys()].flatMap((path) => {
      const escape = badLink(path, links, platform);
      return escape === undefined ? [] : [{ path, ...escape }];
    });
  }
}

interface WrongLink extends Escape {
  readonly path: GitPath;
}

function keyOf({ path, reason, place }: WrongLink): string {
  return JSON.stringify([path, reason, place]);
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
