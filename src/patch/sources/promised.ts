import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Repository } from "../../git/discover.ts";
import { fetchInto } from "../../git/fetch.ts";
import type { GitPath } from "../../git/path.ts";
import { type Change, modes, readChanges } from "../../git/records.ts";
import { refuseKilled } from "../../git/runner.ts";
import type { Context } from "../context.ts";
import type { Quarantine } from "../quarantine.ts";
import { reachingOf } from "./reaching.ts";

/** What of some commits' trees will be read. */
export interface Need {
  /** The first is what the others, if any, are compared with: what was added and taken away there shows renames. */
  readonly commits: readonly string[];
  readonly paths: ReadonlySet<GitPath>;
}

/** Whether git leaves objects of this repository on a remote until they are needed (git-clone(1), --filter). */
export async function isPartial({ repository }: { readonly repository: Pick<Repository, "commonDir"> }): Promise<boolean> {
  const names = await readdir(join(repository.commonDir, "objects", "pack")).catch(missing);
  return names.some((name) => name.endsWith(".promisor"));
}

/**
 * Of a partial clone: fetches what is needed and isn't here from the remote that promised it, the folders in one go and the contents
 * in another, into the quarantine, where nothing is fetched by itself.
 * @throws FerryError unavailable where that remote can't be reached
 */
export async function fetchPromised(need: Need, quarantine: Quarantine, context: Context): Promise<void> {
  if (need.commits.length === 0 || !(await isPartial(context))) return;
  const fetchAll = await promisor(quarantine, context);
  if (fetchAll === undefined) return;
  const trees = (await Promise.all(need.commits.map((commit) => missingTree(commit, quarantine, context)))).filter(
    (tree) => tree !== undefined,
  );
  await fetchAll(trees);
  const wanted = await blobsOf(need, quarantine, context);
  await fetchAll(await missingOf(wanted, quarantine, context));
}

/** Fetches objects by their ids; undefined where no remote promised any. */
async function promisor(
  quarantine: Quarantine,
  context: Context,
): Promise<((ids: readonly string[]) => Promise<void>) | undefined> {
  const { git, repository } = context;
  const args = ["config", "--null", "--get-regexp", "^(extensions\\.partialclone|remote\\..*\\.promisor)$"];
  const entries = (await git.run(args, { cwd: repository.gitDir })).stdout.toString("utf8").split("\0").filter(Boolean);
  const [remote] = entries.flatMap((entry) => {
    const [key = "", value = ""] = entry.split("\n");
    return key.startsWith("extensions.") ? [value] : value === "false" ? [] : [key.slice("remote.".length, -".promisor".length)];
  });
  if (remote === undefined) return undefined;
  const store = { objects: join(quarantine.gitDir, "objects") };
  return async (wants) => {
    if (wants.length > 0) await fetchInto(store, reachingOf(context), { remote, wants, filter: "blob:none", isBlunt: true });
  };
}

/** The commit's tree, where not all of its folders are here. */
async function missingTree(commit: string, { options }: Quarantine, { git }: Context): Promise<string | undefined> {
  const args = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", commit];
  const listing = await git.stream(args, options);
  listing.stdin.end();
  listing.stdout.resume();
  const exit = await listing.exit;
  refuseKilled(args, exit);
  if (exit.code === 0) return undefined;
  const content = (await git.ok(["cat-file", "commit", commit], options)).toString("latin1");
  return /^tree ([0-9a-f]+)$/mu.exec(content)?.[1];
}

/** Of the paths, of all links, and of what was added or taken away between the commits. */
async function blobsOf({ commits, paths }: Need, { options }: Quarantine, { git }: Context): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (const commit of commits) {
    const listing = await git.ok(["ls-tree", "-r", "-z", "--full-tree", commit], options);
    for (const entry of listing.toString("latin1").split("\0")) {
      const tab = entry.indexOf("\t");
      const [mode, type, id = ""] = entry.slice(0, tab).split(" ");
      if (type === "blob" && (mode === modes.link || paths.has(entry.slice(tab + 1)))) ids.add(id);
    }
  }
  const [base, ...others] = commits;
  for (const other of others) {
    const args = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", base ?? "", other];
    for (const id of readChanges(await git.ok(args, options)).flatMap(movedIds)) ids.add(id);
  }
  return ids;
}

function movedIds({ status, oldId, newId, oldMode, newMode }: Change): string[] {
  if (status === "A") return newMode === modes.gitlink ? [] : [newId];
  return status === "D" && oldMode !== modes.gitlink ? [oldId] : [];
}

async function missingOf(ids: ReadonlySet<string>, { options }: Quarantine, { git }: Context): Promise<string[]> {
  if (ids.size === 0) return [];
  const input = [...ids].map((id) => `${id}\n`).join("");
  const lines = (await git.ok(["cat-file", "--batch-check"], { ...options, input })).toString("latin1").split("\n");
  return lines.filter((line) => line.endsWith(" missing")).map((line) => line.split(" ")[0] ?? "");
}

function missing(error: NodeJS.ErrnoException): string[] {
  if (error.code !== "ENOENT") throw error;
  return [];
}
