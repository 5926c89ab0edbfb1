import { constants } from "node:fs";
import { open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { GitChild, GitOptions, GitResult } from "../../git/git.ts";
import type { Context } from "../context.ts";
import { ferryFolder } from "../quarantine.ts";
import type { JournalChild } from "./journal.ts";
import { outlive } from "./outlive.ts";
import { removeStaleLocks } from "./stale-locks.ts";

/** The gits of the opt-in flags: worktree, cherry-pick, reset, stash. */
interface Note extends JournalChild {
  /** Whose index and HEAD it may hold. */
  readonly gitDir: string;
}

/**
 * Runs one of git's own commands that write in a working copy, and notes it down before it starts: whoever comes after us, if we
 * are killed, waits for it and takes its locks away if it was killed as well.
 */
export async function runPorcelain(
  args: readonly string[],
  options: GitOptions & { readonly gitDir: string },
  context: Context,
): Promise<GitResult> {
  const { git, host, repository } = context;
  const path = notePath(repository);
  const announce = (child: GitChild) =>
    write(path, { ...child, kind: "index", at: host.clock.now(), gitDir: options.gitDir } satisfies Note);
  const result = await git.run(args, { ...options, announce });
  if (result.code > 128) await outlivePorcelain(context);
  else await rm(path, { force: true });
  return result;
}

/** Waits for such a git of an earlier ferry, and removes the locks of one that was killed. */
export async function outlivePorcelain(context: Context): Promise<void> {
  const { repository } = context;
  const path = notePath(repository);
  const note = await read(path);
  if (note !== undefined) {
    await outlive(note, context);
    const own = ["index", "HEAD", "CHERRY_PICK_HEAD", "ORIG_HEAD", "AUTO_MERGE"].map((name) => join(note.gitDir, `${name}.lock`));
    const shared = ["refs/stash", "packed-refs"].map((name) => join(repository.commonDir, `${name}.lock`));
    await removeStaleLocks({ children: [note], locks: { refs: [], index: [...own, ...shared], tree: [] } }, "index");
  }
  await rm(path, { force: true });
}

function notePath(repository: Context["repository"]): string {
  return join(ferryFolder(repository), "porcelain");
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
