import type { Manifest, Uncommitted } from "../wire/patches.ts";

/** Where commits can come from, best first. */
export const sourceNames = ["patches", "branch", "events"] as const;
export type SourceName = (typeof sourceNames)[number];

/**
 * Where a session's commits may come from; what its service or this working copy doesn't have is left out. The patch engine knows
 * no network but git's: the cli hands it these, made over the client. Everything that they give is untrusted.
 */
export interface Offers {
  /** What the user asked for; undefined or auto: what the session's first pull took, else the best that there is. */
  readonly wanted?: SourceName | "auto" | undefined;
  readonly patches?: PatchSource | undefined;
  readonly branch?: BranchSource | undefined;
  readonly remotes?: Remotes | undefined;
  readonly events?: EventSource | undefined;
  /** What is not committed in the sandbox. */
  readonly uncommitted?: (() => Promise<Uncommitted>) | undefined;
}

/** The session's series as its service sends it. */
export interface PatchSource {
  /**
   * The whole manifest after a commit (all pages), "" for from the base.
   * @throws FerryError failure with code `history_rewritten` where `after` is no longer in the session's history
   */
  manifest(after: string): Promise<Manifest>;
  /** The mboxrd of exactly that range, as bytes as they were sent. */
  mbox(after: string, until: string): AsyncIterable<Uint8Array>;
  /** The same as a git bundle (merges). */
  bundle(after: string, until: string): AsyncIterable<Uint8Array>;
}

/** The session's branch, on the remote of the working copy that is of its repository. */
export interface BranchSource {
  /** Its short name. */
  readonly name: string;
  /** Where the session began, as far as its service says. */
  readonly base: { readonly commit?: string | undefined; readonly branch?: string | undefined };
}

/** The session's timeline, whose diffs tell nearly what happened to the files. */
export interface EventSource {
  read(): Promise<Timeline>;
  /** Who is the author. */
  readonly agent: string;
  readonly repositoryId: string | undefined;
  /** Where the session began, where its service says it. */
  readonly base: string | undefined;
  /** Taken where there is nothing better, without being asked for: where a person sees that it was. */
  readonly isAutomatic: boolean;
}

export interface Timeline {
  /** All of them, in their order. */
  readonly events: readonly TimelineEvent[];
  /**
   * Why more may come for the last message, or for what still says that it is under way: one line. Undefined where nothing more
   * does, whatever the events say of themselves: there are services that never close one.
   */
  readonly underWay?: string | undefined;
}

export interface TimelineEvent {
  readonly id: string;
  readonly type: string;
  readonly status: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly createdAt: string;
}

/** The names of those remotes here that are of the session's repository, best first. */
export type Remotes = () => Promise<readonly string[]>;
