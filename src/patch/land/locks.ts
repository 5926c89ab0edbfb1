import { FerryError } from "../../base/errors.ts";
import type { GitChild, GitResult, GitStreamOptions } from "../../git/git.ts";
import { lockedError, lockPause } from "../../git/locked.ts";
import { gitError } from "../../git/runner.ts";
import { systemTrouble } from "../../git/trouble.ts";
import { withIndex } from "./compare.ts";
import type { PatchHost } from "../request.ts";
import type { WorkingCopy } from "./working-copy.ts";
import { RefsLocked } from "./transaction.ts";

/** The index's lock file is held by another git. */
class IndexLocked extends FerryError {}

/**
 * Tries until no lock of another git is in the way, for `patience` ms.
 * @throws FerryError attention where one stays
 */
export async function whenUnlocked<T>(host: Pick<PatchHost, "clock">, patience: number, attempt: () => Promise<T>): Promise<T> {
  const deadline = host.clock.elapsed() + patience;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof RefsLocked || error instanceof IndexLocked)) throw error;
      if (host.clock.elapsed() >= deadline) throw lockedError(error.message, error);
    }
    await host.clock.sleep(lockPause);
  }
}

/** Runs a git that writes the index of the user's working copy, or the one that the copy names, when no other git has it locked. */
export async function writeIndex(copy: WorkingCopy, args: readonly string[], input?: Uint8Array): Promise<void> {
  await whenUnlocked(copy.host, copy.patience, async () => {
    const result = await runNoted(copy, args, input);
    if (result.code === 0) return;
    const locked = result.stderr
      .toString("utf8")
      .split("\n")
      .find((line) => line.includes("index.lock': File exists"));
    if (locked !== undefined) throw new IndexLocked("attention", locked.replace(/^\w+: /u, ""));
    throw systemTrouble(args, result) ?? gitError(args, result);
  });
}

/** Brings the times in the index up to date. Its exit status tells of modified files, which is no error. */
export async function refreshIndex(copy: WorkingCopy): Promise<void> {
  await runNoted(copy, ["update-index", "-q", "--refresh"]);
}

/** Runs a git of which the journal knows while it runs. */
export async function runNoted(
  { git, repository, index, children }: Pick<WorkingCopy, "git" | "repository" | "index" | "children">,
  args: readonly string[],
  input?: Uint8Array,
): Promise<GitResult> {
  const { workTree, gitDir } = repository;
  let noted: GitChild | undefined;
  const announce = async (child: GitChild) => {
    noted = child;
    await children.starting(child);
  };
  const place: GitStreamOptions = index === undefined ? { cwd: workTree, gitDir, workTree } : withIndex(repository, index);
  const result = await git.run(args, { ...place, announce, input });
  // Not reached where it was killed: it may have left its lock.
  if (noted !== undefined) await children.ended(noted);
  return result;
}
