import { harmless, oneLine } from "../../base/text.ts";

/** One thing as lines of `name: value`, values in a column; what is missing shows as `–`. */
export function record(fields: readonly (readonly [name: string, value: string | null | undefined])[]): string {
  const width = Math.max(...fields.map(([name]) => name.length)) + 2;
  return fields.map(([name, value]) => `${`${name}:`.padEnd(width)}${oneLine(harmless(value ?? "")) || "–"}\n`).join("");
}
