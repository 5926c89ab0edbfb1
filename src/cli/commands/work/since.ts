import { FerryError } from "../../../base/errors.ts";
import { oneLine } from "../../../base/text.ts";
import { parseDuration } from "../../../base/time.ts";

/** `--since` in epoch ms: `2026-01-31T12:00:00Z`, or how long ago (`10m`). @throws FerryError usage for what is neither */
export function sinceTime(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^[\d.]+(ms|s|m|h|d)/u.test(text)) return now - parseDuration(text, "--since");
  const time = isoTime(text);
  if (time !== undefined) return time;
  throw new FerryError("usage", `--since: "${oneLine(text)}" is no time`, {
    hint: "write it as 2026-01-31T12:00:00Z, or as 10m for ten minutes ago",
  });
}

const day = String.raw`(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])`;
const timeOfDay = String.raw`(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?`;
const offset = String.raw`(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)`;
const iso = new RegExp(`^${day}(?:[T ]${timeOfDay}${offset}?)?$`, "iu");

/**
 * A date or a time of ISO 8601, as RFC 3339, 5.6, has it, or without its offset. `Date.parse` alone takes much else for a date, `5` for
 * one in May, and the 30th of February for the 2nd of March.
 */
function isoTime(text: string): number | undefined {
  const [, year, month, date] = iso.exec(text) ?? [];
  if (date === undefined || Number(date) > daysIn(Number(year), Number(month))) return undefined;
  return Date.parse(text.toUpperCase().replace(" ", "T"));
}

function daysIn(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
}
