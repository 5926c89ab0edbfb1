import { join } from "node:path";
import type { GitPath } from "../../git/path.ts";
import type { Context } from "../context.ts";
import type { CursorNote } from "../incoming/note.ts";
import { moveRefs } from "../land/move-refs.ts";
import { moveRef, type RefUpdate } from "../land/transaction.ts";
import type { Errand } from "../request.ts";
import type { Verdict } from "../verdict.ts";

/** A pull that stands at a conflict, kept as a blob that one ref holds: enough to go on without the service. */
export interface ParkedNote {
  /**
   * adding: the worktree is being made, and nobody has seen it. stopped: it stands at a conflict. moving: it is taken on to the next
   * one. over: it landed or was given up, and is being taken away.
   */
  readonly stage: "adding" | "stopped" | "moving" | "over";
  readonly errand: Pick<Errand, "origin" | "workspace" | "session" | "repositoryId">;
  /** The full name of the branch that it lands on, or the git folder of the working copy with a detached HEAD. */
  readonly target: { readonly ref: string } | { readonly gitDir: string };
  /** The worktree's name, both below `ferry/parked` and in git's own list. */
  readonly name: string;
  /** What of the verdict was known when it was parked. */
  readonly told: Pick<Verdict, "engine" | "source" | "from">;
  /** How near to the sandbox's its commits are, and what is to be said of that when they land. */
  readonly exactness: Verdict["exactness"];
  readonly notices: readonly string[];
  /** Whether links may leave the repository. */
  readonly allowSymlinks: boolean;
  /** The target's commit that the worktree's line of commits begins at. */
  readonly onto: string;
  /** Where the worktree stood when it stopped: the end of what fits. */
  readonly clean: string;
  /** What it held, while it is taken on from there to `clean`, or taken away. */
  readonly from?: string | undefined;
  /** What its index and HEAD's log held when it was read: what came since is nobody's to drop. */
  readonly held?: Held | undefined;
  /** What was changed there and is given up then: paths by the SHA-256 of their content. */
  readonly givenUp?: Readonly<Record<GitPath, string>> | undefined;
  /** What a cherry-pick made for the commit that it stops at, likewise, while that comes to the worktree. */
  readonly made?: Readonly<Record<GitPath, string>> | undefined;
  /** The tree that the last cherry-pick there made (gitrevisions(7), AUTO_MERGE). */
  readonly picked?: string | undefined;
  readonly items: readonly { readonly sequence: number; readonly commit: string; readonly subject: string }[];
  /** For each item what became of it so far. */
  readonly came: readonly (string | null)[];
  /** Items that the user left out. */
  readonly left: readonly number[];
  /** What is still to be picked, the one that doesn't fit first; `ends` are the items that have come with it. */
  readonly queue: readonly Queued[];
  /** What the cursor is to be where that is no commit: its blob, which no ref holds till then, is written again. */
  readonly cursor?: CursorNote | undefined;
  /** What remembers that all of it came, the cursor among them, from where it was when it was parked. */
  readonly updates: readonly RefUpdate[];
}

/** What a worktree's git folder held when it was read. */
export interface Held {
  /** What was staged and not committed: paths by their blobs. */
  readonly staged: Readonly<Record<GitPath, string>>;
  /** How much there was of HEAD's log, in bytes. */
  readonly logged: number;
}

export interface Queued {
  readonly commit: string;
  readonly ends: readonly number[];
}

/** A note and the refs that hold it. */
export interface Parked {
  readonly ref: string;
  readonly id: string;
  readonly note: ParkedNote;
}

/** The ref that keeps the series' commits, and those that were made of them, from gc. */
export function tipRef({ ref }: Pick<Parked, "ref">): string {
  return ref.replace("/parked/", "/parked-tip/");
}

/** Where the worktrees lie: in the repository, since nothing outside of it is ever written. */
export function parkedFolder({ repository }: Pick<Context, "repository">): string {
  return join(repository.commonDir, "ferry", "parked");
}

export async function writeNote(note: ParkedNote, { git, repository: { gitDir } }: Context): Promise<string> {
  return (await git.ok(["hash-object", "-w", "--stdin"], { cwd: gitDir, gitDir, input: JSON.stringify(note) }))
    .toString("latin1")
    .trim();
}

export async function readNote(ref: string, id: string, { git, repository: { gitDir } }: Context): Promise<Parked> {
  const text = (await git.ok(["cat-file", "blob", id], { cwd: gitDir, gitDir })).toString("utf8");
  return { ref, id, note: JSON.parse(text) as ParkedNote };
}

/** All that are parked in the repository, of whatever session. */
export async function listParked(context: Context): Promise<Parked[]> {
  const { gitDir } = context.repository;
  const args = ["for-each-ref", "--format=%(refname) %(objectname)", "refs/ferry/"];
  const lines = (await context.git.ok(args, { cwd: gitDir, gitDir })).toString("latin1").split("\n");
  const found = lines.map((line) => line.split(" ")).filter(([ref]) => ref?.includes("/parked/") === true);
  return Promise.all(found.map(([ref = "", id = ""]) => readNote(ref, id, context)));
}

/** Replaces a note, together with other refs. */
export async function replaceNote(
  parked: Parked,
  change: Partial<ParkedNote>,
  { context, updates = [] }: { context: Context; updates?: readonly RefUpdate[] },
): Promise<Parked> {
  const note = { ...parked.note, ...change };
  const id = await writeNote(note, context);
  await moveRefs({ updates: [...updates, moveRef(parked.ref, parked.id, id)], reason: "ferry pull: parked" }, context);
  return { ...parked, id, note };
}
