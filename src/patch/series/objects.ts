import type { Git, GitStreamOptions } from "../../git/git.ts";
import { ObjectReader } from "../../git/objects.ts";
import { commitChanges } from "../judge/history.ts";
import type { Quarantine } from "../quarantine.ts";
import { caps, lie, readHeader, type Series, type SeriesItem } from "./series.ts";
import { subjectOf } from "./subject.ts";

/** A stretch of history whose objects are in a quarantine; base undefined for a root. */
export interface Range {
  readonly base: string | undefined;
  readonly tip: string;
}

/** The series that a stretch of history is, read from its objects. @throws FerryError failure for one that is no work but an attack */
export async function seriesOf({ base, tip }: Range, git: Git, quarantine: Quarantine): Promise<Series> {
  const { options } = quarantine;
  const range = base === undefined ? [tip] : [tip, `^${base}`];
  const listing = await git.ok(
    ["rev-list", "--reverse", "--topo-order", `--max-count=${caps.patches + 1}`, ...range, "--"],
    options,
  );
  const commits = listing.toString("latin1").split("\n").filter(Boolean);
  if (commits.length > caps.patches) throw lie(`a series of more than ${caps.patches} commits`);
  const paths = await pathsOf(commits, git, quarantine);
  const items = await readItems(commits, paths, { git, options });
  const isChain = items.every(({ parents }, at) => parents.join(" ") === (items[at - 1]?.commit ?? base ?? ""));
  return { base, tip, items, unmailable: isChain ? undefined : "the series has merges" };
}

async function pathsOf(commits: readonly string[], git: Git, quarantine: Quarantine): Promise<Map<string, string[]>> {
  const paths = new Map<string, string[]>();
  let total = 0;
  if (commits.length === 0) return paths;
  for await (const { commit, changes } of commitChanges(git, { quarantine, commits })) {
    total += changes.length;
    if (total > caps.paths) throw lie(`a series that changes paths more than ${caps.paths} times`);
    paths.set(commit, [...new Set(changes.map(({ path }) => path))]);
  }
  return paths;
}

async function readItems(
  commits: readonly string[],
  paths: ReadonlyMap<string, string[]>,
  { git, options }: { git: Git; options: GitStreamOptions },
): Promise<SeriesItem[]> {
  if (commits.length === 0) return [];
  const reader = await ObjectReader.open(git, options);
  const items: SeriesItem[] = [];
  for (const [at, commit] of commits.entries()) {
    const raw = (await reader.read(commit, caps.commitBytes))?.content ?? Buffer.alloc(0);
    const { tree = "", parents } = readHeader(raw);
    const subject = subjectOf(raw);
    const mail = { bytes: 0, sha256: "", diffOffset: 0 };
    items.push({ sequence: at + 1, commit, parents, tree, raw, subject, paths: paths.get(commit) ?? [], changes: [], ...mail });
  }
  await reader.close();
  return items;
}
