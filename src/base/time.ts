import { FerryError } from "./errors.ts";
import { count, cut } from "./text.ts";

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** In days. A time so far from now is still a date (ECMA-262, 21.4.1.1) with a year of four digits (RFC 3339, 5.6). */
const longest = 1_000_000;

/**
 * A duration as the user writes it (`90s`, `10m`, `2h`, `1h30m`) in milliseconds.
 * @throws FerryError usage, naming what it was for, where it is none or longer than a million days
 */
export function parseDuration(text: string, what = "duration"): number {
  const parts = [...text.trim().matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/gy)];
  const length = parts.reduce((sum, part) => sum + part[0].length, 0);
  if (parts.length === 0 || length !== text.trim().length)
    throw new FerryError("usage", `${what}: "${text}" is not a duration`, { hint: "write it as 90s, 10m, 2h or 90d" });
  const duration = parts.reduce((sum, [, number, unit]) => sum + Number(number) * (units[unit ?? ""] ?? 0), 0);
  if (duration > longest * 86_400_000)
    throw new FerryError("usage", `${what}: "${cut(text, 40)}" is too long`, { hint: `the longest is ${longest}d` });
  return duration;
}

/** A duration in ms as a sentence has it, in seconds where minutes would round too much: `45 seconds`, `1 second`, `10 minutes`. */
export function inWords(duration: number): string {
  const seconds = Math.round(duration / 1000);
  return seconds < 120 ? count(seconds, "second") : count(Math.round(seconds / 60), "minute");
}

/** How long ago `then` was, in the coarsest unit that says enough: `now`, `5m`, `3h`, `12d`. Both in epoch ms. */
export function ago(then: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - then) / 1000));
  if (seconds < 10) return "now";
  if (seconds < 60) return `${seconds}s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h ago`;
  return `${Math.floor(seconds / 86_400)}d ago`;
}

/** How long until `then`, as `ago` says how long since: `in 5m`; `now` where it has come. */
export function until(then: number, now: number): string {
  const passed = ago(now, then);
  return passed === "now" ? passed : `in ${passed.replace(/ ago$/u, "")}`;
}

/** A date with a time of day (ISO 8601), without the offset that RFC 3339, 5.6, asks for. */
const zoneless = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/iu;

/** A service's time stamp in epoch ms; NaN for what is none. Without an offset it is in UTC, as services mean it, wherever it is read. */
export function parseTime(text: string): number {
  return Date.parse(!text.endsWith("Z") && zoneless.test(text) ? `${text}Z` : text);
}
