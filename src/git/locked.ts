import { FerryError } from "../base/errors.ts";
import { oneLine } from "../base/text.ts";
import type { GitResult } from "./git.ts";

/** How long a lock file that another git holds is waited for, in ms: its commands are short, an editor is not. */
export const lockPatience = 5000;

/** Between two tries, in ms. */
export const lockPause = 50;

/** The lock file of another git that a git failed of, as it says itself (lockfile.c). */
export function lockIn({ stderr }: Pick<GitResult, "stderr">): string | undefined {
  const said = /Unable to create '(.*\.lock)': File exists/iu.exec(stderr.toString("utf8"))?.[1];
  return said === undefined ? undefined : oneLine(said);
}

export function lockedError(said: string, cause?: unknown): FerryError {
  return new FerryError("attention", `another git holds a lock: ${said}`, {
    hint: "wait for it to end; if nothing runs any more, remove the lock file that it names",
    cause,
  });
}
