import { oneLine } from "../../base/text.ts";
import { isAscii } from "./prose.ts";

/** Lines of which some are rows, with tabs between their cells: these in columns, as a table has them, the others as they are. */
export async function inColumns(lines: readonly string[]): Promise<string[]> {
  const rows = lines.map((line) => line.split("\t").map(oneLine));
  // The tables of widths are loaded only for what needs them.
  const widthOf = lines.join("").split("\t").every(isAscii)
    ? (text: string) => text.length
    : (await import("./width.ts")).widthOf;
  const widest = (at: number): number =>
    rows.reduce((most, cells) => (at < cells.length - 1 ? Math.max(most, widthOf(cells[at] ?? "")) : most), 0);
  const widths = Array.from({ length: rows.reduce((most, { length }) => Math.max(most, length), 0) }, (_, at) => widest(at));
  return rows.map((cells) =>
    cells.map((cell, at) => (at === cells.length - 1 ? cell : cell + " ".repeat((widths[at] ?? 0) - widthOf(cell) + 2))).join(""),
  );
}
