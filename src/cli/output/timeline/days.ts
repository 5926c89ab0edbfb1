import { parseTime } from "../../../base/time.ts";
import type { Canvas } from "./canvas.ts";

/**
 * Tells on a terminal of which day an event is, where that isn't the day of the one above it (of the first, today): the lines of the
 * events have the hour alone. Gives the line, if there is one to write; nothing in a pipe, where each line has its whole time.
 */
export function makeDays(now: number): (createdAt: string, canvas: Canvas) => readonly string[] {
  let last = dayOf(new Date(now));
  return (createdAt, { columns, style, ascii }) => {
    if (columns === undefined) return [];
    const time = new Date(parseTime(createdAt));
    if (Number.isNaN(time.getTime())) return [];
    const day = dayOf(time);
    if (day === last) return [];
    last = day;
    const rule = ascii ? "--" : "──";
    return [style.dim(`${rule} ${day} ${rule}`)];
  };
}

/** Here, as the hours are: `2026-11-28`. */
function dayOf(time: Date): string {
  const digits = (number: number, length = 2): string => String(number).padStart(length, "0");
  return `${digits(time.getFullYear(), 4)}-${digits(time.getMonth() + 1)}-${digits(time.getDate())}`;
}
