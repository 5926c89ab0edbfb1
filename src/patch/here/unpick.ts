import { type GitPath, pathBytes } from "../../git/path.ts";
import { modes } from "../../git/records.ts";
import { pickedTree } from "../conflict/pick.ts";
import { type Entry, indexInfo, withIndex } from "../land/compare.ts";
import { writeIndex } from "../land/locks.ts";
import { removalsFirst } from "../land/overlay.ts";
import type { WorkingCopy } from "../land/working-copy.ts";
import { changesBetween } from "../recovery/settle.ts";

/**
 * Takes a cherry-pick back that stands in a working copy whose HEAD is at `old`, but for the files: what it put into the index goes out
 * again, and not what someone has staged since. `index` is a copy of the index as it was before.
 */
export async function unpick(old: string | undefined, copy: WorkingCopy, index: string): Promise<void> {
  const { gitDir, workTree } = copy.repository;
  const picked = await pickedTree({ cwd: workTree, gitDir, workTree }, copy);
  if (picked === undefined) return writeIndex(copy, ["reset", "--quiet"]);
  const made = new Map((await changesBetween(copy, old, picked)).map((change) => [change.path, change]));
  const indexed = await readStages(copy);
  const isMade = (path: GitPath) => {
    const [change, entry] = [made.get(path), indexed.get(path)];
    if (entry === undefined) return change?.newMode === modes.absent;
    return entry.stage !== "0" || (entry.mode === change?.newMode && entry.id === change.newId);
  };
  const before = new Map(
    (await changesBetween(copy, undefined, old)).map(({ path, newMode, newId }) => [path, { mode: newMode, id: newId }]),
  );
  const nothing = { mode: modes.absent, id: "0".repeat(picked.length) };
  const entries = [...new Set([...made.keys(), ...indexed.keys()])]
    .filter(isMade)
    .map((path): Entry => ({ path, ...(before.get(path) ?? nothing) }));
  await writeIndex(copy, ["update-index", "-z", "--replace", "--index-info"], indexInfo(removalsFirst(entries)));
  await hideAgain(copy, index);
  await writeIndex(copy, ["cherry-pick", "--quit"]);
}

/** What git was told not to look at it is told again: an entry that is replaced has lost that. */
async function hideAgain(copy: WorkingCopy, before: string): Promise<void> {
  const [then, now] = [await readStages({ ...copy, index: before }), await readStages(copy)];
  for (const [option, tag] of [
    ["--skip-worktree", /^[sS]$/u],
    ["--assume-unchanged", /^[a-z]$/u],
  ] as const) {
    const isLost = (path: GitPath, was: Staged) => {
      const is = now.get(path);
      return tag.test(was.tag) && is !== undefined && !tag.test(is.tag) && is.id === was.id && is.stage === "0";
    };
    const lost = [...then].flatMap(([path, was]) => (isLost(path, was) ? [path] : []));
    if (lost.length > 0)
      await writeIndex(copy, ["update-index", "-z", option, "--stdin"], pathBytes(lost.map((path) => `${path}\0`).join("")));
  }
}

interface Staged {
  /** As of `ls-files -v`: S is skip-worktree, a small letter assume-unchanged. */
  readonly tag: string;
  readonly mode: string;
  readonly id: string;
  readonly stage: string;
}

async function readStages({ git, repository, index }: WorkingCopy): Promise<Map<GitPath, Staged>> {
  const { gitDir, workTree } = repository;
  const place = index === undefined ? { cwd: workTree, gitDir, workTree } : withIndex(repository, index);
  const lines = (await git.ok(["ls-files", "-z", "-v", "--stage"], place)).toString("latin1").split("\0");
  return new Map(
    lines.flatMap((line) => {
      const tab = line.indexOf("\t");
      const [tag = "", mode = "", id = "", stage = ""] = line.slice(0, Math.max(0, tab)).split(" ");
      return tab < 0 ? [] : [[line.slice(tab + 1), { tag, mode, id, stage }] as const];
    }),
  );
}
