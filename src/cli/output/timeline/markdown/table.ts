import { count } from "../../../../base/text.ts";
import type { Style } from "../../style.ts";
import { inline } from "../inline.ts";
import { columnsOf, cutTo, wrap, type Span } from "../spans.ts";

/** A table of Markdown (GFM, 4.10). Each row has as many cells as its first, the header. */
export interface MarkdownTable {
  readonly rows: readonly (readonly string[])[];
  readonly sides: readonly Side[];
  /** What it has beyond the rows and columns that are drawn. */
  readonly beyond: { readonly rows: number; readonly columns: number };
  /** So many lines it was written in. */
  readonly size: number;
}

/** More of one table isn't laid out, nor looked at. */
const mostRows = 200;
const mostColumns = 30;

type Side = "left" | "right" | "middle";

/** The table whose header is that line; undefined where there begins none. */
export function tableAt(lines: readonly string[], at: number): MarkdownTable | undefined {
  const [header = "", rule = ""] = lines.slice(at, at + 2);
  if (!header.includes("|") || !rule.includes("-")) return undefined;
  const [first, marks] = [cellsOf(header), cellsOf(rule)];
  if (first.length !== marks.length || !marks.every((mark) => /^:?-+:?$/u.test(mark))) return undefined;
  let end = at + 2;
  while (lines[end]?.includes("|") === true) end++;
  const bodyEnd = Math.min(end, at + 2 + mostRows);
  const body = lines.slice(at + 2, bodyEnd).map((line) => withLength(cellsOf(line), first.length));
  const rows = [first, ...body].map((row) => row.slice(0, mostColumns));
  const sides = marks.slice(0, mostColumns).map(sideOf);
  return { rows, sides, beyond: { rows: end - bodyEnd, columns: first.length - sides.length }, size: end - at };
}

/** Between two columns. */
const gap = 2;
/** A column that is narrower breaks each word. */
const narrowest = 8;

/**
 * The table in at most `width` columns: its own columns side by side, the wide ones broken between words, under a header; where
 * they have no room, the cells of each row below each other behind their column's name.
 */
export function renderTable(table: MarkdownTable, style: Style, width: number): string[] {
  const note = beyondOf(table).map((text) => style.dim(cutTo(text, width)));
  return [...renderRows(table, style, width), ...note];
}

function renderRows({ rows, sides }: MarkdownTable, style: Style, width: number): string[] {
  const cells = rows.map((row) => row.map((text) => inline(text, style)));
  const natural = sides.map((_, column) => greatest(cells.map((row) => sizeOf(row[column] ?? []))));
  const widths = fitted(natural, width - gap * (sides.length - 1));
  if (widths === undefined) return stacked(rows[0] ?? [], cells.slice(1), style, width);
  const [header = [], ...body] = cells.map((row) => row.map((cell, column) => wrap(cell, widths[column])));
  const draw = (row: readonly string[][]): string[] => sideBySide(row, sides, widths);
  const bold = header.map((lines) => lines.map(style.bold));
  return [...draw(bold), style.dim(widths.map((size) => "-".repeat(size)).join(" ".repeat(gap))), ...body.flatMap(draw)];
}

function beyondOf({ beyond: { rows, columns } }: MarkdownTable): string[] {
  const parts = [rows > 0 ? count(rows, "more row") : "", columns > 0 ? count(columns, "more column") : ""].filter(Boolean);
  return parts.length === 0 ? [] : [`… ${parts.join(", ")}: a pipe gets the whole`];
}

/** At least one. */
function greatest(sizes: readonly number[]): number {
  return sizes.reduce((one, other) => Math.max(one, other), 1);
}

/** Cells stand between bars that no backslash is before. */
function cellsOf(line: string): string[] {
  const cells = line
    .trim()
    .replace(/^\|/u, "")
    .split(/(?<!\\)\|/u);
  if (cells.length > 1 && cells.at(-1)?.trim() === "") cells.pop();
  return cells.map((cell) => cell.replaceAll("\\|", "|").trim());
}

/** What is beyond the last column is kept in it: it may be a bar in a command that was meant as one. */
function withLength(cells: readonly string[], length: number): string[] {
  const kept = cells.length > length ? [...cells.slice(0, length - 1), cells.slice(length - 1).join(" | ")] : cells;
  return Array.from({ length: Math.min(length, mostColumns) }, (_, at) => kept[at] ?? "");
}

function sideOf(mark: string): Side {
  if (!mark.endsWith(":")) return "left";
  return mark.startsWith(":") ? "middle" : "right";
}

function sizeOf(cell: readonly Span[]): number {
  return cell.reduce((sum, { text }) => sum + columnsOf(text), 0);
}

/** Narrow columns keep what they need, the others share what is left evenly; undefined where that is too little. */
function fitted(natural: readonly number[], room: number): readonly number[] | undefined {
  let [left, wide] = [room, natural.length];
  for (const size of natural.toSorted((one, other) => one - other)) {
    if (size > left / wide) break;
    left -= size;
    wide--;
  }
  if (wide === 0) return natural;
  const share = Math.floor(left / wide);
  return share < narrowest ? undefined : natural.map((size) => Math.min(size, share));
}

function sideBySide(row: readonly string[][], sides: readonly Side[], widths: readonly number[]): string[] {
  const height = greatest(row.map((lines) => lines.length));
  return Array.from({ length: height }, (_, at) =>
    row
      .map((lines, column) => placed(lines[at] ?? "", sides[column], widths[column] ?? 0))
      .join(" ".repeat(gap))
      .trimEnd(),
  );
}

function placed(text: string, side: Side | undefined, width: number): string {
  const free = Math.max(0, width - columnsOf(text));
  const before = side === "right" ? free : side === "middle" ? Math.floor(free / 2) : 0;
  return `${" ".repeat(before)}${text}${" ".repeat(free - before)}`;
}

/** A name that is long would fill each row with itself. */
function stacked(names: readonly string[], rows: readonly Span[][][], style: Style, width: number): string[] {
  if (rows.length === 0) return names.flatMap((name) => wrap([{ text: name, paint: style.bold }], width));
  const header = names.map((name) => cutTo(name, Math.floor(width / 2)));
  return rows.flatMap((row, at) => [
    ...(at === 0 ? [] : [""]),
    ...row.flatMap((cell, column) => {
      const name = header[column] ?? "";
      const mark = name === "" ? [] : [{ text: `${name}: `, paint: style.bold }];
      return cell.length === 0 ? [] : wrap([...mark, ...cell], width);
    }),
  ]);
}
