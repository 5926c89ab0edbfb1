import type { GitPath } from "../../../git/path.ts";
import { modes } from "../../../git/records.ts";
import { type Cursor, Unreadable } from "./cursor.ts";
import { readNames, readSideName, unquoteName } from "./names.ts";

/** What the lines before a file's content say, as git-diff(1) has them under "Generating patch text with -p". */
export interface Header {
  readonly kind: "change" | "add" | "delete" | "rename" | "copy";
  readonly from: GitPath;
  readonly to: GitPath;
  /** Undefined where the patch doesn't tell: a rename that changes nothing else. */
  readonly oldMode: string | undefined;
  readonly newMode: string | undefined;
  /** Undefined where content stays as it is. */
  readonly ids: { readonly old: string; readonly new: string } | undefined;
  /** Whether `---` and `+++` were there, so that hunks follow. */
  readonly hasHunks: boolean;
}

/** Reads from `diff --git` up to the first line of content, and takes nothing that git itself doesn't write. */
export function readHeader(diff: Cursor, idLength: number): Header {
  const names = diff.after("diff --git ");
  if (names === undefined) throw new Unreadable("no diff where one must begin");
  const told = readModes(diff);
  const similar = readSimilarity(diff);
  const renamed = similar === "none" ? undefined : readRenamed(diff);
  const index = diff.after("index ");
  const ids = index === undefined ? undefined : readIds(index, idLength);
  const { from, to } = readNames(names, renamed);
  const kind = told.kind ?? renamed?.kind ?? "change";
  if (told.kind !== undefined && renamed !== undefined) throw new Unreadable("it renames what wasn't or won't be there");
  const header: Omit<Header, "hasHunks"> = {
    kind,
    from,
    to,
    oldMode: kind === "add" ? modes.absent : (told.old ?? ids?.mode),
    newMode: kind === "delete" ? modes.absent : (told.new ?? ids?.mode),
    ids: ids === undefined ? undefined : { old: ids.old, new: ids.new },
  };
  if (ids?.mode !== undefined && (told.old ?? told.new) !== undefined) throw new Unreadable("two modes for one file");
  return { ...header, hasHunks: readSides(diff, header) };
}

interface Modes {
  readonly kind?: "add" | "delete";
  readonly old?: string;
  readonly new?: string;
}

function readModes(diff: Cursor): Modes {
  const old = diff.after("old mode ");
  if (old !== undefined) {
    const next = diff.after("new mode ");
    if (next === undefined) throw new Unreadable("an old mode without a new one");
    return { old: mode(old), new: mode(next) };
  }
  const deleted = diff.after("deleted file mode ");
  if (deleted !== undefined) return { kind: "delete", old: mode(deleted) };
  const added = diff.after("new file mode ");
  return added === undefined ? {} : { kind: "add", new: mode(added) };
}

function mode(text: string): string {
  if (text === modes.absent || !Object.values<string>(modes).includes(text)) throw new Unreadable("a mode that git doesn't make");
  return text;
}

function readSimilarity(diff: Cursor): "similar" | "none" {
  const similar = diff.after("similarity index ");
  const percent = similar ?? diff.after("dissimilarity index ");
  if (percent !== undefined && !/^\d{1,3}%$/u.test(percent)) throw new Unreadable("a similarity that is none");
  return similar === undefined ? "none" : "similar";
}

function readRenamed(diff: Cursor): { kind: "rename" | "copy"; from: GitPath; to: GitPath } {
  const kind = diff.startsWith("copy from ") ? "copy" : "rename";
  const from = diff.after(`${kind} from `);
  const to = diff.after(`${kind} to `);
  if (from === undefined || to === undefined) throw new Unreadable("a rename without names");
  return { kind, from: unquoteName(from), to: unquoteName(to) };
}

function readIds(text: string, idLength: number): { old: string; new: string; mode: string | undefined } {
  const [, old, next, rest] = /^([0-9a-f]+)\.\.([0-9a-f]+)(?: (\d{6}))?$/u.exec(text) ?? [];
  if (old?.length !== idLength || next?.length !== idLength) throw new Unreadable("ids that aren't whole");
  return { old, new: next, mode: rest === undefined ? undefined : mode(rest) };
}

/** The two lines before the hunks, which must name the same files again. */
function readSides(diff: Cursor, { kind, from, to }: Pick<Header, "kind" | "from" | "to">): boolean {
  const old = diff.after("--- ");
  if (old === undefined) return false;
  const next = diff.after("+++ ");
  if (next === undefined) throw new Unreadable("half of its names");
  const isRight =
    readSideName(old, "a/") === (kind === "add" ? undefined : from) &&
    readSideName(next, "b/") === (kind === "delete" ? undefined : to);
  if (!isRight) throw new Unreadable("its names don't agree");
  return true;
}
