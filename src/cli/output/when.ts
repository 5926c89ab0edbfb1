import { textOf } from "../../base/text.ts";
import { ago, parseTime } from "../../base/time.ts";

/** A time as the service sent it: how long ago on a terminal, else as it came. What is no time is shown as it is. */
export function when(text: string | null | undefined, terminal: boolean, now: number): string {
  const said = textOf(text);
  const time = parseTime(said);
  return terminal && !Number.isNaN(time) ? ago(time, now) : said;
}
