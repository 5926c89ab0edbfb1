import type { GitPath } from "../../git/path.ts";
import { type Change, modes } from "../../git/records.ts";
import type { Entry } from "../land/compare.ts";
import type { Overlay } from "../land/overlay.ts";
import type { Watched } from "../land/working-copy.ts";
import { holds, newEntry, stillHeld } from "./held.ts";
import type { Memory } from "./memory.ts";
import { changesBetween, entriesAt, keyOf, treeWith, type Trees } from "./trees.ts";

/** Between which trees branch and working tree go. */
export interface Journey {
  /** The branch's tree now, and as it will be. */
  readonly from: string;
  readonly to: string;
  /** From the one to the other. */
  readonly changes: readonly Change[];
  /** What came into the working tree before. */
  readonly memory: Memory | undefined;
}

export interface Planned {
  readonly overlay: Overlay;
  /** Paths that stay as they are: edited here since they came, and not in the sandbox. */
  readonly left: readonly GitPath[];
}

/** What becomes of the working tree where it is to hold `tree`, which has the sandbox's uncommitted work. */
export async function planFor(tree: string, journey: Journey, copy: Watched & Trees): Promise<Planned> {
  const remembered = await rememberedEntries(journey, copy);
  const wanted = await entriesAt(tree, remembered.paths, copy);
  const committed = new Set(journey.changes.map(({ path }) => path));
  const unchanged = remembered.entries.filter((entry) => {
    const wants = wanted.get(entry.path);
    return !remembered.held.has(entry.path) && !committed.has(entry.path) && wants !== undefined && keyOf(wants) === keyOf(entry);
  });
  // Where it was taken back to what the branch has, it comes again.
  const back = await holds(
    copy,
    unchanged.map(({ path }) => remembered.branch.get(path)).filter((entry) => entry !== undefined),
  );
  const left = unchanged.filter(({ path }) => !back.has(path));
  const old = await treeWith(
    journey.from,
    [...remembered.entries.filter(({ path }) => remembered.held.has(path)), ...left],
    copy,
  );
  return { overlay: await overlayOf(old, tree, journey, copy), left: left.map(({ path }) => path) };
}

/**
 * What becomes of it where commits alone come, and some of them are of files that came uncommitted before; undefined where none is.
 * The other such files stay.
 */
export async function planAround(
  journey: Journey,
  copy: Watched & Trees,
): Promise<{ planned: Planned; tree: string } | undefined> {
  const { changes } = journey;
  const committed = new Set(changes.map(({ path }) => path));
  if (journey.memory?.changes.some(({ path }) => committed.has(path)) !== true) return undefined;
  const remembered = await rememberedEntries(journey, copy);
  const staying = remembered.entries.filter(({ path }) => !committed.has(path));
  const held = remembered.entries.filter(({ path }) => committed.has(path) && remembered.held.has(path));
  const tree = await treeWith(journey.to, staying, copy);
  const old = await treeWith(journey.from, [...staying, ...held], copy);
  return { tree, planned: { overlay: await overlayOf(old, tree, journey, copy), left: [] } };
}

interface Remembered {
  readonly paths: ReadonlySet<GitPath>;
  readonly entries: readonly Entry[];
  /** Those that the working tree still holds as they came. */
  readonly held: ReadonlySet<GitPath>;
  /** What the branch has there now. */
  readonly branch: ReadonlyMap<GitPath, Entry>;
}

async function rememberedEntries({ from, memory }: Journey, copy: Watched & Trees): Promise<Remembered> {
  const entries = (memory?.changes ?? []).map(newEntry);
  const paths = new Set(entries.map(({ path }) => path));
  const branch = await entriesAt(from, paths, copy);
  const held = memory === undefined ? new Set<GitPath>() : await stillHeld(copy, memory, branch);
  return { paths, entries, held, branch };
}

/** From one tree of the working tree to another, over the branch's. */
export async function overlayOf(
  old: string,
  next: string,
  { from, to }: Pick<Journey, "from" | "to">,
  trees: Trees,
): Promise<Overlay> {
  const changes = await changesBetween(old, next, trees);
  const held = await changesBetween(from, old, trees);
  const wanted = (await changesBetween(to, next, trees)).filter(({ newMode }) => newMode !== modes.absent);
  return { old, new: next, changes, held, wanted };
}
