import { FerryError } from "../../base/errors.ts";
import { type GitPath, pathBytes, showPath } from "../../git/path.ts";
import type { Change } from "../../git/records.ts";
import type { PullContext } from "../context.ts";
import { commitLines } from "../engine/import.ts";
import { commitChanges } from "../judge/history.ts";
import type { Quarantine } from "../quarantine.ts";
import { coalesce } from "../series/bytes.ts";
import type { Series } from "../series/series.ts";
import { changesBetween, treeOf, type Trees } from "../uncommitted/trees.ts";

/** A series without what it does to some paths: those are as they were before it all along. */
export interface Filtered {
  /** For each commit its tree, and whether there was something in it of which nothing is left. */
  readonly commits: readonly { readonly tree: string; readonly isDropped: boolean }[];
  /** The paths that it would have changed. */
  readonly left: readonly GitPath[];
}

/**
 * What git's pathspecs name is left out of each commit, whether the commit adds, changes or removes it; a file that it moves there is
 * only removed where it was. Undefined where they name nothing that the series does.
 * @throws FerryError attention for merges, and where something that stays needs the place of what is left out
 */
export async function withoutPaths(
  series: Series,
  pathspecs: readonly string[],
  { quarantine, context }: { readonly quarantine: Quarantine; readonly context: PullContext },
): Promise<Filtered | undefined> {
  const { git, host } = context;
  if (series.unmailable !== undefined) throw mergesError(series.unmailable);
  const left = new Set<GitPath>();
  const dropped: boolean[] = [];
  const commits = series.items.map(({ commit }) => commit);
  async function* stream(): AsyncGenerator<Uint8Array> {
    const named = commitChanges(git, { quarantine, commits, pathspecs });
    for await (const { changes } of commitChanges(git, { quarantine, commits })) {
      const next = await named.next();
      const out = new Set(next.done === true ? [] : next.value.changes.map(({ path }) => path));
      for (const path of out) left.add(path);
      const kept = changes.filter(({ path }) => !out.has(path));
      const from = dropped.length === 0 ? series.base : undefined;
      dropped.push(changes.length > 0 && kept.length === 0);
      yield pathBytes(commitLines(from, kept, branch));
    }
    await named.next();
    yield Buffer.from("done\n");
  }
  const config = { "fastimport.unpackLimit": "1", "core.fsync": "none" };
  const args = ["fast-import", "--quiet", "--done"];
  await git.ok(args, { ...quarantine.options, config, signal: host.interrupt, input: coalesce(stream()) });
  if (left.size === 0) return undefined;
  const trees = await treesOf(series.base, { git, quarantine });
  if (series.base !== undefined) await requireUntouched(series.base, { trees, pathspecs }, { git, quarantine });
  return { commits: commits.map((_, at) => ({ tree: trees[at] ?? "", isDropped: dropped[at] === true })), left: [...left] };
}

const branch = "refs/heads/filtered";

async function treesOf(base: string | undefined, { git, quarantine }: Trees): Promise<string[]> {
  const range = base === undefined ? [branch] : [branch, `^${base}`];
  const args = ["rev-list", "--reverse", "--topo-order", "--no-commit-header", "--format=%T", ...range, "--"];
  return (await git.ok(args, quarantine.options)).toString("latin1").trim().split("\n");
}

/** A file can't be where a folder is: what stays would take away what is left out. */
async function requireUntouched(
  base: string,
  { trees, pathspecs }: { readonly trees: readonly string[]; readonly pathspecs: readonly string[] },
  { git, quarantine }: Trees,
): Promise<void> {
  const before = await treeOf(base, { git, quarantine });
  const input = [...new Set(trees)].map((tree) => `${before} ${tree}\n`).join("");
  const args = ["diff-tree", "--stdin", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--", ...pathspecs];
  const fields = (await git.ok(args, { ...quarantine.options, input })).toString("latin1").split("\0");
  // git names the two trees in front of what differs, or alone.
  const at = fields.findIndex((field) => /^([0-9a-f]+ [0-9a-f]+\n)*:/u.test(field));
  if (at >= 0) throw placeTaken(fields[at + 1] ?? "");
}

/** Changes to a tree without those of some paths; gives the ones that stay, and the paths that are left out. */
export async function keptChanges(
  [from, to]: readonly [string, string],
  pathspecs: readonly string[],
  trees: Trees,
): Promise<{ readonly kept: readonly Change[]; readonly left: readonly GitPath[] }> {
  const left = (await changesBetween(from, to, trees, pathspecs)).map(({ path }) => path);
  const out = new Set(left);
  return { kept: (await changesBetween(from, to, trees)).filter(({ path }) => !out.has(path)), left };
}

export function placeTaken(path: GitPath): FerryError {
  return new FerryError("attention", `${showPath(path)} can't be left out: something that isn't takes its place`, {
    hint: "nothing was changed; leave out what takes its place, too",
  });
}

function mergesError(why: string): FerryError {
  return new FerryError("attention", `${why}, and nothing can be left out of them`, {
    code: "merges",
    hint: "pull without --exclude, to a branch of its own (--branch NAME), and take from that what you want",
  });
}
