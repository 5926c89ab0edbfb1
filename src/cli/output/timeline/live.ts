import { stripVTControlCharacters } from "node:util";
import { isOpen } from "../../../client/outcome.ts";
import type { EventItem, TimelineEvent } from "../../../client/timeline/items.ts";
import { printOf } from "../../../client/timeline/whole/print.ts";
import type { Terminal } from "../../../host/host.ts";
import { atFirst, renderEvent, renderState, renderUpdate, renderWork } from "../event.ts";
import { characters, widthOfCharacter } from "../width.ts";
import { makeAnswers } from "./answers.ts";
import { type Canvas, makeCanvas } from "./canvas.ts";
import { makeDays } from "./days.ts";
import { wordOf } from "./fields.ts";
import { columnsOf, cutTo } from "./spans.ts";
import { draftMessage } from "./talk.ts";

/** A timeline as it grows on stdout. */
export interface LiveTimeline {
  /** All at once, so that a long timeline is no write an event. */
  show(items: readonly EventItem[]): Promise<void>;
  /** The agent writes this on; shown on a terminal until the whole message comes. */
  write(text: string): Promise<void>;
  /** Before something else is written to the terminal: what isn't final goes, and nothing above is drawn over any more. */
  settle(): Promise<void>;
}

interface Drawn {
  readonly id: string;
  readonly lines: readonly string[];
  /** Or only what became of it: it stands above as a whole. */
  readonly whole: boolean;
}

