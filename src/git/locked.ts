import { FerryError } from "../base/errors.ts";

/** How long a lock file that another git holds is waited for, in ms: its commands are short, an editor is not. */
export const lockPatience = 5000;

/** Between two tries, in ms. */
export const lockPause = 50;

export function lockedError(said: string, cause?: unknown): FerryError {
  return new FerryError("attention", `another git holds a lock: ${said}`, {
    hint: "wait for it to end; if nothing runs any more, remove the lock file that it names",
    cause,
  });
}
