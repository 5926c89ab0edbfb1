import { typedId } from "../../base/ids.ts";
import { type Series, short } from "../series/series.ts";

/** The commands that bring a session's commits to a branch which begins where they do; that branch has no link, so the session is named. */
export function ownBranch({ base }: Series, session: string): string {
  const begin = base === undefined ? "git switch --orphan NAME" : `git switch -c NAME ${short(base)}`;
  return `${begin} && ferry pull ${typedId(session)}`;
}
