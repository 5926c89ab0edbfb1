import { inspect } from "node:util";
import type { FerryError } from "../../base/errors.ts";
import { harmless, harmlessJson, oneLine } from "../../base/text.ts";

/** How an error reads on stderr: one line, more lines where it has them, and what to do. With its stack only for --verbose. */
export function describeFailure(error: FerryError, verbose: boolean): string {
  const lines = [`ferry: ${oneLine(error.message)}`, ...error.details.map((detail) => `  ${oneLine(detail)}`)];
  if (error.hint !== undefined) lines.push(`  hint: ${oneLine(error.hint)}`);
  if (verbose) lines.push(harmless(inspect(error)));
  return `${lines.join("\n")}\n`;
}

/** The same for --json: one object on one line. */
export function failureAsJson({ kind, message, hint, status, code, details }: FerryError): string {
  const error = { kind, message, hint, status, code, ...(details.length === 0 ? {} : { details }) };
  return `${harmlessJson(JSON.stringify({ error }))}\n`;
}
