import { pathBytes } from "../../git/path.ts";
import { type Change, fields, modes, RawReader } from "../../git/records.ts";
import { gitError } from "../../git/runner.ts";
import { lie, type Series } from "../series/series.ts";
import type { Workshop } from "./engine.ts";

const branch = "refs/heads/graft";

/**
 * Takes the diffs of the commits after `mini` onto the series' real base and compares the tree of each with the one that the
 * sandbox's commit names: the same tree is the same content, whatever way it came.
 * @throws FerryError failure naming the first commit whose tree differs
 */
export async function graft(series: Series, mini: string, workshop: Workshop): Promise<void> {
  const changes = await changesAfter(mini, workshop);
  if (changes.length !== series.items.length) throw lie(`${changes.length} patches for ${series.items.length} commits`);
  const { git, quarantine } = workshop;
  const input = importStream(series.base, changes);
  await git.ok(["fast-import", "--quiet", "--done"], { ...quarantine.options, config: { "fastimport.unpackLimit": "1" }, input });
  const range = series.base === undefined ? [branch] : [branch, `^${series.base}`];
  const trees = await git.ok(["rev-list", "--reverse", "--no-commit-header", "--format=%T", ...range, "--"], quarantine.options);
  const lines = trees.toString("latin1").trim().split("\n");
  const wrong = series.items.find((item, at) => lines[at] !== item.tree);
  if (wrong !== undefined) throw lie("its patch makes another tree", wrong);
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

/** git-fast-import(1). Deletions go first, so that a file can become a folder within one commit. */
function* importLines(base: string | undefined, changes: readonly (readonly Change[])[]): Generator<string> {
  for (const [at, commit] of changes.entries()) {
    yield `commit ${branch}\ncommitter ferry <ferry@localhost> 1767225600 +0000\ndata 0\n`;
    if (at === 0 && base !== undefined) yield `from ${base}\n`;
    for (const { path, newMode } of commit) if (newMode === modes.absent) yield `D ${quote(path)}\n`;
    for (const { path, newMode, newId } of commit) if (newMode !== modes.absent) yield `M ${newMode} ${newId} ${quote(path)}\n`;
    yield "\n";
  }
  yield "done\n";
}

async function* importStream(base: string | undefined, changes: readonly (readonly Change[])[]): AsyncGenerator<Uint8Array> {
  let text = "";
  for (const line of importLines(base, changes)) {
    text += line;
    if (text.length < 65_536) continue;
    yield pathBytes(text);
    text = "";
  }
  yield await Promise.resolve(pathBytes(text));
}

function quote(path: string): string {
  return `"${path.replace(/[\\"]/gu, "\\$&").replaceAll("\n", "\\n")}"`;
}
