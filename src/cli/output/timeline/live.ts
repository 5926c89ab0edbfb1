import type { EventItem } from "../../../client/timeline/items.ts";
import type { Terminal } from "../../../host/host.ts";
import { renderEvent, renderUpdate } from "../event.ts";
import { makeCanvas } from "./canvas.ts";

/** A timeline as it grows on stdout. */
export interface LiveTimeline {
  show(item: EventItem): Promise<void>;
  /** Something else was written to the terminal: what stands above it is no longer drawn over. */
  disturb(): void;
}

/** Higher than this, an event may have left the screen: it is not drawn over. */
const mostRows = 20;
const beginningOfDisplay = (rows: number) => `\u001b[${rows}A\u001b[J`;

/**
 * Events as lines, one after the other. On a terminal a change of the last one is drawn over it, if the terminal can (`TERM` is not
 * dumb) and still has the width that it was drawn for; any other change is told on a line of its own, where it says something.
 */
export function makeLiveTimeline(
  { stdout, unicode }: Pick<Terminal, "stdout" | "unicode">,
  term: string | undefined,
): LiveTimeline {
  const canRedraw = stdout.isTTY && term !== "dumb";
  let last: { readonly id: string; readonly rows: number; readonly columns: number } | undefined;
  return {
    async show({ event, update, late }) {
      const canvas = makeCanvas(stdout, unicode);
      const over =
        canRedraw && update && last?.id === event.id && last.columns === stdout.columns && last.rows <= mostRows
          ? last
          : undefined;
      const lines = update && over === undefined ? renderUpdate(event, canvas) : renderEvent(event, canvas);
      if (lines.length === 0) return;
      if (late && stdout.isTTY) lines.push(canvas.style.dim("  (late: older than what is above)"));
      last = { id: event.id, rows: lines.length, columns: stdout.columns };
      await stdout.write(`${over === undefined ? "" : beginningOfDisplay(over.rows)}${lines.join("\n")}\n`);
    },
    disturb() {
      last = undefined;
    },
  };
}
