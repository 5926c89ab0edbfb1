import { narrowIds, shortIds } from "../../base/ids.ts";
import { oneLine, textOf } from "../../base/text.ts";
import type { Output } from "../../host/host.ts";
import { hanging, unbroken } from "./prose.ts";

export interface Column<Row> {
  readonly header: string;
  /** Where the terminal is too narrow for all, the column with the most of it goes first; without it there is none. */
  readonly spare?: number;
  /** Not cut below so many columns as long as others can be left out for it. */
  readonly least?: number;
  /** Never cut: left out where there is no room for it as it is. */
  readonly whole?: boolean;
  /**
   * Ids: on a terminal as short as tells them apart, and without their middle where a row wouldn't fit else. Those that commands take
   * `whole` alone are so, unless nothing would stand beside them.
   */
  readonly id?: true | "whole";
  /** Sentences, or what is there to be copied: not cut on a terminal, but going on below. Of the last column alone. */
  readonly prose?: boolean;
  /** What stands in the cell: `terminal` tells whether a person reads it there, or a script uncut. */
  value(row: Row, terminal: boolean): string | null | undefined;
}

const gap = 2;
const nothing = "–";
/** A column is not cut below this: states, times and short ids stay whole. */
const narrowest = 8;
/** Prose stands beside the other columns where it has so much room, and its longest word or command fits; else under the row. */
const leastProse = 28;
const underRow = 4;

/**
 * Rows as text: on a terminal with a header and columns that fit into its width, else one line a row, tab-separated and
 * uncut. A cell with nothing in it shows as `–` on a terminal, and is empty else. The first column tells the rows apart: it is
 * the last to be cut, and never left out.
 */
export async function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[], output: Output): Promise<string> {
  if (!output.isTTY) return rows.map((row) => `${cellsOf(row, columns, false).join("\t")}\n`).join("");
  if (rows.length === 0) return "";
  const [{ head, lines }, { makeStyle }] = await Promise.all([layOut(rows, columns, output.columns), import("./style.ts")]);
  return [makeStyle(output.color).bold(head), ...lines, ""].join("\n");
}

/** The rows as `table` lays them out for a terminal of that width, a line each, without a header: of columns that have none. */
export async function tableRows<Row>(
  rows: readonly Row[],
  columns: readonly Omit<Column<Row>, "header" | "prose">[],
  width: number,
): Promise<string[]> {
  const unnamed = columns.map((column) => ({ ...column, header: "" }));
  return (await layOut(rows, unnamed, width)).lines;
}

interface LaidOut {
  readonly head: string;
  readonly lines: string[];
}

async function layOut<Row>(rows: readonly Row[], columns: readonly Column<Row>[], available: number): Promise<LaidOut> {
  // The tables of widths take 60 ms to load, more than all else of a list in a script.
  const { fit, pad, widthOf } = await import("./width.ts");
  const whole = rows.map((row) => cellsOf(row, columns, true));
  const headers = columns.map(({ header }) => header);
  const grid = columns.at(-1)?.prose === true ? columns.slice(0, -1) : columns;
  const widthsOf = (lines: readonly (readonly string[])[]): number[] =>
    grid.map(({ header }, at) => widest([header, ...lines.map((line) => line[at] || nothing)], widthOf));
  const isCrowded = leaveOut(widthsOf(whole), grid, available).length < 2;
  const shortened = columns.map(({ id }) => id === true || (id === "whole" && isCrowded));
  const short = withIds(whole, shortened, shortIds);
  const cells = widthOfRow(widthsOf(short)) > available ? withIds(whole, shortened, narrowIds) : short;
  const shown = cells.map((line) => line.map((cell) => cell || nothing));
  const natural = widthsOf(cells);
  const widths = fitWidths(natural, grid, available);
  const line = (texts: readonly string[]): string =>
    [...widths].map(([at, width]) => pad(fit(texts[at] ?? "", width), width)).join(" ".repeat(gap));
  const prose = columns === grid ? undefined : cells.map((row) => row.at(-1) ?? "");
  const room = available - widthOfRow(natural) - gap;
  const isBeside = room >= Math.max(leastProse, widest((prose ?? []).flatMap(unbroken), widthOf));
  const place = prose === undefined ? alone : isBeside ? beside(available - room, room) : under(available);
  const lines = await Promise.all(shown.map((row, at) => place(line(row), prose?.[at] ?? "")));
  const head = line(headers) + (prose !== undefined && isBeside ? " ".repeat(gap) + (headers.at(-1) ?? "") : "");
  return { head: head.trimEnd(), lines: lines.flat() };
}

