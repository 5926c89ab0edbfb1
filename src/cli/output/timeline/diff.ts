import { harmless } from "../../../base/text.ts";
import type { Canvas } from "./canvas.ts";
import { cutTo, type Span } from "./spans.ts";

/** Beyond so many lines a diff is folded. */
const foldAt = 40;

export interface Diff {
  readonly added: number;
  readonly removed: number;
  /** The lines of its hunks, their marks included; headers are left out, they say what the timeline's line says. */
  readonly lines: readonly string[];
}

/**
 * A unified diff as it may come: of one file or several, with or without git's headers. A line counts as changed only inside of
 * a hunk's announced length, so that a removed `-- x` isn't taken for a header.
 */
export function parseDiff(text: string): Diff {
  const lines: string[] = [];
  let [added, removed, oldLeft, newLeft] = [0, 0, 0, 0];
  for (const line of text.replace(/\n$/, "").split("\n")) {
    const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
    if (hunk !== null) {
      oldLeft = Number(hunk[1] ?? 1);
      newLeft = Number(hunk[2] ?? 1);
    } else if (oldLeft <= 0 && newLeft <= 0) {
      if (/^(Binary files|GIT binary patch)/.test(line)) lines.push(line);
      continue;
    } else if (line.startsWith("+")) {
      newLeft--;
      added++;
    } else if (line.startsWith("-")) {
      oldLeft--;
      removed++;
    } else if (!line.startsWith("\\")) {
      oldLeft--;
      newLeft--;
    }
    lines.push(line);
  }
  return { added, removed, lines };
}

/** ` +n −m`, or nothing where nothing is known. */
export function diffCounts({ added, removed, lines }: Diff, { style, glyphs }: Canvas): Span[] {
  if (lines.length === 0) return [];
  return [
    { text: ` +${added}`, paint: style.green },
    { text: ` ${glyphs.minus}${removed}`, paint: style.red },
  ];
}

/** The diff in colour, in lines of at most `width` columns, folded where it is long. */
export function renderDiff({ lines }: Diff, { style }: Canvas, width: number | undefined): string[] {
  const shown = lines.length > foldAt ? lines.slice(0, foldAt) : lines;
  const painted = shown.map((line) => {
    const text = cutTo(harmless(line).replaceAll("\t", "    "), width);
    if (line.startsWith("@@")) return style.cyan(text);
    if (line.startsWith("+")) return style.green(text);
    return line.startsWith("-") ? style.red(text) : text;
  });
  return shown.length === lines.length
    ? painted
    : [...painted, style.dim(cutTo(`… ${lines.length - shown.length} more lines`, width))];
}
