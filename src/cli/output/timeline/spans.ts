import type { Paint } from "../style.ts";
import { characters, widthOf, widthOfCharacter } from "../width.ts";

/** A run of text of one look. Its text is harmless and has no line breaks. */
export interface Span {
  readonly text: string;
  readonly paint?: Paint | undefined;
}

/** The spans as lines of at most `width` columns, broken between words, a longer word within; without a width, one line. */
export function wrap(spans: readonly Span[], width: number | undefined): string[] {
  if (width === undefined) return [paintAll(spans)];
  const lines: Span[][] = [[]];
  let used = 0;
  for (const { text, paint, whole } of stuckTogether(spans.flatMap(words))) {
    // What is one word to its reader goes to the next line as one, though its parts look different.
    if (used > 0 && whole <= width && used + whole > width) {
      lines.push([]);
      used = 0;
    }
    // Blanks between two lines are none of either.
    if (text.trim() === "" && used + columnsOf(text) > width) {
      if (used > 0) lines.push([]);
      used = 0;
      continue;
    }
    for (const piece of pieces(text, width)) {
      const size = columnsOf(piece);
      if (used + size > width && used > 0) {
        lines.push([]);
        used = 0;
      }
      lines.at(-1)?.push({ text: piece, paint });
      used += size;
    }
  }
  return lines.map((line) => paintAll(trimEnd(line)));
}

/** Columns of text; most of it is ASCII, where no table is needed. */
export function columnsOf(text: string): number {
  return /^[\u0020-\u007e]*$/.test(text) ? text.length : widthOf(text);
}

/** The text in at most `width` columns, with an ellipsis where something was cut; all of it without a width. */
export function cutTo(text: string, width: number | undefined): string {
  if (width === undefined) return text;
  // No character takes more than a few dozen units: what lies beyond need not be measured.
  const start = text.length > width * 32 ? text.slice(0, width * 32) : text;
  if (start.length === text.length && columnsOf(text) <= width) return text;
  return `${leading(start, width - 1)}…`;
}

/**
 * For a terminal that shows nothing else: our own marks by their like, any other character as so many `?` as it is wide. What its
 * reader takes for one character is measured as one, as it was when lines were broken.
 */
export function inAscii(text: string): string {
  return text.replace(/[^\u0000-\u007e]+/gu, (run) => {
    let shown = "";
    for (const character of characters(run)) shown += likes[character] ?? "?".repeat(widthOfCharacter(character));
    return shown;
  });
}

const likes: Readonly<Record<string, string>> = {
  "…": "~",
  "−": "-",
  "–": "-",
  "—": "-",
  "“": '"',
  "”": '"',
  "‘": "'",
  "’": "'",
  "\u00a0": " ",
};

/** Neighbours of one look are painted together, so that a terminal isn't sent codes for each word. */
function paintAll(line: readonly Span[]): string {
  const runs: { text: string; paint: Paint | undefined }[] = [];
  for (const { text, paint } of line) {
    const last = runs.at(-1);
    if (last !== undefined && last.paint === paint) last.text += text;
    else runs.push({ text, paint });
  }
  return runs.map(({ text, paint }) => (paint === undefined ? text : paint(text))).join("");
}

function words({ text, paint }: Span): Span[] {
  return (text.match(/\s+|[^\s]+/gu) ?? []).map((word) => ({ text: word, paint }));
}

interface Word extends Span {
  /** Columns of all that follows without a blank, on the first of them; else 0. */
  readonly whole: number;
}

/** Words of several looks may be one: a full stop behind a link. */
function stuckTogether(all: readonly Span[]): Word[] {
  const isBlank = (at: number): boolean => /^\s*$/u.test(all[at]?.text ?? "");
  return all.map(({ text, paint }, at) => {
    if (isBlank(at) || !isBlank(at - 1)) return { text, paint, whole: 0 };
    let [whole, end] = [0, at];
    for (; !isBlank(end); end++) whole += columnsOf(all[end]?.text ?? "");
    return { text, paint, whole: end === at + 1 ? 0 : whole };
  });
}

/** A word that is wider than a line, in parts that aren't. */
function* pieces(text: string, width: number): Generator<string> {
  if (text.length <= width && columnsOf(text) <= width) {
    yield text;
    return;
  }
  let [part, used] = ["", 0];
  for (const character of characters(text)) {
    const size = widthOfCharacter(character);
    if (used + size > width && part !== "") {
      yield part;
      [part, used] = ["", 0];
    }
    part += character;
    used += size;
  }
  yield part;
}

/** As many whole characters as fit into `width` columns, at least one. */
function leading(text: string, width: number): string {
  if (/^[\u0020-\u007e]*$/.test(text.slice(0, width + 1))) return text.slice(0, Math.max(1, width));
  let taken = "";
  let left = width;
  for (const segment of characters(text)) {
    left -= widthOfCharacter(segment);
    if (left < 0 && taken !== "") break;
    taken += segment;
  }
  return taken;
}

function trimEnd(line: readonly Span[]): Span[] {
  const last = line.at(-1);
  return last !== undefined && last.text.trim() === "" ? line.slice(0, -1) : [...line];
}
