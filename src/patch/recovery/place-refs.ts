import { gitError } from "../../git/runner.ts";
import type { RefUpdate } from "../land/transaction.ts";
import type { WorkingCopy } from "../land/working-copy.ts";
import type { Settled } from "./settle.ts";

type Place = Pick<WorkingCopy, "git" | "repository">;

/**
 * Files of refs are renamed one by one, that of HEAD's branch last: a git that dies in between leaves some of a transaction moved.
 * HEAD decides for the others. None may be locked.
 */
export async function placeRefs(
  updates: readonly RefUpdate[],
  state: Settled["state"],
  { git, repository }: Place,
): Promise<void> {
  if (state === "elsewhere") return;
  const { gitDir } = repository;
  for (const { ref, from, to } of updates.filter((update) => update.ref !== "HEAD" && update.from !== update.to)) {
    const value = state === "new" ? to : from;
    if ((await valueOf(ref, { git, repository })) === value) continue;
    const args = ["update-ref", "--no-deref", ...(isNone(value) ? ["-d", ref] : [ref, value])];
    const result = await git.run(args, { cwd: gitDir, gitDir });
    if (result.code !== 0) throw gitError(args, result);
  }
}

/** Moves the rest where some have moved: all were locked and found right then, so nothing was left to fail. */
export async function finishMoves(updates: readonly RefUpdate[], { git, repository }: Place): Promise<void> {
  const { gitDir } = repository;
  const moves = updates.filter(({ from, to }) => from !== to);
  const now = new Map<string, string>();
  for (const { ref } of moves) now.set(ref, await valueOf(ref, { git, repository }));
  if (!moves.some(({ ref, to }) => now.get(ref) === to)) return;
  for (const { ref, from, to } of moves.filter((move) => now.get(move.ref) === move.from)) {
    const args = ["update-ref", ...(ref === "HEAD" ? [] : ["--no-deref"]), ...(isNone(to) ? ["-d", ref, from] : [ref, to, from])];
    const result = await git.run(args, { cwd: gitDir, gitDir });
    if (result.code !== 0) throw gitError(args, result);
  }
}

/** All zeros where there is no such ref. */
async function valueOf(ref: string, { git, repository }: Place): Promise<string> {
  const { gitDir, objectFormat } = repository;
  const result = await git.run(["rev-parse", "--verify", "--quiet", ref], { cwd: gitDir, gitDir });
  return result.code === 0 ? result.stdout.toString("latin1").trim() : "0".repeat(objectFormat === "sha1" ? 40 : 64);
}

function isNone(value: string): boolean {
  return /^0+$/u.test(value);
}
