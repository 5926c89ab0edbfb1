import type { Context } from "../context.ts";

/** A cursor that can't be the sandbox's commit, since that isn't here: a blob that says what came last. */
export interface CursorNote {
  /** Of a timeline: its last event that came, the commit made of it, and the one that all of them stand on ("" for none). */
  readonly event?: string | undefined;
  readonly commit?: string | undefined;
  readonly base?: string | undefined;
  /** Of patches that were put elsewhere than they began: the sandbox's commit. */
  readonly sandbox?: string | undefined;
}

/** Gives the blob's id. */
export async function writeCursorNote(note: CursorNote, { git, repository }: Context): Promise<string> {
  const { gitDir } = repository;
  const args = ["hash-object", "-w", "--stdin"];
  return (await git.ok(args, { cwd: gitDir, gitDir, input: JSON.stringify(note) })).toString("latin1").trim();
}

export async function readCursorNote(id: string, { git, repository }: Context): Promise<CursorNote> {
  const { gitDir } = repository;
  return JSON.parse((await git.ok(["cat-file", "blob", id], { cwd: gitDir, gitDir })).toString("utf8")) as CursorNote;
}
