import { isOpen } from "../../../client/outcome.ts";
import type { EventItem, TimelineEvent } from "../../../client/timeline/items.ts";
import type { Terminal } from "../../../host/host.ts";
import { atFirst, renderEvent, renderUpdate } from "../event.ts";
import { makeCanvas } from "./canvas.ts";
import { cutTo } from "./spans.ts";
import { draftMessage } from "./talk.ts";

/** A timeline as it grows on stdout. */
export interface LiveTimeline {
  show(item: EventItem): Promise<void>;
  /** The agent writes this on; shown on a terminal until the whole message comes. */
  write(text: string): Promise<void>;
  /** Before something else is written to the terminal: what isn't final goes, and nothing above is drawn over any more. */
  settle(): Promise<void>;
}

interface Drawn {
  readonly id: string;
  readonly rows: number;
  /** The width that it was drawn for: in another one it has other rows. */
  readonly columns: number;
}

/** Higher than this, an event is not drawn over: what of it has left the screen can't be. */
const mostRows = 20;
/** Rows of a terminal that doesn't say how many it has. */
const usualRows = 24;
const draftId = "";
/** Control sequences (ECMA-48, 8.3.22, 8.3.41 and 8.3.39): so many lines up; this line emptied; all below emptied. */
const up = (rows: number) => `\u001b[${rows}A`;
const emptyLine = "\u001b[K";
const emptyBelow = "\u001b[J";

/**
 * Lines in the place of the last `rows` ones. Each line is emptied on its own, before it is written: a terminal that is emptied from
 * its first line on may take that for a new screen and keep the old one in its history, as tmux does.
 */
function inPlaceOf(rows: number, lines: readonly string[]): string {
  if (rows === 0) return lines.map((line) => `${line}\n`).join("");
  if (lines.length === 0) return `${up(rows)}${`${emptyLine}\n`.repeat(rows)}${up(rows)}`;
  return `${up(rows)}${lines.map((line) => `${emptyLine}${line}\n`).join("")}${emptyBelow}`;
}

/**
 * Events as lines, one after the other. On a terminal a change of the last one is drawn over it, if the terminal can (`TERM` is not
 * dumb) and still has the width that it was drawn for; any other change is told on a line of its own, where it says something.
 */
export function makeLiveTimeline(
  { stdout, unicode }: Pick<Terminal, "stdout" | "unicode">,
  term: string | undefined,
): LiveTimeline {
  const canRedraw = stdout.isTTY && term !== "dumb";
  let last: Drawn | undefined;
  let draft = "";
  const growing = new Map<string, string>();

  /** The cursor stands in the row below. */
  const highest = (): number => Math.min(mostRows, (stdout.rows ?? usualRows) - 1);
  /** How many rows of the terminal's last lines are this one's. */
  const rowsOf = (id: string): number => {
    const isThere = canRedraw && last?.id === id && last.columns === stdout.columns && last.rows <= highest();
    return isThere ? (last?.rows ?? 0) : 0;
  };
  const draw = async (id: string, lines: readonly string[], over: number): Promise<void> => {
    last = { id, rows: lines.length, columns: stdout.columns };
    await stdout.write(inPlaceOf(over, lines));
  };
  /** Whether the same lines stand above already: what was told while it grew, and came to nothing more. */
  const isTold = (event: TimelineEvent, lines: readonly string[]): boolean => {
    const text = lines.join("\n");
    const before = growing.get(event.id);
    if (isOpen(event)) growing.set(event.id, text);
    else growing.delete(event.id);
    return before === text;
  };
  return {
    async show({ event, update, late }) {
      const canvas = makeCanvas(stdout, unicode);
      const over = update ? rowsOf(event.id) : 0;
      const lines = update && over === 0 ? renderUpdate(event, canvas) : renderEvent(canRedraw ? event : atFirst(event), canvas);
      const isRepeat = isTold(event, lines) && over === 0;
      if (lines.length === 0 || isRepeat) return;
      if (late && stdout.isTTY) lines.push(canvas.style.dim(cutTo("  (late: older than what is above)", canvas.columns)));
      if (event.type === "agent_message") draft = "";
      await draw(event.id, lines, over + rowsOf(draftId));
    },
    async write(text) {
      if (!canRedraw) return;
      draft += text;
      await draw(draftId, draftMessage(draft, makeCanvas(stdout, unicode)), rowsOf(draftId));
    },
    async settle() {
      const rows = rowsOf(draftId);
      last = undefined;
      if (rows > 0) await stdout.write(inPlaceOf(rows, []));
    },
  };
}
