import type { GitPath } from "../../../git/path.ts";
import { type Change, modes } from "../../../git/records.ts";
import { Unreadable } from "./cursor.ts";

/** A path before or after a commit; undefined for what its patch doesn't tell. */
interface Side {
  readonly mode: string | undefined;
  readonly id: string | undefined;
}

/** What became of each path, each side told once: a rename takes one path and makes another, a change of type does both to one. */
export class Effects {
  private readonly old = new Map<GitPath, Side>();
  private readonly new = new Map<GitPath, Side>();

  takes(path: GitPath, side: Side): void {
    set(this.old, path, side);
  }

  makes(path: GitPath, side: Side): void {
    set(this.new, path, side);
  }

  /** @throws Unreadable where the manifest says otherwise, or what no patch can */
  compare(changes: readonly Change[], idLength: number): void {
    if (!changes.every((change) => isPlain(change, idLength))) throw new Unreadable("changes that git doesn't write");
    const paths = new Set([...this.old.keys(), ...this.new.keys()]);
    if (paths.size !== changes.length) throw new Unreadable("other paths than the manifest's");
    for (const { path, oldMode, newMode, oldId, newId } of changes) {
      const [old, made] = [this.old.get(path), this.new.get(path)];
      const isSame = paths.has(path) && agrees(old, oldMode, oldId) && agrees(made, newMode, newId);
      const isKept = old !== undefined && made !== undefined && old.id === undefined && made.id === undefined;
      if (!isSame || (isKept && oldId !== newId)) throw new Unreadable("other changes than the manifest's");
    }
  }
}

/** What is taken from the manifest goes to git as it is. */
function isPlain({ path, oldMode, newMode, oldId, newId }: Change, idLength: number): boolean {
  const all = Object.values<string>(modes);
  const areIds = [oldId, newId].every((id) => id.length === idLength && /^[0-9a-f]+$/u.test(id));
  return areIds && all.includes(oldMode) && all.includes(newMode) && !path.includes("\0");
}

function set(sides: Map<GitPath, Side>, path: GitPath, side: Side): void {
  if (sides.has(path)) throw new Unreadable("two patches for one file");
  sides.set(path, side);
}

/** What the patch doesn't tell is taken as the manifest says: the commit's tree will tell. */
function agrees(side: Side | undefined, mode: string, id: string): boolean {
  if (side === undefined) return mode === modes.absent && isZero(id);
  return mode !== modes.absent && (side.mode ?? mode) === mode && (side.id ?? id) === id && !isZero(id);
}

/** The id that stands for a file that isn't there. */
export function isZero(id: string): boolean {
  return /^0+$/u.test(id);
}
