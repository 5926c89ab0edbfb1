import type { SourceName } from "./source.ts";
import { type ErrorDetails, type ErrorKind, FerryError } from "../base/errors.ts";

/** What a pull did, or with `dryRun` would do: the JSON of `ferry pull`. */
export interface Verdict {
  readonly applied: boolean;
  /** The commit that the branch was at; "" for an unborn one. */
  readonly base: string;
  /** The commit that it is at now. */
  readonly tip: string;
  readonly engine: EngineName | "none";
  readonly source: SourceName;
  /** The same in words: which branch of which remote, say. */
  readonly from: string;
  /** exact: the ids are the sandbox's. */
  readonly exactness: "exact" | "rebuilt" | "approximate";
  readonly commits: readonly VerdictCommit[];
  /** How many paths differ between base and tip. */
  readonly files: number;
  /** Paths that both sides changed. */
  readonly conflicts: readonly string[];
  /** Paths, or states of the repository, that are in the way. */
  readonly blocked_by: readonly string[];
  /** A line each, harmless: what a person should know about what came. */
  readonly notices: readonly string[];
  /** That of the notices which says that there are commits in the sandbox that can't come. */
  readonly left_behind?: string;
  /** That of the notices which says that more of the timeline may come, and what it waits for. */
  readonly held?: string;
  /** What came beside the commits, where that was asked for. */
  readonly uncommitted?: UncommittedVerdict;
}

/** Their names, for whoever picks some of them. */
export const verdictFields = [
  "applied",
  "base",
  "tip",
  "engine",
  "source",
  "from",
  "exactness",
  "commits",
  "files",
  "conflicts",
  "blocked_by",
  "notices",
  "left_behind",
  "held",
  "uncommitted",
] as const satisfies readonly (keyof Verdict)[];

/** The verdict of what left the branch as it is, at the commit `at`. */
export function unmovedVerdict(told: Pick<Verdict, "engine" | "source" | "from">, at: string): Verdict {
  return {
    applied: false,
    base: at,
    tip: at,
    ...told,
    exactness: "rebuilt",
    commits: [],
    files: 0,
    conflicts: [],
    blocked_by: [],
    notices: [],
  };
}

export interface UncommittedVerdict {
  /** The sandbox's tree. */
  readonly tree: string;
  /** When the sandbox was looked at. */
  readonly as_of: string;
  /** How many files differ in it from its newest commit. */
  readonly files: number;
  /** How many files here were changed for it; those that were so already aren't counted. */
  readonly written: number;
  /** Paths that were left as they are: they were edited here since they came, and not there. */
  readonly left: readonly string[];
}

export type EngineName = "exact" | "am" | "bundle" | "fetch" | "diffs";

/** One of the sandbox's commits, and where what it does is here. */
export interface HeldCommit {
  readonly sequence: number;
  /** The sandbox's commit. */
  readonly commit: string;
  readonly subject: string;
  /** The commit here, the same where exactness is exact; the one before where nothing was left of it. */
  readonly applied_as: string;
}

export interface VerdictCommit extends Omit<HeldCommit, "applied_as"> {
  /** The commit here, the same where exactness is exact; null where nothing was left of it: left out, or here already. */
  readonly applied_as: string | null;
}

/** `before` is what the branch had. A commit of which nothing was left is held by one that is no news. */
export function whatCame(commits: readonly HeldCommit[], before: readonly (string | undefined)[]): VerdictCommit[] {
  const known = new Set(["", ...before]);
  return commits.map((each) => {
    const isNews = !known.has(each.applied_as);
    known.add(each.applied_as);
    return { ...each, applied_as: isNews ? each.applied_as : null };
  });
}

/** How many commits came: not those of which nothing was left. */
export function newsOf({ commits }: Pick<Verdict, "commits">): number {
  return commits.filter(({ applied_as }) => applied_as !== null).length;
}

/** The notices but the one of what is left in the sandbox, which is an error of its own. */
export function notesOf({ notices, left_behind }: Verdict): readonly string[] {
  return notices.filter((notice) => notice !== left_behind);
}

/** A pull that nothing came of, with what is known so far. */
export class PullRefused extends FerryError {
  readonly verdict: Verdict;

  constructor(kind: ErrorKind, message: string, details: ErrorDetails & { readonly verdict: Verdict }) {
    super(kind, message, details);
    this.verdict = details.verdict;
  }
}
