import { FerryError } from "../../base/errors.ts";
import type { Clock } from "../../host/host.ts";

/**
 * The work's result, if it comes within `ms`.
 * @throws FerryError failure that says what took too long
 */
export async function within<T>(clock: Clock, ms: number, what: string, work: Promise<T>): Promise<T> {
  const over = new AbortController();
  const late = clock.sleep(ms, over.signal).then(() => {
    throw new FerryError("failure", `${what} took longer than ${Math.round(ms / 1000)} s`);
  });
  // Its other end is the abort below, which nobody waits for.
  late.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    over.abort();
  }
}
