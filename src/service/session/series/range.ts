import type { Git } from "../../../git/git.ts";
import type { Session } from "../../../wire/resources.ts";
import { Problem } from "../../problem.ts";
import type { SessionsDeps } from "../deps.ts";
import { isAncestor } from "../repository/bring-home.ts";
import { layout, own } from "../repository/layout.ts";

export type Deps = Pick<SessionsDeps, "git" | "data">;

/** A part of a session's series: the commits behind `after`, up to `until`. */
export interface Range {
  readonly gitDir: string;
  /** Where the session began; "" for an unborn base. */
  readonly base: string;
  /** "" for all from an unborn base. */
  readonly after: string;
  /** "" where there is no commit at all. */
  readonly until: string;
}

/**
 * @param asked full commit ids; "" for the session's base and its head
 * @throws Problem 400 for what is no id, 409 `history_rewritten` where a commit is not (any more) part of the series
 */
export async function resolveRange(
  { git, data }: Deps,
  session: Session,
  asked: { after: string; until: string },
): Promise<Range> {
  const gitDir = layout.repository(data, session.id);
  const base = session.base_commit ?? "";
  const head = session.head_commit ?? "";
  for (const name of ["after", "until"] as const)
    if (!/^([0-9a-f]{40}([0-9a-f]{24})?)?$/u.test(asked[name]))
      throw new Problem(400, "invalid_commit", `${name}: "${asked[name]}" is no full commit id`);
  const range = { gitDir, base, after: asked.after || base, until: asked.until || head };
  // Nothing is behind the head, whatever else is before it.
  if (head !== "" && range.after === head && range.until === head) return range;
  const chain = [base, range.after, range.until, head].filter((commit) => commit !== "");
  for (const [at, commit] of chain.entries()) {
    const next = chain[at + 1];
    if (next !== undefined && commit !== next && !(await isAncestor(git, gitDir, commit, next)))
      throw rewritten(range, base, head);
  }
  return range;
}

/** Its commits, oldest first, each after its parents. */
export async function listCommits(git: Git, range: Range): Promise<string[]> {
  if (range.until === "") return [];
  const output = await git.ok(["rev-list", "--reverse", "--topo-order", range.until, ...exclude(range.after)], own(range.gitDir));
  return output
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "");
}

export async function countCommits(git: Git, gitDir: string, until: string, after: string): Promise<number> {
  if (until === "") return 0;
  return Number((await git.ok(["rev-list", "--count", until, ...exclude(after)], own(gitDir))).toString("utf8"));
}

/** Why the range can't be mail, "" where it can. */
export async function whyNotMailable(git: Git, range: Range): Promise<string> {
  if (range.until === "") return "";
  const args = ["rev-list", "--merges", "--max-count=1", range.until, ...exclude(range.after)];
  const merge = (await git.ok(args, own(range.gitDir))).toString("utf8").trim();
  return merge === "" ? "" : `${merge} is a merge, which no patch can carry`;
}

export function exclude(commit: string): string[] {
  return commit === "" ? [] : [`^${commit}`];
}

function rewritten({ after, until }: Range, base: string, head: string): Problem {
  const series = `${base === "" ? "its first commit" : base} to ${head}`;
  return new Problem(
    409,
    "history_rewritten",
    `${after} to ${until} is not part of the session's history, which goes from ${series}`,
  );
}
