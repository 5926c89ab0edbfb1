import { FerryError } from "../../../base/errors.ts";
import { oneLine } from "../../../base/text.ts";
import { dollars } from "../../output/dollars.ts";
import type { KnownSchedule } from "./find.ts";

/** What a limit in USD can be for. */
const spans = ["run", "day", "week", "month"] as const;
type Span = (typeof spans)[number];

export type Budget<T = number> = { [S in Span]?: T };

/**
 * Limits as the user gives them, e.g. `run=2`, `day=10.50`; null for `none`, which takes a limit away.
 * @throws FerryError usage
 */
export function parseBudget(given: readonly string[]): Budget<number | null> {
  return Object.fromEntries(given.map((limit) => parseLimit(limit)));
}

function parseLimit(text: string): [Span, number | null] {
  const [name = "", amount = "", ...more] = text.split("=");
  const span = spans.find((known) => known === name);
  const dollars = /^\$?(\d+(?:\.\d{1,2})?)$/u.exec(amount)?.[1];
  if (span !== undefined && more.length === 0 && amount === "none") return [span, null];
  if (span !== undefined && more.length === 0 && dollars !== undefined && Number(dollars) > 0) return [span, Number(dollars)];
  throw new FerryError("usage", `--budget ${oneLine(text)} is no limit`, {
    hint: `in USD per ${spans.join(", ")}, e.g. --budget run=2,month=50`,
  });
}

/** `$2 a run, $50 a month`; undefined where there is no limit. */
export function describeBudget({ budget }: KnownSchedule): string | undefined {
  const limits = spans.flatMap((span) => {
    const amount = budget?.[span];
    return typeof amount === "number" ? [`${dollars(amount)} a ${span}`] : [];
  });
  return limits.length === 0 ? undefined : limits.join(", ");
}
