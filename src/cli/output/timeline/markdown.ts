import { harmless } from "../../../base/text.ts";
import type { Canvas } from "./canvas.ts";
import { foldLines, folded, mostSaid } from "./fold.ts";
import { inline } from "./inline.ts";
import { renderTable, tableAt } from "./markdown/table.ts";
import { columnsOf, cutTo, wrap, type Span } from "./spans.ts";

/**
 * An agent's message as lines of at most `width` columns: headings, lists, tables, quotes, code and emphasis of Markdown as they look
 * on a terminal, all else as it was written. Without a width (no terminal) its source as it is, made harmless.
 */
export function renderMarkdown(source: string, canvas: Canvas, width: number | undefined): string[] {
  if (width === undefined) return linesOf(source);
  const { text, left } = folded(source);
  const lines = linesOf(text);
  const blocks: string[][] = [];
  let paragraph: string[] = [];
  let fence: string | undefined;
  /** The line behind a code block: another one there stands apart. */
  let behind = -1;
  const flush = () => {
    if (paragraph.length > 0) blocks.push(wrap(inline(paragraph.join(" "), canvas.style), width));
    paragraph = [];
  };
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) === true) [fence, behind] = [undefined, at + 1];
      else blocks.push([code(line, canvas, width)]);
      continue;
    }
    const table = mark === undefined ? tableAt(lines, at) : undefined;
    if (table !== undefined) {
      flush();
      blocks.push(renderTable(table, canvas.style, width));
      at += table.size - 1;
      continue;
    }
    const block = mark === undefined ? renderLine(line, canvas, width) : [];
    if (block === undefined) {
      paragraph.push(line.trim());
      continue;
    }
    flush();
    fence = mark;
    blocks.push(mark !== undefined && at === behind ? [""] : block);
  }
  flush();
  return foldLines(blocks.flat(), mostSaid, { style: canvas.style, width, left });
}

function linesOf(source: string): string[] {
  return harmless(source).replaceAll("\t", "    ").trimEnd().split("\n");
}

/** A line that stands for itself; undefined for one of a paragraph, which is filled together with its neighbours. */
function renderLine(line: string, canvas: Canvas, width: number): string[] | undefined {
  const { style, glyphs } = canvas;
  if (line.trim() === "") return [""];
  const heading = headingOf(line);
  if (heading !== undefined) return wrap(inline(heading, style), width).map(style.bold);
  if (isRule(line)) return [style.dim("-".repeat(Math.min(width, 20)))];
  // Rows without a header are laid out by their author; filling them together would undo that.
  if (/^\s*\|/.test(line)) return [cutTo(line, width)];
  const quote = /^\s*>\s?(.*)$/.exec(line);
  if (quote !== null) return hang([{ text: `${glyphs.bar} `, paint: style.dim }], inline(quote[1] ?? "", style), width, true);
  const item = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/.exec(line);
  if (item === null) return undefined;
  const [, indent = "", mark = "", text = ""] = item;
  const bullet = /\d/.test(mark) ? mark : glyphs.bullet;
  return hang([{ text: `${indent.slice(0, 8)}${bullet} ` }], checked(text, canvas), width);
}

/** A heading's text, without the marks that may close it; undefined where the line is none. */
function headingOf(line: string): string | undefined {
  const mark = /^ {0,3}#{1,6}(?=\s)/.exec(line)?.[0];
  if (mark === undefined) return undefined;
  const text = line.slice(mark.length).trim();
  return text.replace(/(?:^|\s)#+$/u, "").trimEnd();
}

/** Three or more of one mark and nothing else. */
function isRule(line: string): boolean {
  const mark = /^ {0,3}([-*_])/.exec(line)?.[1];
  if (mark === undefined) return false;
  const bare = line.replaceAll(/\s/g, "");
  return bare.length >= 3 && bare === mark.repeat(bare.length);
}

/** A task list's box, then the text. */
function checked(text: string, { style, glyphs }: Canvas): Span[] {
  const box = /^\[([ xX])\]\s+(.*)$/.exec(text);
  if (box === null) return inline(text, style);
  const done = box[1] !== " ";
  return [{ text: `[${done ? glyphs.done : " "}] `, paint: done ? style.green : undefined }, ...inline(box[2] ?? "", style)];
}

/** Text behind a mark, which stands before each line or before the first alone. */
function hang(mark: readonly Span[], text: readonly Span[], width: number, each = false): string[] {
  const size = mark.reduce((sum, span) => sum + columnsOf(span.text), 0);
  const painted = mark.map(({ text: shown, paint }) => (paint === undefined ? shown : paint(shown))).join("");
  return wrap(text, Math.max(8, width - size)).map((line, at) => `${each || at === 0 ? painted : " ".repeat(size)}${line}`);
}

function code(line: string, { style }: Canvas, width: number): string {
  return `  ${style.cyan(cutTo(line, width - 2))}`;
}
