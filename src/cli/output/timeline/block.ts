import { parseTime } from "../../../base/time.ts";
import type { Paint } from "../style.ts";
import type { Canvas, GlyphName } from "./canvas.ts";
import { columnsOf, inAscii, wrap, type Span } from "./spans.ts";

/** What an event looks like: a glyph, and lines that fit into `room` already. */
export interface Block {
  readonly glyph: GlyphName;
  readonly paint?: Paint | undefined;
  readonly lines: readonly string[];
}

/** What happened in a sentence, wrapped; below it what belongs to it. */
export function sentence(spans: readonly Span[], canvas: Canvas, body: readonly string[] = []): string[] {
  return [...wrap(spans, roomOf(canvas)), ...body];
}

/** The columns that a block has to itself; undefined without a terminal. */
export function roomOf(canvas: Canvas): number | undefined {
  return canvas.columns === undefined ? undefined : canvas.columns - indentOf(canvas);
}

/** `time  glyph  what`, its further lines below it. */
export function layOut({ glyph, paint, lines }: Block, createdAt: string, canvas: Canvas): string[] {
  const mark = canvas.glyphs[glyph];
  const head = `${canvas.style.dim(timeOf(createdAt, canvas))}  ${paint === undefined ? mark : paint(mark)} `;
  const indent = " ".repeat(indentOf(canvas));
  const shown = lines.map((line, at) => (at === 0 ? `${head}${line}` : `${indent}${line}`).trimEnd());
  return canvas.ascii ? shown.map(inAscii) : shown;
}

/** Below this, seconds are left out to leave room for what happened. */
const narrow = 60;

function indentOf(canvas: Canvas): number {
  return columnsOf(timeOf("", canvas)) + 4;
}

/** The hour on a terminal, the time as the service sent it in a pipe. */
function timeOf(createdAt: string, { columns }: Canvas): string {
  const digits = columns === undefined ? 24 : columns < narrow ? 5 : 8;
  const time = new Date(parseTime(createdAt));
  if (columns === undefined) return createdAt.padEnd(digits);
  return Number.isNaN(time.getTime()) ? "".padEnd(digits) : time.toTimeString().slice(0, digits);
}
