import { FerryError } from "../../base/errors.ts";
import type { Context } from "../context.ts";
import { readStashNote, removeStashNote, type StashNote } from "./note.ts";
import { bringBack, dropStash, type StashLeft, stashName } from "./stash.ts";
import { takeBack } from "./take-back.ts";

/**
 * Ends what a pull with --autostash left when it, or its git, was killed, once its landing is ended: changes that are still in the
 * tree, or in it again, need no stash; a tree without them gets them back, also one that is half way. Of anything else nothing is
 * touched.
 * @throws FerryError attention that names the stash
 */
export async function recoverStash(given: Context): Promise<void> {
  const note = await readStashNote(given);
  if (note === undefined) return;
  const { gitDir, workTree } = note;
  const context = { ...given, repository: { ...given.repository, gitDir, workTree } };
  if ((await stashName(note, context)) === undefined) {
    // Not stored yet, so nothing was taken out; or put back and dropped.
    await removeStashNote(context);
    return;
  }
  if (await isInTree(note, context)) return dropStash(note, context);
  const state = (await isClean(context)) ? "without" : await takeBack(note, context);
  if (state === "as it was") return dropStash(note, context);
  if (state === "without") {
    const left = await bringBack(note, context);
    if (left !== undefined) throw leftError(left);
    return;
  }
  await removeStashNote(context);
  throw leftError({ name: (await stashName(note, context)) ?? note.stash, paths: [] });
}

function leftError({ name, paths }: Pick<StashLeft, "name" | "paths">): FerryError {
  return new FerryError("attention", `a pull was interrupted, and local changes that it put away are in ${name}`, {
    details: paths,
    hint: `compare: git stash show -p ${name}; then git stash apply, or git stash drop`,
  });
}

async function isClean({ git, repository: { gitDir, workTree } }: Context): Promise<boolean> {
  const args = ["status", "--porcelain", "--untracked-files=no", "--ignore-submodules=all"];
  return (await git.ok(args, { cwd: workTree, gitDir, workTree })).length === 0;
}

/** As they were on the old HEAD, or merged with what came, which a merge of commits tells. */
async function isInTree({ stash }: StashNote, { git, repository: { gitDir, workTree } }: Context): Promise<boolean> {
  const options = { cwd: workTree, gitDir, workTree };
  const now = (await git.run(["stash", "create"], options)).stdout.toString("latin1").trim();
  if (now === "") return false;
  const tree = async (name: string) =>
    (await git.run(["rev-parse", "--verify", "--quiet", `${name}^{tree}`], options)).stdout.toString("latin1").trim();
  const merged = async (one: string, other: string) =>
    (await git.run(["merge-tree", "--write-tree", "--no-messages", one, other], options)).stdout.toString("latin1").trim();
  const index = (await tree(`${now}^2`)) === (await merged("HEAD", `${stash}^2`));
  return index && (await tree(now)) === (await merged("HEAD", stash));
}
