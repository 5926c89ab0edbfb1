import { typedId } from "../../base/ids.ts";
import type { PullRequest } from "../request.ts";

/**
 * The command that brings a session's commits to a new branch, all of them from where they begin, so that each is judged: one of the
 * sandbox's own commits may hold what was refused before, or left out, and is not to be checked out. That branch has no link, so the
 * session is named.
 */
export function ownBranch({ session, shape, allowSymlinks }: PullRequest): string {
  const same = [shape?.exclude === undefined ? "" : "--exclude", allowSymlinks === true ? "--allow-symlinks" : ""];
  const flags = same.filter((flag) => flag !== "").join(" and ");
  return `ferry pull ${typedId(session)} --branch NAME${flags === "" ? "" : `, with the same ${flags}`}`;
}
