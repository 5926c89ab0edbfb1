import { mkdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { FerryError } from "../../base/errors.ts";
import { modes } from "../../git/records.ts";
import type { Context } from "../context.ts";
import { presentAs } from "../land/compare.ts";
import { ferryFolder } from "../quarantine.ts";
import { findWorkTree } from "../recovery/find-work-tree.ts";
import { changesBetween } from "../recovery/settle.ts";
import { readStashNote, removeStashNote, type StashNote } from "./note.ts";
import { dropStash, stashName } from "./stash.ts";

/**
 * Ends what a pull with --autostash left whose landing failed, or that was killed, once the landing itself is ended or taken back.
 * On the commit that the stash was made on the changes are in the tree, and it goes. On any other one they may be in the stash only:
 * it stays, and nothing is touched.
 * @throws FerryError attention that names the stash
 */
export async function recoverStash(given: Context): Promise<void> {
  const note = await readStashNote(given);
  if (note === undefined) return;
  // Half way: the next run takes that back first.
  if ((await stat(join(ferryFolder(given.repository), "journal")).catch(() => undefined)) !== undefined) return;
  const found = await findWorkTree(note, given);
  const place = typeof found === "string" ? {} : { gitDir: note.gitDir, workTree: found.workTree };
  const context = { ...given, repository: { ...given.repository, ...place } };
  const name = await stashName(note, context);
  // Not stored yet, so nothing was taken out.
  if (name === undefined) return removeStashNote(context);
  const { gitDir } = note;
  const options = { cwd: gitDir, gitDir };
  const parse = async (commit: string) =>
    (await context.git.run(["rev-parse", "--verify", "--quiet", commit], options)).stdout.toString("latin1").trim();
  if (typeof found !== "string" && (await parse("HEAD")) === (await parse(`${note.stash}^1`)) && (await isThere(note, context)))
    return dropStash(note, context);
  await removeStashNote(context);
  throw new FerryError("attention", `a pull was interrupted, and local changes that it put away are in ${name}`, {
    hint: `compare: git stash show -p ${name}; then git stash apply ${name}, or git stash drop ${name}`,
  });
}

/** Whether the working tree has all that the stash has: what the taking back could not write is in the stash only. */
async function isThere({ stash }: StashNote, { git, repository }: Context): Promise<boolean> {
  const scratch = join(ferryFolder(repository), "recovery");
  await mkdir(scratch, { recursive: true, mode: 0o700 });
  try {
    const changes = await changesBetween({ git, repository }, `${stash}^1`, stash);
    const entries = changes.map(({ path, newMode, newId }) => ({ path, mode: newMode, id: newId }));
    const wanted = entries.filter(({ mode }) => mode !== modes.absent);
    return (await presentAs(git, repository, { entries, scratch })).size === wanted.length;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
