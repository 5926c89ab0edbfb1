import type { Head, Repository } from "../git/discover.ts";
import type { Git } from "../git/git.ts";
import type { Came, Context } from "./context.ts";
import type { Own } from "./land/path-check.ts";
import { makeCommit } from "./uncommitted/memory.ts";
import type { Trees } from "./uncommitted/trees.ts";

/**
 * What a pull moved, kept in what one ref holds: enough to take it back. A blob; where files that aren't committed went with it, a
 * commit of what the working tree held.
 */
export interface UndoNote {
  /** Undefined where the branch was unborn. */
  readonly old: string | undefined;
  /** Where the pull made the branch: the commit that it made it at; undefined also where it began with the series itself. */
  readonly base?: string | undefined;
  /** "" where it is unborn still. */
  readonly new: string;
  /** The cursor before. */
  readonly cursor: string | undefined;
  /** The user's work that was as it came already: not to be taken back. Not in a note of an earlier version. */
  readonly own?: readonly Own[] | undefined;
  /** Where the ref was that remembers what came uncommitted, and where it is since. */
  readonly uncommitted?: string | undefined;
  readonly given?: string | undefined;
}

export interface ReadNote extends UndoNote {
  /** The tree that the working tree held, where that was not the branch's. */
  readonly tree: string | undefined;
}

/** Gives the commit's id; what was remembered before is its parent, and so kept. */
export async function makeUndoCommit(note: UndoNote, tree: string, trees: Trees): Promise<string> {
  const parents = note.uncommitted === undefined ? [] : [note.uncommitted];
  return makeCommit({ tree, parents, message: JSON.stringify(note) }, trees);
}

/**
 * Whether a branch is where it was before that pull, which had moved it: someone went back by hand, and the cursor doesn't know. Never
 * where files that aren't committed came with it.
 */
export function isBackBefore({ old, base, new: tip, tree }: ReadNote, head: Head): boolean {
  const before = old ?? base;
  return tree === undefined && before !== undefined && before !== tip && head.state !== "unborn" && head.commit === before;
}

/** The same for all that came since the note `first`, where there is one. */
export function fromBefore(note: UndoNote, first: Came["undo"] | undefined): UndoNote {
  if (first === undefined) return note;
  return { ...note, old: first.old, cursor: first.cursor, own: [...(first.own ?? []), ...(note.own ?? [])] };
}

/** Gives the blob's id. */
export async function writeUndoNote(note: UndoNote, { git, repository }: Context): Promise<string> {
  const { gitDir } = repository;
  const args = ["hash-object", "-w", "--stdin"];
  return (await git.ok(args, { cwd: gitDir, gitDir, input: JSON.stringify(note) })).toString("latin1").trim();
}

export async function readUndoNote(
  id: string,
  { git, repository }: { readonly git: Git; readonly repository: Repository },
): Promise<ReadNote> {
  const { gitDir } = repository;
  const options = { cwd: gitDir, gitDir };
  const type = (await git.ok(["cat-file", "-t", id], options)).toString("latin1").trim();
  const content = (await git.ok(["cat-file", type, id], options)).toString("utf8");
  const text = type === "commit" ? content.slice(content.indexOf("\n\n") + 2) : content;
  const tree = type === "commit" ? /^tree (\S+)/u.exec(content)?.[1] : undefined;
  return { ...(JSON.parse(text) as UndoNote), tree };
}
