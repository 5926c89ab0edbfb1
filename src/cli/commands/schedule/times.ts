import { FerryError } from "../../../base/errors.ts";
import { oneLine, textOf, textsOf } from "../../../base/text.ts";
import { intervalUnits, weekdays as days } from "../../../wire/values.ts";
import type { KnownSchedule } from "./find.ts";

export interface Interval {
  readonly n: number;
  readonly unit: (typeof intervalUnits)[number];
}

/**
 * How often, as the user writes it: `day`, `6h`, `2w`, `3 months`.
 * @throws FerryError usage
 */
export function parseInterval(text: string): Interval {
  const [, digits = "1", word = ""] = /^(\d{1,4})?\s*([a-z]+)$/iu.exec(text.trim()) ?? [];
  const unit = intervalUnits.find((known) => [known, `${known}s`, shortUnits[known]].includes(word.toLowerCase()));
  const n = Number(digits);
  if (unit !== undefined && n > 0) return { n, unit };
  throw new FerryError("usage", `--every ${oneLine(text)} is no interval`, { hint: "write it as 6h, 1d, 2w or 1mo" });
}

const shortUnits: Readonly<Record<Interval["unit"], string>> = { hour: "h", day: "d", week: "w", month: "mo" };

/**
 * Days as the user names them, by three letters or in full, in the order of the week; `weekdays` are Monday to Friday.
 * @throws FerryError usage
 */
export function parseDays(given: readonly string[]): (typeof days)[number][] {
  const named = given.flatMap((word) => daysNamed(word));
  return days.filter((day) => named.includes(day));
}

function daysNamed(word: string): readonly string[] {
  const name = word.toLowerCase();
  if (name === "weekdays") return days.slice(0, 5);
  if (name === "weekend") return days.slice(5);
  const day = days.find((known) => known === name || known.slice(0, 3) === name);
  if (day !== undefined) return [day];
  throw new FerryError("usage", `--on ${oneLine(word)} is no day`, { hint: "name them as mon,wed,fri, weekdays or weekend" });
}

/** @throws FerryError usage for what is not on a quarter of an hour (the seed, Limits 2) */
export function parseTimeOfDay(text: string): string {
  const [, hours = "", minutes = ""] = /^(\d{1,2}):(\d{2})$/u.exec(text) ?? [];
  if (hours === "" || Number(hours) > 23 || Number(minutes) > 59)
    throw new FerryError("usage", `--at ${oneLine(text)} is no time of day`, { hint: "write it as 09:00 or 17:45" });
  if (Number(minutes) % 15 !== 0)
    throw new FerryError("usage", `--at ${text} is not on a quarter of an hour`, {
      hint: `e.g. ${hours}:${nearestQuarter(minutes)}`,
    });
  return `${hours.padStart(2, "0")}:${minutes}`;
}

function nearestQuarter(minutes: string): string {
  return String(Math.floor(Number(minutes) / 15) * 15).padStart(2, "0");
}

/**
 * A name of the tz database as it writes it (`europe/berlin` → `Europe/Berlin`).
 * @throws FerryError usage
 */
export function parseTimezone(text: string): string {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions().timeZone;
  } catch (cause) {
    throw new FerryError("usage", `--timezone ${oneLine(text)}: there is none of that name`, {
      hint: "e.g. Europe/Berlin, America/New_York or UTC",
      cause,
    });
  }
}

/** The zone of this machine: whose nine o'clock its user means. */
export function localTimezone(): string {
  return new Intl.DateTimeFormat("en").resolvedOptions().timeZone;
}

/** When it runs, in words: `every 2 weeks on mon, fri at 09:00 (Europe/Berlin)`. */
export function describeTimes({ every, weekdays, time_of_day, timezone }: KnownSchedule): string {
  const { n, unit } = every ?? {};
  const often = unit ? `every ${n === 1 || !n ? textOf(unit) : `${textOf(n)} ${textOf(unit)}s`}` : undefined;
  const on = textsOf(weekdays);
  const at = time_of_day ? `at ${textOf(time_of_day)}` : undefined;
  const zone = timezone && (on.length > 0 || at !== undefined) ? `(${textOf(timezone)})` : undefined;
  return [often, on.length === 0 ? undefined : `on ${describeDays(on)}`, at, zone].filter(Boolean).join(" ");
}

function describeDays(named: readonly string[]): string {
  if (named.join() === days.slice(0, 5).join()) return "weekdays";
  return named.map((day) => day.slice(0, 3)).join(", ");
}