/** What was told of something under way, by prints: it may be all of a long timeline. */
interface Told {
  readonly lines: number;
  /** What is done, whatever its state. */
  readonly work: number | undefined;
  readonly status: unknown;
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
 * How many rows the lines have on a terminal that is `columns` wide now: it breaks those anew that were drawn for a wider one, and
 * joins them again when it grows.
 */
function rowsOfLines(lines: readonly string[], columns: number): number {
  return lines.reduce((sum, line) => sum + rowsOfLine(stripVTControlCharacters(line), columns), 0);
}

function rowsOfLine(line: string, columns: number): number {
  let [rows, used] = [1, 0];
  if (columnsOf(line) <= columns) return rows;
  for (const character of characters(line)) {
    const size = leastWidthOf(character);
    // A wide character isn't cut in two: it goes to the next row as a whole.
    if (used + size > columns) [rows, used] = [rows + 1, 0];
    used += size;
  }
  return rows;
}

/**
 * A narrow character that is to look like an emoji (U+FE0F behind it; Unicode TS #51, 2.8) has one column on some terminals and two on
 * others. The smaller counts: a row too few that is drawn over leaves an old line, one too many loses what stands above.
 */
function leastWidthOf(character: string): number {
  const width = widthOfCharacter(character);
  return character.includes("\ufe0f") ? Math.min(1, width) : width;
}

/**
 * Events as lines, one after the other. On a terminal a change of the last one is drawn over it, if the terminal can (`TERM` is not
 * dumb) and shows the program in front, in as many rows as it has in the width of now; any other change is told on a line of its own, where
 * it says something. `now`: when it begins; `say`: the command that answers its agent, where that isn't plain `ferry say`.
 */
export function makeLiveTimeline(
  { stdout, unicode, wasAway, isInFront }: Pick<Terminal, "stdout" | "unicode" | "wasAway" | "isInFront">,
  term: string | undefined,
  { now, say }: { readonly now: number; readonly say?: string | undefined },
): LiveTimeline {
  const canRedraw = stdout.isTTY && term !== "dumb";
  let redraws = canRedraw;
  let last: Drawn | undefined;
  /** What was last when something else was written below it, or when nothing could be drawn over: its next change is drawn whole. */
  let behind: string | undefined;
  let draft = "";
  const growing = new Map<string, Told>();

  /** The cursor stands in the row below. */
  const highest = (): number => Math.min(mostRows, (stdout.rows ?? usualRows) - 1);
  /** How many rows of the terminal's last lines are this one's. */
  const rowsOf = (id: string): number => {
    if (last?.id !== id) return 0;
    const rows = rowsOfLines(last.lines, stdout.columns);
    return rows <= highest() ? rows : 0;
  };
  const draw = (drawn: Drawn, over: number, above: readonly string[] = []): string => {
    last = drawn;
    if (redraws) behind = undefined;
    else leave();
    return inPlaceOf(over, [...above, ...drawn.lines]);
  };
  const leave = (): void => {
    if (last !== undefined) behind = last.whole ? last.id : undefined;
    last = undefined;
  };
  /** Whether the same lines stand above already: what was told while it grew, and came to nothing more. */
  const isTold = (event: TimelineEvent, lines: readonly string[], work: number | undefined): boolean => {
    const before = growing.get(event.id);
    if (!isOpen(event) && before === undefined) return false;
    const now = printOf(lines);
    if (!isOpen(event)) growing.delete(event.id);
    else if (lines.length > 0) growing.set(event.id, { lines: now, work, status: event.status });
    return before?.lines === now;
  };
  const answers = makeAnswers();
  const daysTold = makeDays(now);
  const drawEvent = ({ event: given, update, late }: EventItem, canvas: Canvas): string => {
    const event = answers.spelledOut(given);
    if (event === undefined) return "";
    const over = update ? rowsOf(event.id) : 0;
    const isInPlace = !update || (over > 0 && last?.whole === true) || (redraws && event.id === behind);
    const before = growing.get(event.id);
    const work = isOpen(event) || before !== undefined ? workOf(event, canvas) : undefined;
    // Of the same work its new state alone is told, where it can't be drawn over what stands above.
    const isSame = !isInPlace && work !== undefined && before?.work === work;
    if (isSame && before.status === event.status) return "";
    const lines = isInPlace
      ? renderEvent(redraws ? event : atFirst(event), canvas)
      : isSame
        ? renderState(event, canvas)
        : renderUpdate(event, canvas);
    const isRepeat = isTold(event, lines, work) && over === 0;
    const isShown = lines.length > 0 && !isRepeat;
    // A whole message ends what was being written, even where it says nothing.
    if (event.type === "agent_message" && (isShown || !isOpen(event))) draft = "";
    if (!isShown) return "";
    if (late && stdout.isTTY) lines.push(canvas.style.dim(cutTo("  (late: older than what is above)", canvas.columns)));
    // What is drawn over is the event's own lines: the day stays above them.
    const day = update ? [] : daysTold(wordOf(event.created_at), canvas);
    const whole = isInPlace || (work !== undefined && !isSame);
    return draw({ id: event.id, lines, whole }, over + rowsOf(draftId), day);
  };
  /**
   * What stood above the cursor when the program was stopped stands above the shell's lines now: it is drawn anew below. In the background
   * the shell may write at any time, so nothing is drawn over there, as in a pipe.
   */
  const lookAround = async (): Promise<void> => {
    if (!canRedraw) return;
    const isAway = await wasAway();
    redraws = isInFront();
    if (isAway || !redraws) leave();
  };
  return {
    async show(items) {
      await lookAround();
      const canvas = makeCanvas(stdout, unicode, say);
      const text = items.map((item) => drawEvent(item, canvas)).join("");
      if (text !== "") await stdout.write(text);
    },
    async write(text) {
      if (!canRedraw) return;
      await lookAround();
      draft += text;
      if (!redraws) return;
      const lines = draftMessage(draft, makeCanvas(stdout, unicode, say));
      await stdout.write(draw({ id: draftId, lines, whole: true }, rowsOf(draftId)));
    },
    async settle() {
      await lookAround();
      const rows = rowsOf(draftId);
      leave();
      if (rows > 0) await stdout.write(inPlaceOf(rows, []));
    },
  };
}

function workOf(event: TimelineEvent, canvas: Canvas): number | undefined {
  const lines = renderWork(event, canvas);
  return lines && printOf(lines);
}
