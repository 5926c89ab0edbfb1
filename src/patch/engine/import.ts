import { type Change, modes } from "../../git/records.ts";
import { lie, type Series } from "../series/series.ts";
import { coalesce } from "../series/bytes.ts";
import type { Workshop } from "./engine.ts";

const branch = "refs/heads/graft";

/**
 * Makes a chain of commits on the series' base with one `git fast-import`, and compares the tree of each with the one that the
 * sandbox's commit names: the same tree is the same content, whatever way it came. The commits themselves are only a step.
 * @throws FerryError failure naming the first commit whose tree differs
 */
export async function importTrees(
  stream: AsyncIterable<Uint8Array>,
  { base, items }: Series,
  { git, quarantine, signal }: Workshop,
): Promise<void> {
  const config = { "fastimport.unpackLimit": "1", "core.fsync": "none" };
  const input = coalesce(withEnd(stream));
  const args = ["fast-import", "--quiet", "--done"];
  await git.ok(args, { ...quarantine.options, config, signal, input });
  const range = base === undefined ? [branch] : [branch, `^${base}`];
  const trees = await git.ok(["rev-list", "--reverse", "--no-commit-header", "--format=%T", ...range, "--"], quarantine.options);
  const lines = trees.toString("latin1").trim().split("\n");
  const wrong = items.find((item, at) => lines[at] !== item.tree);
  if (wrong !== undefined) throw lie("its patch makes another tree", wrong);
}

/** Without its last word git takes a stream for one that was cut off. */
async function* withEnd(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* stream;
  yield Buffer.from("done\n");
}

/** What git-fast-import(1) reads of one commit, one character a byte; `from` only for the first. */
export function commitLines(from: string | undefined, changes: readonly Change[], on = branch): string {
  let text = `commit ${on}\ncommitter ferry <ferry@localhost> 1767225600 +0000\ndata 0\n`;
  if (from !== undefined) text += `from ${from}\n`;
  // Deletions go first, so that a file can become a folder within one commit.
  for (const { path, newMode } of changes) if (newMode === modes.absent) text += `D ${quote(path)}\n`;
  for (const { path, newMode, newId } of changes) if (newMode !== modes.absent) text += `M ${newMode} ${newId} ${quote(path)}\n`;
  return `${text}\n`;
}

function quote(path: string): string {
  return `"${path.replace(/[\\"]/gu, "\\$&").replaceAll("\n", "\\n")}"`;
}
