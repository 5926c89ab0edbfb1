import type { Output } from "../../host/host.ts";

/** Beside an indent a line is given no less room than this; a terminal that is narrower breaks lines as it likes. */
const narrowest = 20;

/**
 * Prose for a terminal, a line or several: what is wider than it is broken between words, going on below its start and two columns
 * in. A longer word, and a command of ours or of git in quotes, stays whole where it can: it is there to be copied. Elsewhere as it is.
 */
export async function wrapProse(text: string, output: Pick<Output, "isTTY" | "columns">): Promise<string> {
  if (!output.isTTY) return text;
  const lines = text.split("\n").map((line) => {
    const indent = /^ */u.exec(line)?.[0].length ?? 0;
    return hanging(line, output.columns, indent + 2);
  });
  return (await Promise.all(lines)).flat().join("\n");
}

/** One line as lines of at most `width` columns, all but the first behind `indent` blanks. */
export async function hanging(line: string, width: number, indent: number): Promise<string[]> {
  if (width - indent < narrowest || (isAscii(line) && line.length <= width)) return [line];
  // The tables of widths are loaded only for what may need them.
  const widthOf = isAscii(line) ? (word: string): number => word.length : (await import("./width.ts")).widthOf;
  const lines: string[] = [];
  let [current, used] = ["", 0];
  for (const [, blank = "", word = ""] of line.matchAll(/(\s*)("(?:ferry|git) [^"]*"\S*|\S+)/gu)) {
    const [room, size] = [blank.length, widthOf(word)];
    if (used > 0 && used + room + size > width) {
      lines.push(current);
      [current, used] = [" ".repeat(indent) + word, indent + size];
    } else [current, used] = [current + blank + word, used + room + size];
  }
  return [...lines, current];
}

function isAscii(text: string): boolean {
  return /^[\u0020-\u007e]*$/u.test(text);
}
