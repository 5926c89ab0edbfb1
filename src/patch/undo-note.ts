import type { Context } from "./context.ts";

/** What a pull moved, kept as a blob that one ref holds: enough to take it back. */
export interface UndoNote {
  /** Undefined where the branch was unborn. */
  readonly old: string | undefined;
  readonly new: string;
  /** The cursor before. */
  readonly cursor: string | undefined;
}

/** Gives the blob's id. */
export async function writeUndoNote(note: UndoNote, { git, repository }: Context): Promise<string> {
  const { gitDir } = repository;
  const args = ["hash-object", "-w", "--stdin"];
  return (await git.ok(args, { cwd: gitDir, gitDir, input: JSON.stringify(note) })).toString("latin1").trim();
}

export async function readUndoNote(id: string, { git, repository }: Context): Promise<UndoNote> {
  const { gitDir } = repository;
  return JSON.parse((await git.ok(["cat-file", "blob", id], { cwd: gitDir, gitDir })).toString("utf8")) as UndoNote;
}
