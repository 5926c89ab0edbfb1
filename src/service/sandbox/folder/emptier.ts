import { asFerryError } from "../../../base/errors.ts";
import { emptyTrash, trashed } from "./trash.ts";

/** Empties the trash of a data folder beside whatever else the service does: it may hold a million files, which nobody waits for. */
export interface Emptier {
  /** Something may lie in it. */
  poke(): void;
  /** Begins nothing more; resolves when it is at rest, with what is left for the next. */
  stop(): Promise<void>;
}

/**
 * @param root the folder of all sandboxes, beside which the trash is
 * @param log takes what couldn't be removed, which is tried again
 */
export function makeEmptier(root: string, log: (message: string) => void): Emptier {
  const halt = new AbortController();
  let working = Promise.resolve();
  let asked = false;
  const empty = async (): Promise<void> => {
    asked = false;
    await emptyTrash(await trashed(root), halt.signal);
  };
  return {
    poke() {
      if (asked || halt.signal.aborted) return;
      asked = true;
      working = working.then(empty).catch((error: unknown) => {
        const { message, details } = asFerryError(error);
        log([message, ...details].join("; "));
      });
    },
    stop() {
      halt.abort();
      return working;
    },
  };
}
