import { oneLine, textOf } from "../../base/text.ts";
import type { Output } from "../../host/host.ts";
import { hanging, words } from "./prose.ts";

/**
 * One thing as lines of `name: value`, values in a column; what is missing shows as `–`. On a terminal a value that is wider than it
 * goes on below.
 */
export async function record(
  fields: readonly (readonly [name: string, value: string | null | undefined])[],
  { isTTY, columns }: Pick<Output, "isTTY" | "columns">,
): Promise<string> {
  const width = Math.max(...fields.map(([name]) => name.length)) + 2;
  const lines = fields.map(async ([name, value]) => {
    const text = oneLine(textOf(value)) || "–";
    const parts = isTTY ? await hanging(text, columns - width, 0, words) : [text];
    return parts.map((part, at) => `${(at === 0 ? `${name}:` : "").padEnd(width)}${part}\n`).join("");
  });
  return (await Promise.all(lines)).join("");
}
