import { constants } from "node:fs";
import { open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Context } from "../context.ts";
import { foreignNoteError, noted, placesNow } from "../recovery/places.ts";
import { ferryFolder } from "../quarantine.ts";

/** Local changes that were put away for the time of a landing. */
export interface StashNote {
  /** The stash's commit: its first parent is HEAD as it was, its second the index. */
  readonly stash: string;
  /** On disk it is named from the common folder on (places.ts). */
  readonly gitDir: string;
  /** Where it was then. */
  readonly workTree: string;
}

/** On disk before anything is taken out of the working tree. */
export async function writeStashNote(note: StashNote, context: Context): Promise<void> {
  const file = await open(notePath(context), constants.O_CREAT | constants.O_TRUNC | constants.O_WRONLY, 0o600);
  try {
    await file.writeFile(JSON.stringify({ ...note, gitDir: noted(note.gitDir, context.repository.commonDir) }));
    await file.sync();
  } finally {
    await file.close();
  }
}

/** @throws FerryError attention where it is of no working copy of this repository */
export async function readStashNote(context: Context): Promise<StashNote | undefined> {
  const note = await read(context);
  if (note === undefined) return undefined;
  const now = placesNow({ gitDir: note.gitDir, locks: [] }, context.repository.commonDir);
  if (now === undefined) throw foreignNoteError(note.gitDir, { note: notePath(context) });
  return { ...note, gitDir: now(note.gitDir) };
}

/** A torn one is of a stash that nothing was taken out for. */
async function read(context: Context): Promise<StashNote | undefined> {
  try {
    return JSON.parse(await readFile(notePath(context), "utf8")) as StashNote;
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && "code" in error && error.code === "ENOENT")) return undefined;
    throw error;
  }
}

export function removeStashNote(context: Context): Promise<void> {
  return rm(notePath(context), { force: true });
}

function notePath({ repository }: Context): string {
  return join(ferryFolder(repository), "autostash");
}