function cellsOf<Row>(row: Row, columns: readonly Column<Row>[], terminal: boolean): string[] {
  return columns.map((column) => oneLine(textOf(column.value(row, terminal))));
}

/** The cells with the ids of those columns made shorter. */
function withIds(cells: string[][], columns: readonly boolean[], shorten: (ids: readonly string[]) => string[]): string[][] {
  return columns.reduce((lines, isShort, at) => {
    if (!isShort) return lines;
    const short = shorten(lines.map((line) => line[at] ?? ""));
    return lines.map((line, row) => line.with(at, short[row] ?? ""));
  }, cells);
}

/** In columns. Not by `Math.max(...)`: a list may be longer than a call takes arguments, some 120,000. */
function widest(texts: readonly string[], widthOf: (text: string) => number): number {
  return texts.reduce((most, text) => Math.max(most, widthOf(text)), 0);
}

/** A row with the prose that belongs to it, as lines. */
type Place = (row: string, prose: string) => Promise<string[]>;

const alone: Place = (row) => Promise.resolve([row.trimEnd()]);

function beside(start: number, room: number): Place {
  return async (row, prose) =>
    (await hanging(prose || nothing, room, 0)).map((text, at) => (at === 0 ? row + " ".repeat(gap) : " ".repeat(start)) + text);
}

function under(width: number): Place {
  const indent = " ".repeat(underRow);
  return async (row, prose) => [row.trimEnd(), ...(prose === "" ? [] : await hanging(indent + prose, width, underRow))];
}

type Narrowing = Pick<Column<never>, "spare" | "whole" | "least">;

/** The narrowest that each column may be where those are kept: beside the first alone there is no other to make room. */
function leastWidths(natural: readonly number[], columns: readonly Narrowing[], kept: readonly number[]): number[] {
  return natural.map((width, at) => {
    const { whole = false, least = narrowest } = columns[at] ?? {};
    return at === 0 || whole ? width : Math.min(width, kept.length > 2 ? least : narrowest);
  });
}

/** Which columns have room, at least as narrow as they may be; of those that can be spared equally the last goes first. */
function leaveOut(natural: readonly number[], columns: readonly Narrowing[], available: number): number[] {
  const spare = (at: number): number => columns[at]?.spare ?? 0;
  const needed = (kept: readonly number[]): number => {
    const least = leastWidths(natural, columns, kept);
    return widthOfRow(kept.map((at) => least[at] ?? 0));
  };
  let kept = natural.map((_, at) => at);
  while (kept.length > 1 && needed(kept) > available) {
    const goes = kept.slice(1).reduce((one, other) => (spare(other) >= spare(one) ? other : one));
    kept = kept.filter((at) => at !== goes);
  }
  return kept;
}

/** The width of each column that is kept: the widest gives first, so that the short ones stay whole. */
function fitWidths(natural: readonly number[], columns: readonly Narrowing[], available: number): Map<number, number> {
  const kept = leaveOut(natural, columns, available);
  if (kept.length === 1) return new Map([[0, Math.min(natural[0] ?? 0, available)]]);
  const least = leastWidths(natural, columns, kept);
  const widths = new Map(kept.map((at) => [at, natural[at] ?? 0]));
  for (let excess = widthOfRow([...widths.values()]) - available; excess > 0; excess -= 1) {
    const [widest, width] = [...widths]
      .filter(([at, width]) => width > (least[at] ?? 0))
      .reduce((one, other) => (other[1] > one[1] ? other : one));
    widths.set(widest, width - 1);
  }
  return widths;
}

function widthOfRow(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, gap * (widths.length - 1));
}
