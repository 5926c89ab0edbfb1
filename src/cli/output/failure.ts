import { FerryError, lineOf } from "../../base/errors.ts";
import { describeFault, framesOf } from "../../base/fault.ts";
import { harmless, harmlessJson, oneLine, wellFormedJson } from "../../base/text.ts";

/** How an error reads on stderr: one line, more lines where it has them, and what to do. With its stack only for --verbose. */
export async function describeFailure(error: FerryError, verbose: boolean): Promise<string> {
  const { message, details } = error;
  // The one thing that is in the way stands in the message already.
  const [detail = ""] = details;
  const isTold = details.length === 1 && (message.endsWith(detail) || message.startsWith(`${detail} `));
  const shown = details.some((detail) => detail.includes("\t"))
    ? await (await import("./rows.ts")).inColumns(details)
    : details.map(oneLine);
  const lines = [`ferry: ${oneLine(lineOf(error))}`, ...(isTold ? [] : shown.map((detail) => `  ${detail}`))];
  if (error.hint !== undefined) lines.push(`  hint: ${oneLine(error.hint)}`);
  if (verbose) lines.push(harmless(traceOf(error).join("\n")));
  return `${lines.join("\n")}\n`;
}

/** So many errors are told, each the cause of the one before. */
const mostCauses = 8;

/**
 * Errors with their calls, down to the first cause. Of what hangs on one only our own words are told: others hang the bytes of an
 * answer there, the request, or its headers.
 */
function traceOf(error: Error, depth = 0): readonly string[] {
  const cause: unknown = error instanceof AggregateError ? error.errors[0] : error.cause;
  const own = error instanceof FerryError ? ownWords(error) : [];
  const code: readonly string[] = "code" in error && typeof error.code === "string" ? [`    code: ${error.code}`] : [];
  const below = cause instanceof Error && depth < mostCauses ? traceOf(cause, depth + 1) : [];
  const lines = [describeFault(error), ...framesOf(error), ...own, ...code];
  return below.length === 0 ? lines : [...lines, `  cause: ${below[0] ?? ""}`, ...below.slice(1)];
}

function ownWords({ kind, status }: FerryError): readonly string[] {
  return [`    kind: ${kind}`, ...(status === undefined ? [] : [`    status: ${status}`])];
}

/** The same for --json: one object on one line. */
export function failureAsJson(failure: FerryError): string {
  const { kind, hint, status, code, details } = failure;
  // What another program said may be several lines.
  const message = lineOf(failure).replace(/\s*\n\s*/gu, " ");
  const error = { kind, message, hint, status, code, ...(details.length === 0 ? {} : { details }) };
  return `${harmlessJson(wellFormedJson(JSON.stringify({ error })))}\n`;
}
