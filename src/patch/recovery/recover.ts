import { mkdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { FerryError } from "../../base/errors.ts";
import { gitError } from "../../git/runner.ts";
import type { Context } from "../context.ts";
import { standsHere } from "../here/note.ts";
import { ferryFolder } from "../quarantine.ts";
import { Journal, type Left } from "./journal.ts";
import { lockPatience } from "../../git/locked.ts";
import type { WorkingCopy } from "../land/working-copy.ts";
import { outlive } from "./outlive.ts";
import { foreignError, settle } from "./settle.ts";
import { removeStaleLocks } from "./stale-locks.ts";
import type { RefUpdate } from "../land/transaction.ts";

/**
 * Ends what an earlier pull left half done, whatever working copy of the repository it was in. The caller holds the repository's lock.
 * @throws FerryError attention where a person has to look
 */
export async function recover(context: Context): Promise<void> {
  const folder = ferryFolder(context.repository);
  const journal = new Journal(folder, context.host.clock);
  const left = await journal.read();
  if (left === undefined) return;
  if (!(await exists(left.workTree))) return journal.end();
  for (const child of left.children) await outlive(child, context);
  await removeStaleLocks(left, "refs");
  await removeStaleLocks(left, "index");
  if (
    left.stop !== undefined &&
    (await standsHere({ commit: left.stop }, { ...context, repository: { ...context.repository, gitDir: left.gitDir } }))
  )
    return journal.end();
  const scratch = join(folder, "recovery");
  await rm(scratch, { recursive: true, force: true });
  await mkdir(scratch, { mode: 0o700 });
  const copy = workingCopy(left, context, { scratch, journal });
  const { state, foreign } = await settle(left, copy);
  await moveRefs(copy, left.updates, state);
  await rm(scratch, { recursive: true, force: true });
  await journal.end();
  if (state === "elsewhere") throw elsewhereError(left);
  if (foreign.length > 0) throw foreignError(foreign, folder);
}

function workingCopy(left: Left, { git, host, repository }: Context, own: { scratch: string; journal: Journal }): WorkingCopy {
  return {
    git,
    host,
    repository: { ...repository, gitDir: left.gitDir, workTree: left.workTree },
    scratch: own.scratch,
    patience: lockPatience,
    children: own.journal.children("index"),
  };
}

/** Files of refs are renamed one by one: a death in between leaves some of a transaction moved. HEAD decides for the others. */
async function moveRefs(
  { git, repository }: WorkingCopy,
  updates: readonly RefUpdate[],
  state: "new" | "restored" | "elsewhere",
): Promise<void> {
  if (state === "elsewhere") return;
  const { gitDir } = repository;
  for (const { ref, to, from } of updates.filter((update) => update.ref !== "HEAD")) {
    const value = state === "new" ? to : from;
    const args = /^0+$/u.test(value) ? ["update-ref", "-d", ref] : ["update-ref", ref, value];
    const result = await git.run(args, { cwd: gitDir, gitDir });
    if (result.code !== 0) throw gitError(args, result);
  }
}

function elsewhereError(left: Left): FerryError {
  return new FerryError("attention", `a pull was interrupted in ${left.workTree}, and HEAD was moved since`, {
    hint: `nothing was touched: compare with git diff ${left.new?.slice(0, 12) ?? ""}, then pull again`,
  });
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).then(() => true, missing)) ?? false;
}

function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
  return undefined;
}
