import type { Context } from "./context.ts";
import { land, type Landing } from "./land/land.ts";
import { checkOverlay, type Overlay } from "./land/overlay.ts";
import type { Own, PathCheck } from "./land/path-check.ts";
import { promote } from "./land/promote.ts";
import type { Quarantine } from "./quarantine.ts";
import { overlayOf } from "./uncommitted/plan.ts";
import { changesBetween, type Trees, treeWith } from "./uncommitted/trees.ts";

/** What is to be taken back. */
export interface Journey {
  /** The branch's tree now, and as it was. */
  readonly from: string;
  readonly to: string;
  /** What the working tree was given, and what it had before, but for the user's own. */
  readonly given: string;
  readonly had: string;
  readonly own: readonly Own[];
}

/** Between what a landing goes that takes it back. */
export interface WayBack extends Required<Pick<Landing, "changes">> {
  readonly overlay: Overlay;
  /** Trees that no commit has. */
  readonly objects: readonly string[];
}

/** The user's own work stays in the working tree, and in the index where it was there; all else goes back. */
export async function findWayBack({ from, to, given, had, own }: Journey, trees: Trees): Promise<WayBack> {
  const before = await treeWith(had, own, trees);
  const staged = own.filter((entry) => entry.staged);
  const index = await treeWith(to, staged, trees);
  const paths = new Set(own.map(({ path }) => path));
  const staying = (await changesBetween(given, had, trees)).filter(({ path }) => paths.has(path));
  const overlay = await overlayOf(given, before, { from, to }, trees);
  return {
    changes: await changesBetween(from, index, trees),
    overlay: { ...overlay, staying, index: staged.length === 0 ? undefined : { old: from, new: index } },
    objects: own.length === 0 ? [] : [before, index],
  };
}

/** Lands it; the trees go to the repository first, where recovery reads them. Gives what is in the way; nothing moved then. */
export async function landBack(
  { objects, ...way }: WayBack,
  landing: Omit<Landing, "changes" | "overlay" | "scratch">,
  { quarantine, ...context }: Context & { readonly quarantine: Quarantine },
): Promise<PathCheck["blocked"]> {
  const { git, repository } = context;
  const whole = { ...landing, ...way, scratch: quarantine.folder };
  if (objects.length === 0) return land(whole, context);
  const { blocked } = await checkOverlay({ git, repository, scratch: whole.scratch }, way.changes, way.overlay);
  if (blocked.length > 0) return blocked;
  const now = landing.head.state === "unborn" ? undefined : landing.head.commit;
  await promote({ tips: objects, known: [now, landing.tip] }, { git, quarantine, repository });
  return land(whole, context);
}
