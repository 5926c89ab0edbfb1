import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Git } from "../../git/git.ts";
import type { GitPath } from "../../git/path.ts";
import { type Change, fields, modes, readChanges } from "../../git/records.ts";
import { gitError } from "../../git/runner.ts";
import { type Entry, indexInfo } from "../land/compare.ts";
import { removalsFirst } from "../land/overlay.ts";
import type { Quarantine } from "../quarantine.ts";

/** Trees are compared, taken apart and put together in the quarantine. */
export interface Trees {
  readonly git: Git;
  readonly quarantine: Quarantine;
}

/** From one tree (or commit) to another, path by path; of all paths, or of those that git's pathspecs name. */
export async function changesBetween(
  one: string,
  other: string,
  { git, quarantine }: Trees,
  pathspecs: readonly string[] = [],
): Promise<Change[]> {
  const args = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", one, other, "--", ...pathspecs];
  return readChanges(await git.ok(args, quarantine.options));
}

/** What a tree has at these paths; of what it doesn't have there is an entry with the mode `absent`. */
export async function entriesAt(
  tree: string,
  paths: Iterable<GitPath>,
  { git, quarantine }: Trees,
): Promise<Map<GitPath, Entry>> {
  const none = "0".repeat(tree.length);
  const entries = new Map<GitPath, Entry>(
    [...paths].map((path): [GitPath, Entry] => [path, { path, mode: modes.absent, id: none }]),
  );
  if (entries.size === 0) return entries;
  const args = ["ls-tree", "-r", "-z", "--full-tree", tree];
  const listing = await git.stream(args, quarantine.options);
  listing.stdin.end();
  for await (const batch of fields(listing.stdout))
    for (const line of batch) {
      const path = line.slice(line.indexOf("\t") + 1);
      const [mode = "", , id = ""] = line.slice(0, line.indexOf("\t")).split(" ");
      if (entries.has(path)) entries.set(path, { path, mode, id });
    }
  const { code, stderr } = await listing.exit;
  if (code !== 0) throw gitError(args, { code, stderr });
  return entries;
}

/** The tree with other entries at some paths; gives its id. */
export async function treeWith(tree: string, entries: readonly Entry[], { git, quarantine }: Trees): Promise<string> {
  if (entries.length === 0) return tree;
  return inIndex(tree, { git, quarantine }, (options) =>
    git.ok(["update-index", "-z", "--replace", "--index-info"], { ...options, input: indexInfo(removalsFirst(entries)) }),
  );
}

/** The tree that an index of its own holds, after `work` has changed it from this one. */
export async function inIndex(
  tree: string,
  { git, quarantine }: Trees,
  work: (options: Quarantine["options"]) => Promise<unknown>,
): Promise<string> {
  const index = join(quarantine.folder, "tree-index");
  await rm(index, { force: true });
  const options = { ...quarantine.options, env: { ...quarantine.options.env, GIT_INDEX_FILE: index } };
  await git.ok(["read-tree", tree], options);
  await work(options);
  return (await git.ok(["write-tree"], options)).toString("latin1").trim();
}

export async function treeOf(commit: string, { git, quarantine }: Trees): Promise<string> {
  return (await git.ok(["rev-parse", "--verify", "--quiet", `${commit}^{tree}`], quarantine.options)).toString("latin1").trim();
}

export async function emptyTree({ git, quarantine }: Trees): Promise<string> {
  const args = ["hash-object", "-t", "tree", "-w", "--stdin"];
  return (await git.ok(args, { ...quarantine.options, input: "" })).toString("latin1").trim();
}

export function keyOf({ mode, id }: Entry): string {
  return mode === modes.absent ? "" : `${mode} ${id}`;
}
