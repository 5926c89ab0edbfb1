import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { FerryError } from "../../base/errors.ts";
import { oneLine } from "../../base/text.ts";
import { shellWord } from "../../base/words.ts";

/**
 * How a note on disk names files of the repository: from its common folder on. A repository is moved, copied, or seen by another path (from
 * within a container), and a note is of the working copy that lies there then.
 */
export function noted(path: string, commonDir: string): string {
  return relative(commonDir, path) || ".";
}

/** What an earlier version noted by absolute paths; those of now are relative. */
interface Then {
  readonly gitDir: string;
  readonly locks: readonly string[];
}

/**
 * Gives where a note's paths are in the repository with this common folder; undefined where an earlier version noted them, and it can't be
 * told which of its working copies was meant.
 */
export function placesNow({ gitDir, locks }: Then, commonDir: string): ((path: string) => string) | undefined {
  if (!isAbsolute(gitDir) || isIn(gitDir, commonDir)) return (path) => resolve(commonDir, path);
  const then = commonThen({ gitDir, locks });
  if (then === undefined) return undefined;
  return (path) => (isIn(path, then) ? join(commonDir, relative(then, path)) : path);
}

/** The common folder that it was: the packed refs' lock lies there, and was noted with any other. */
function commonThen({ gitDir, locks }: Then): string | undefined {
  const packed = locks.find((path) => basename(path) === "packed-refs.lock");
  const linked = basename(dirname(gitDir)) === "worktrees" ? dirname(dirname(gitDir)) : undefined;
  if (packed === undefined) return linked ?? (basename(gitDir) === ".git" ? gitDir : undefined);
  return [gitDir, linked].find((folder) => folder === dirname(packed));
}

/** What is not to be deleted unseen, nor acted on. */
export function foreignNoteError(gitDir: string, { note, aside }: { note: string; aside?: string | undefined }): FerryError {
  const kept =
    aside === undefined ? "" : `what it had put away of your files is in ${oneLine(aside)}: keep what you want of it; `;
  return new FerryError("attention", `a pull was interrupted in ${oneLine(gitDir)}, which is none of this repository's folders`, {
    hint: `${kept}then rm -r ${[note, ...(aside === undefined ? [] : [aside])].map((path) => shellWord(path)).join(" ")}, and pull again`,
  });
}

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}${sep}`);
}
