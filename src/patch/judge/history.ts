import type { Git } from "../../git/git.ts";
import { type Change, fields, RawReader } from "../../git/records.ts";
import { gitError } from "../../git/runner.ts";
import type { Quarantine } from "../quarantine.ts";

export interface CommitChanges {
  readonly commit: string;
  readonly changes: readonly Change[];
}

/**
 * What each commit of a range changes against each of its parents, oldest first, of all paths or of those that git's pathspecs name;
 * one commit at a time is held.
 */
export async function* commitChanges(
  git: Git,
  { quarantine, commits, pathspecs = [] }: { quarantine: Quarantine; commits: readonly string[]; pathspecs?: readonly string[] },
): AsyncGenerator<CommitChanges> {
  const args = [
    "diff-tree",
    "--stdin",
    "-r",
    "-m",
    "--root",
    "-z",
    "--raw",
    "--no-renames",
    "--no-abbrev",
    "--always",
    "--",
    ...pathspecs,
  ];
  const listing = await git.stream(args, quarantine.options);
  listing.stdin.end(commits.map((commit) => `${commit}\n`).join(""));
  const reader = new RawReader();
  let changes: Change[] = [];
  let commit = "";
  for await (const batch of fields(listing.stdout))
    for (const field of batch) {
      const change = reader.take(field);
      if (change !== undefined) changes.push(change);
      else if (reader.commit !== commit) {
        if (commit !== "") yield { commit, changes };
        commit = reader.commit;
        changes = [];
      }
    }
  if (commit !== "") yield { commit, changes };
  const { code, stderr } = await listing.exit;
  if (code !== 0) throw gitError(args, { code, stderr });
}
