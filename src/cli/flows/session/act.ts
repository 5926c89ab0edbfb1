import { FerryError } from "../../../base/errors.ts";

/**
 * A call of the extension, where a service that has only the seed answers that there is no such thing. What says so behind a redirect isn't
 * the operation, which may have been done.
 */
export async function orUnsupported<T>(call: Promise<T>, what: string): Promise<T> {
  try {
    return await call;
  } catch (error) {
    // Of a session that was just read, so it isn't the session that is missing.
    if (error instanceof FerryError && error.doubt === undefined && [404, 405, 501].includes(error.status ?? 0))
      throw new FerryError("failure", `this service can't ${what}`, { status: error.status, cause: error });
    throw error;
  }
}
