import type { Style } from "../style.ts";
import { cutTo } from "./spans.ts";

/** More of one text isn't laid out for a terminal, in UTF-16 units: some 800 lines. */
const most = 64 * 1024;
/** So many lines are drawn of what was said, which its reader is there for. */
export const mostSaid = 2_000;
/** So many lines of anything else, and so many entries of a list. */
export const mostListed = 40;

/** A text as far as it is laid out for a terminal, and how much isn't, in units. */
export function folded(text: string): { readonly text: string; readonly left: number } {
  if (text.length <= most) return { text, left: 0 };
  const newline = text.lastIndexOf("\n", most);
  const isPair = /^[\udc00-\udfff]/.test(text.charAt(most));
  const end = newline > most / 2 ? newline : isPair ? most - 1 : most;
  return { text: text.slice(0, end), left: text.slice(end).trim() === "" ? 0 : text.length - end };
}

/** The first `atMost` lines, and a line that says how many more there are, and how much of their text wasn't laid out. */
export function foldLines(lines: string[], atMost: number, { style, width, left }: Fold): string[] {
  const shown = lines.length > atMost ? lines.slice(0, atMost) : lines;
  const beyond = lines.length - shown.length;
  const size = left > 0 ? `${Math.ceil(left / 1000)} kB` : "";
  const more = beyond > 0 ? [`${beyond} more lines`, size].filter(Boolean).join(" and ") : `${size} more`;
  return beyond === 0 && size === "" ? lines : [...shown, style.dim(cutTo(`… ${more}: a pipe gets the whole`, width))];
}

interface Fold {
  readonly style: Style;
  readonly width: number;
  /** What `folded` left of the text. */
  readonly left: number;
}

/** The entries of a list that are drawn in `width` columns, all where there is no terminal; and what to say of the others. */
export function foldList<Entry>(
  entries: readonly Entry[],
  width: number | undefined,
): { readonly shown: readonly Entry[]; readonly note: readonly string[] } {
  if (width === undefined || entries.length <= mostListed) return { shown: entries, note: [] };
  return { shown: entries.slice(0, mostListed), note: [cutTo(`… ${entries.length - mostListed} more`, width)] };
}
