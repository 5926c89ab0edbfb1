import type { Output } from "../../host/host.ts";

/** Beside an indent a line is given no less room than this; a terminal that is narrower breaks lines as it likes. */
const narrowest = 20;

/**
 * What of a line is never broken, behind its blanks: a word, or a command, which stands in quotes or goes as far as its clause does,
 * since nothing else tells where prose goes on (`git add what you want, then …`).
 */
const piece =
  /(\s*)((?:"(?:ferry|git) [^"]*"|`[^`]*`|(?<![\w./-])(?:ferry|git|npm|sudo|chmod|kill) (?:"[^"]*"|'[^']*'|(?![;,:)]+(?:\s|$)|\s\().)+|\S)+)/gu;

/**
 * Prose for a terminal, a line or several: what is wider than it is broken between words, going on below its start and two columns
 * in. A longer word stays whole, and so does a command: it is there to be copied, and one that is wider than the terminal is that as a
 * line which the terminal breaks. Elsewhere as it is.
 */
export async function wrapProse(text: string, output: Pick<Output, "isTTY" | "columns">): Promise<string> {
  if (!output.isTTY) return text;
  const lines = text.split("\n").map((line) => {
    const indent = /^ */u.exec(line)?.[0].length ?? 0;
    return hanging(line, output.columns, indent + 2);
  });
  return (await Promise.all(lines)).flat().join("\n");
}

/** For text that is somebody else's, and holds no command of ours: its words alone are never broken. */
export const words = /(\s*)(\S+)/gu;

/** One line as lines of at most `width` columns where its pieces let it, all but the first behind `indent` blanks. */
export async function hanging(line: string, width: number, indent: number, pieces = piece): Promise<string[]> {
  if (width - indent < narrowest || (isAscii(line) && line.length <= width)) return [line];
  // The tables of widths are loaded only for what may need them.
  const widthOf = isAscii(line) ? (word: string): number => word.length : (await import("./width.ts")).widthOf;
  const lines: string[] = [];
  let [current, used] = ["", 0];
  for (const [, blank = "", word = ""] of line.matchAll(pieces)) {
    const [room, size] = [blank.length, widthOf(word)];
    if (used > 0 && used + room + size > width) {
      lines.push(current);
      [current, used] = [" ".repeat(indent) + word, indent + size];
    } else [current, used] = [current + blank + word, used + room + size];
  }
  return [...lines, current];
}

/** The parts of a text that are never broken. */
export function unbroken(text: string): string[] {
  return Array.from(text.matchAll(piece), ([, , part = ""]) => part);
}

/** Whether it is one column a character. */
export function isAscii(text: string): boolean {
  return /^[\u0020-\u007e]*$/u.test(text);
}
