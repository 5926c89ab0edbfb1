import { oneLine } from "../../../../base/text.ts";
import type { Canvas } from "../../../output/timeline/canvas.ts";
import { columnsOf, cutTo } from "../../../output/timeline/spans.ts";

export interface Bar {
  readonly name: string;
  readonly count: number;
}

/** Names may take a third of the line, and a bar no more than this: beyond that length says nothing more. */
const longest = 40;

/** A line each, `name  ████████  3`, the longest first; `whole` is the count of a full bar. */
export function drawBars(bars: readonly Bar[], whole: number, { style, ascii, columns = 80 }: Canvas): string {
  const shown = [...bars].filter(({ count }) => count > 0).sort((one, other) => other.count - one.count);
  const names = shown.map(({ name }) => cutTo(oneLine(name), Math.max(8, Math.floor(columns / 3))));
  const nameWidth = Math.max(...names.map(columnsOf));
  const countWidth = String(whole).length;
  const room = Math.max(1, Math.min(longest, columns - nameWidth - countWidth - 4));
  return shown
    .map(({ count }, at) => {
      const name = names[at] ?? "";
      const bar = draw(count / whole, room, ascii);
      const gap = " ".repeat(room - columnsOf(bar) + 2);
      return `${name}${" ".repeat(nameWidth - columnsOf(name) + 2)}${style.cyan(bar)}${gap}${String(count).padStart(countWidth)}\n`;
    })
    .join("");
}

const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** To the eighth of a column, where the terminal has the signs for it (U+2588 to U+258F); never nothing. */
function draw(share: number, room: number, ascii: boolean): string {
  if (ascii) return "#".repeat(Math.max(1, Math.round(share * room)));
  const units = Math.max(1, Math.round(share * room * 8));
  return "█".repeat(Math.floor(units / 8)) + (eighths[units % 8] ?? "");
}
