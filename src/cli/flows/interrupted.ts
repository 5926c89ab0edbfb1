import { asFerryError, type ErrorKind } from "../../base/errors.ts";

/** The kind of what must be told also after Ctrl-C: an error of another kind gives way to the word that it was interrupted. */
export function kindNow(kind: ErrorKind, interrupt: AbortSignal): ErrorKind {
  return interrupt.aborted ? asFerryError(interrupt.reason).kind : kind;
}
