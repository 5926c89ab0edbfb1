import type { GitPath } from "../../git/path.ts";
import { modes } from "../../git/records.ts";
import { pickedTree } from "../conflict/pick.ts";
import { type Entry, indexInfo } from "../land/compare.ts";
import { hideOutOfCone } from "../land/cone.ts";
import { writeIndex } from "../land/locks.ts";
import { removalsFirst } from "../land/overlay.ts";
import type { WorkingCopy } from "../land/working-copy.ts";
import { changesBetween } from "../recovery/settle.ts";

/**
 * Takes a cherry-pick back that stands in a working copy whose HEAD is at `old`, but for the files: what it put into the index goes out
 * again, and not what someone has staged since.
 */
export async function unpick(old: string | undefined, copy: WorkingCopy): Promise<void> {
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
  const asBefore = (path: GitPath): Entry => ({ path, ...(before.get(path) ?? nothing) });
  const entries = [...new Set([...made.keys(), ...indexed.keys()])].filter(isMade).map(asBefore);
  await writeIndex(copy, ["update-index", "-z", "--replace", "--index-info"], indexInfo(removalsFirst(entries)));
  // Those too that one took back before us, who was killed.
  const isBack = (path: GitPath) => indexed.get(path)?.id === before.get(path)?.id;
  const back = [...entries, ...[...made.keys()].filter((path) => !isMade(path) && isBack(path)).map(asBefore)];
  await hideOutOfCone(
    copy,
    back.map(({ path, mode, id }) => ({
      path,
      status: "A",
      oldMode: modes.absent,
      oldId: nothing.id,
      newMode: mode,
      newId: id,
    })),
  );
  await writeIndex(copy, ["cherry-pick", "--quit"]);
}

async function readStages({ git, repository }: WorkingCopy): Promise<Map<GitPath, { mode: string; id: string; stage: string }>> {
  const { gitDir, workTree } = repository;
  const lines = (await git.ok(["ls-files", "-z", "--stage"], { cwd: workTree, gitDir, workTree })).toString("latin1").split("\0");
  return new Map(
    lines.flatMap((line) => {
      const tab = line.indexOf("\t");
      const [mode = "", id = "", stage = ""] = line.slice(0, Math.max(0, tab)).split(" ");
      return tab < 0 ? [] : [[line.slice(tab + 1), { mode, id, stage }] as const];
    }),
  );
}
