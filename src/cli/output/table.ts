import { oneLine } from "../../base/text.ts";
import type { Output } from "../../host/host.ts";

export interface Column<Row> {
  readonly header: string;
  /** Where the terminal is too narrow for all, the column with the most of it goes first; without it there is none. */
  readonly spare?: number;
  /** What stands in the cell: `terminal` tells whether a person reads it there, or a script uncut. */
  value(row: Row, terminal: boolean): string | null | undefined;
}

const gap = 2;
/** A column is not cut below this: states, times and short ids stay whole. */
const narrowest = 8;

/**
 * Rows as text: on a terminal with a header and columns that fit into its width, else one line a row, tab-separated and
 * uncut. A cell with nothing in it shows as `–` on a terminal, and is empty else. The first column tells the rows apart: it is
 * the last to be cut, and never left out.
 */
export async function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[], output: Output): Promise<string> {
  const cells = rows.map((row) => columns.map((column) => oneLine(column.value(row, output.isTTY) ?? "")));
  if (!output.isTTY) return cells.map((line) => `${line.join("\t")}\n`).join("");
  if (rows.length === 0) return "";
  // The tables of widths take 60 ms to load, more than all else of a list in a script.
  const [{ fit, pad, widthOf }, { makeStyle }] = await Promise.all([import("./width.ts"), import("./style.ts")]);
  const shown = cells.map((line) => line.map((cell) => cell || "–"));
  const headers = columns.map(({ header }) => header);
  const natural = columns.map((_, at) => Math.max(...[headers, ...shown].map((line) => widthOf(line[at] ?? ""))));
  const widths = fitWidths(natural, leaveOut(natural, columns, output.columns), output.columns);
  const line = (texts: readonly string[]): string =>
    [...widths]
      .map(([at, width]) => pad(fit(texts[at] ?? "", width), width))
      .join(" ".repeat(gap))
      .trimEnd();
  return [makeStyle(output.color).bold(line(headers)), ...shown.map(line), ""].join("\n");
}

/** Which columns have room, at least as narrow as they may be; of those that can be spared equally the last goes first. */
function leaveOut(natural: readonly number[], columns: readonly { readonly spare?: number }[], available: number): number[] {
  const least = natural.map((width, at) => (at === 0 ? width : Math.min(width, narrowest)));
  const spare = (at: number): number => columns[at]?.spare ?? 0;
  let kept = natural.map((_, at) => at);
  while (kept.length > 1 && widthOfRow(kept.map((at) => least[at] ?? 0)) > available) {
    const goes = kept.slice(1).reduce((one, other) => (spare(other) >= spare(one) ? other : one));
    kept = kept.filter((at) => at !== goes);
  }
  return kept;
}

/** The width of each column that is kept: the widest gives first, so that the short ones stay whole. */
function fitWidths(natural: readonly number[], kept: readonly number[], available: number): Map<number, number> {
  if (kept.length === 1) return new Map([[0, Math.min(natural[0] ?? 0, available)]]);
  const widths = new Map(kept.map((at) => [at, natural[at] ?? 0]));
  for (let excess = widthOfRow([...widths.values()]) - available; excess > 0; excess -= 1) {
    const [widest, width] = [...widths].slice(1).reduce((one, other) => (other[1] > one[1] ? other : one));
    widths.set(widest, width - 1);
  }
  return widths;
}

function widthOfRow(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, gap * (widths.length - 1));
}
