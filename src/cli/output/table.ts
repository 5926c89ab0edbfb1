import { oneLine } from "../../base/text.ts";
import type { Output } from "../../host/host.ts";

export interface Column<Row> {
  readonly header: string;
  /** What stands in the cell: `terminal` tells whether a person reads it there, or a script uncut. */
  value(row: Row, terminal: boolean): string | null | undefined;
}

const gap = 2;
/** A column is not cut below this. */
const narrowest = 6;

/**
 * Rows as text: on a terminal with a header and columns that fit into its width, else one line a row, tab-separated and
 * uncut. A cell with nothing in it shows as `–` on a terminal, and is empty else.
 */
export async function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[], output: Output): Promise<string> {
  const cells = rows.map((row) => columns.map((column) => oneLine(column.value(row, output.isTTY) ?? "")));
  if (!output.isTTY) return cells.map((line) => `${line.join("\t")}\n`).join("");
  if (rows.length === 0) return "";
  // The tables of widths take 60 ms to load, more than all else of a list in a script.
  const [{ fit, pad, widthOf }, { makeStyle }] = await Promise.all([import("./width.ts"), import("./style.ts")]);
  const shown = cells.map((line) => line.map((cell) => cell || "–"));
  const headers = columns.map(({ header }) => header);
  const widths = fitWidths(
    columns.map((_, at) => Math.max(...[headers, ...shown].map((line) => widthOf(line[at] ?? "")))),
    output.columns,
  );
  const line = (texts: readonly string[]): string =>
    texts
      .map((text, at) => pad(fit(text, widths[at] ?? 0), widths[at] ?? 0))
      .join("  ")
      .trimEnd();
  return [makeStyle(output.color).bold(line(headers)), ...shown.map(line), ""].join("\n");
}

/** Takes from the widest columns first, so that the short ones (ids, states, times) stay whole. */
function fitWidths(natural: readonly number[], available: number): number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, width) => sum + width, gap * (widths.length - 1)) - available;
  while (excess > 0) {
    const widest = Math.max(...widths);
    if (widest <= narrowest) break;
    const at = widths.indexOf(widest);
    widths[at] = widest - 1;
    excess -= 1;
  }
  return widths;
}
