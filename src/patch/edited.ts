import { asFerryError, FerryError } from "../base/errors.ts";
import { shellWord } from "../base/words.ts";
import { showPath } from "../git/path.ts";
import type { Context } from "./context.ts";
import { isRef, rescueFolder } from "./recovery/rescue.ts";
import { PullRefused, type Verdict } from "./verdict.ts";

/**
 * What is thrown at the end: that files were edited while they were replaced or their worktree was taken away, where any were, with what else went wrong as its cause;
 * else that.
 */
export function withEdited(error: unknown, { edited, repository }: Context, done?: Verdict): unknown {
  const [first] = edited;
  if (first === undefined || (error instanceof FerryError && error.code === "edited_meanwhile")) return error;
  const verdict = error instanceof PullRefused ? error.verdict : done;
  const [name, more] = [showPath(first.path), edited.length - 1];
  const isParked = edited.every((each) => each.isParked === true);
  const which = (isParked ? savedThere : editedHere)(name, more);
  const other = error === undefined ? undefined : asFerryError(error);
  const refs = edited.filter(isRef).map(({ copy }) => copy);
  const files = more === 0 ? first.copy : rescueFolder(repository);
  const place = [...(refs.length === edited.length ? [] : [files]), ...refs].join(" and ");
  const message = `${other === undefined ? "all is done, but" : `${other.message}; and`} ${which}: what was written is in ${place}`;
  const shown = isParked
    ? `take over what you want of what is in ${place}${refs.map((ref) => `; git log -p ${ref} shows the commits`).join("")}`
    : `git diff --no-index ${shellWord(name)} ${shellWord(first.copy)} shows what was written; take over what you want of it`;
  const rest = {
    code: "edited_meanwhile",
    details: [...edited.map(({ path, copy }) => `${showPath(path)}: ${copy}`), ...(other?.details ?? [])],
    hint: [shown, ...(other?.hint === undefined ? [] : [other.hint])].join("; "),
    cause: error,
  };
  return verdict === undefined
    ? new FerryError("attention", message, rest)
    : new PullRefused("attention", message, { ...rest, verdict });
}

function editedHere(name: string, more: number): string {
  return more === 0
    ? `${name} was edited while it was replaced`
    : `${name} and ${more} more were edited while they were replaced`;
}

/** No working copy has them: the worktree is gone, or at the next conflict. */
function savedThere(name: string, more: number): string {
  return `${more === 0 ? `${name} was` : `${name} and ${more} more were`} saved in the parked worktree meanwhile`;
}
