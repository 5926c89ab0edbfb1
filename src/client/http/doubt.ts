import { FerryError } from "../../base/errors.ts";

/**
 * What comes of a write that the service took, or seems to have taken: an error then says that it may have been done. With that nobody
 * sends it again unseen.
 * @throws FerryError what went wrong, with its doubt; the signal's reason as it is
 */
export async function orDoubt<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof FerryError && error !== signal?.reason ? inDoubt(error) : error;
  }
}

/** The error of a write that may have been done all the same, whatever its status says. */
export function inDoubt(error: FerryError): FerryError {
  const { message, status, asked, code, retryAfter, details } = error;
  // What a look behind the write didn't find is not what the write was for.
  const kind = error.kind === "not_found" ? "unavailable" : error.kind;
  // To try it again is no advice as long as it may have been done, nor is another scope for what was only to be looked at.
  const hint = (error.kind === "unavailable" && status !== undefined) || status === 403 ? undefined : error.hint;
  return new FerryError(kind, message, {
    status,
    asked,
    code,
    retryAfter,
    details,
    doubt: "whether it was done is not known",
    hint: hint ?? "look whether it was done before you do it again",
    cause: error,
  });
}
