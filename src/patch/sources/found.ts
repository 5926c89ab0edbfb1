import type { CursorNote } from "../incoming/note.ts";
import type { Series } from "../series/series.ts";
import type { PatchSource, SourceName } from "../source.ts";
import type { EngineName, HeldCommit } from "../verdict.ts";

/** A session's commits after where the cursor was, from one of the sources. */
export interface Found {
  readonly source: SourceName;
  readonly series: Series;
  /** What came last is no longer in the session's history: the series is all of it. */
  readonly isRewritten: boolean;
  /** The stream that the series is still to be built from; undefined where its commits are in the quarantine already, by `engine`. */
  readonly patches?: PatchSource | undefined;
  readonly engine?: EngineName | undefined;
  /** Why these commits aren't quite the sandbox's; undefined where they are. */
  readonly approximation?: string | undefined;
  /** Where the series is of others that were made of the sandbox's: those with what they became, and what is odd about it. */
  readonly told?: { readonly commits: readonly HeldCommit[]; readonly notices: readonly string[] } | undefined;
  /** What of the sandbox's commits no source has, as the service says it, one line; undefined where that is nothing. */
  readonly leftBehind?: string | undefined;
  /** What may be more of it later, and has to wait until then: one line. */
  readonly held?: string | undefined;
  /** What the cursor is to be, where it can't be the last commit. */
  readonly note?: CursorNote | undefined;
  /** For `-v` and the last line: where exactly it came from. */
  readonly from: string;
}
