import { ago } from "../../base/time.ts";

/** A time as the service sent it: how long ago on a terminal, else as it came. What is no time is shown as it is. */
export function when(text: string | null | undefined, terminal: boolean, now: number): string | undefined {
  if (text === null || text === undefined) return undefined;
  const time = Date.parse(text);
  return terminal && !Number.isNaN(time) ? ago(time, now) : text;
}
