import { constants } from "node:fs";
import { open, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { FerryError } from "../../base/errors.ts";
import type { GitChild, GitOptions, GitResult } from "../../git/git.ts";
import { gitError } from "../../git/runner.ts";
import { systemTrouble } from "../../git/trouble.ts";
import type { Context } from "../context.ts";
import { lockedError, lockIn, lockPatience } from "../../git/locked.ts";
import type { RefUpdate } from "../land/transaction.ts";
import type { ChildNotes } from "../land/working-copy.ts";
import { ferryFolder } from "../quarantine.ts";
import { type MadeWorktree, removeHalfMade } from "./half-made.ts";
import type { JournalChild } from "./journal.ts";
import { outlive } from "./outlive.ts";
import { foreignNoteError, noted, placesNow } from "./places.ts";
import { finishMoves } from "./place-refs.ts";
import { removeStaleLocks } from "./stale-locks.ts";

/** Between two looks at a lock, in ms. */
const pause = 50;

/** The gits of the opt-in flags: worktree, cherry-pick, reset, stash; and one that moves refs alone. */
interface Note extends JournalChild {
  /** Whose index and HEAD it may hold. On disk this and the locks are named from the common folder on (places.ts). */
  readonly gitDir: string;
  /** The lock files that it may leave, where these are others. */
  readonly locks?: readonly string[] | undefined;
  readonly making?: MadeWorktree | undefined;
  /** What it moves in one transaction. */
  readonly moves?: readonly RefUpdate[] | undefined;
}

export interface PorcelainOptions extends GitOptions {
  readonly gitDir: string;
  /** The worktree that it makes. */
  readonly making?: MadeWorktree | undefined;
}

export interface PorcelainResult extends GitResult {
  /** Another git's, which it failed of. */
  readonly lock: string | undefined;
}

/**
 * Runs one of git's own commands that write in a working copy, and notes it down before it starts: whoever comes after us, if we
 * are killed, waits for it and takes its locks away if it was killed as well. A lock that another git holds is waited for.
 */
export async function runPorcelain(
  args: readonly string[],
  { making, ...options }: PorcelainOptions,
  context: Context,
): Promise<PorcelainResult> {
  const { git, host, request } = context;
  const notes = notesOf({ gitDir: options.gitDir, making }, context);
  const deadline = host.clock.elapsed() + (request.hook === undefined ? lockPatience : 0);
  for (;;) {
    let child: GitChild | undefined;
    const announce = (announced: GitChild) => notes.starting((child = announced));
    const result = await git.run(args, { ...options, announce, mayBeKilled: true });
    if (result.code > 128) await outlivePorcelain(context);
    else if (child !== undefined) await notes.ended(child);
    const lock = await findLock(result, locksOf(options.gitDir, context));
    if (lock === undefined || host.clock.elapsed() >= deadline) return { ...result, lock };
    await host.clock.sleep(pause, host.interrupt);
  }
}

/** The same where it must come to its end. @throws FerryError as porcelainError says */
export async function mustRunPorcelain(args: readonly string[], options: PorcelainOptions, context: Context): Promise<void> {
  const result = await runPorcelain(args, options, context);
  if (result.code !== 0) throw porcelainError(args, result);
}

/** What such a git failed of. */
export function porcelainError(args: readonly string[], result: PorcelainResult): FerryError {
  return result.lock === undefined
    ? (systemTrouble(args, result) ?? gitError(args, result))
    : lockedError(`${result.lock} exists`);
}

/** The lock that it failed of. Of some git says nothing (`stash`), so it is looked whether there is one. */
async function findLock({ code, stderr }: GitResult, locks: readonly string[]): Promise<string | undefined> {
  if (code === 0) return undefined;
  const said = lockIn({ stderr });
  if (said !== undefined) return said;
  for (const path of locks) if ((await stat(path).catch(() => undefined)) !== undefined) return path;
  return undefined;
}

function locksOf(gitDir: string, { repository }: Context): string[] {
  const own = ["index", "HEAD", "CHERRY_PICK_HEAD", "ORIG_HEAD", "AUTO_MERGE"].map((name) => join(gitDir, `${name}.lock`));
  const shared = ["refs/stash", "packed-refs"].map((name) => join(repository.commonDir, `${name}.lock`));
  return [...own, ...shared];
}

/** Keeps the one note that there is room for: of a git that writes in this git folder, and may leave these locks if it is killed. */
export function notesOf(about: Pick<Note, "gitDir" | "locks" | "making" | "moves">, { host, repository }: Context): ChildNotes {
  const path = notePath(repository);
  const where = (each: string) => noted(each, repository.commonDir);
  return {
    starting: (child) => write(path, { ...child, kind: "index", at: host.clock.now(), ...about, ...placed(about, where) }),
    ended: () => rm(path, { force: true }),
  };
}

/**
 * Waits for such a git of an earlier ferry. Of one that was killed it removes the locks and the worktree that it was making, and ends
 * the moving of refs that it had begun.
 */
export async function outlivePorcelain(context: Context): Promise<void> {
  const { repository } = context;
  const path = notePath(repository);
  const note = await readNow(path, repository);
  if (note !== undefined) {
    await outlive(note, context);
    const locks = { refs: [], index: note.locks ?? locksOf(note.gitDir, context), tree: [] };
    await removeStaleLocks({ children: [note], locks }, "index");
    if (note.moves !== undefined)
      await finishMoves(note.moves, { ...context, repository: { ...repository, gitDir: note.gitDir } });
    if (note.making !== undefined) await removeHalfMade(note.making, context);
  }
  await rm(path, { force: true });
}

function notePath(repository: Context["repository"]): string {
  return join(ferryFolder(repository), "porcelain");
}

/** Git folder and locks are named from the common folder on. */
function placed({ gitDir, locks }: Pick<Note, "gitDir" | "locks">, where: (path: string) => string) {
  return { gitDir: where(gitDir), locks: locks?.map(where) };
}

/** @throws FerryError attention where it is of no working copy of this repository */
async function readNow(path: string, { commonDir }: Context["repository"]): Promise<Note | undefined> {
  const note = await read(path);
  if (note === undefined) return undefined;
  const now = placesNow({ gitDir: note.gitDir, locks: note.locks ?? [] }, commonDir);
  if (now === undefined) throw foreignNoteError(note.gitDir, { note: path });
  return { ...note, ...placed(note, now) };
}

async function write(path: string, note: Note): Promise<void> {
  const file = await open(path, constants.O_CREAT | constants.O_TRUNC | constants.O_WRONLY, 0o600);
  try {
    await file.writeFile(JSON.stringify(note));
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A torn note is of a git that hadn't started. */
async function read(path: string): Promise<Note | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as Note;
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && "code" in error && error.code === "ENOENT")) return undefined;
    throw error;
  }
}
