import { mkdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { FerryError } from "../../base/errors.ts";
import { showPath } from "../../git/path.ts";
import type { Context } from "../context.ts";
import { standsHere } from "../here/note.ts";
import { ferryFolder } from "../quarantine.ts";
import { Journal, type Left } from "./journal.ts";
import { lockPatience } from "../../git/locked.ts";
import { letGo } from "../land/hold.ts";
import type { WorkingCopy } from "../land/working-copy.ts";
import { outlive } from "./outlive.ts";
import { placeRefs } from "./place-refs.ts";
import type { Rescued } from "./rescue.ts";
import { foreignError, rescueAside, rescueEdited, settle } from "./settle.ts";
import { removeStaleLocks } from "./stale-locks.ts";

/**
 * Ends what an earlier pull left half done, whatever working copy of the repository it was in. The caller holds the repository's lock.
 * @throws FerryError attention where a person has to look
 */
export async function recover(context: Context): Promise<void> {
  const folder = ferryFolder(context.repository);
  const journal = new Journal(folder, context.host.clock);
  const left = await journal.read();
  if (left === undefined) return;
  for (const child of left.children) await outlive(child, context);
  await removeStaleLocks(left, "refs");
  await removeStaleLocks(left, "index");
  const end = async () => {
    await letGo(left, { git: context.git, repository: context.repository, children: journal.children("refs") });
    await journal.end();
  };
  if (!(await exists(left.workTree))) return end();
  if (
    left.stop !== undefined &&
    (await standsHere({ commit: left.stop }, { ...context, repository: { ...context.repository, gitDir: left.gitDir } }))
  )
    return end();
  const scratch = join(folder, "recovery");
  await rm(scratch, { recursive: true, force: true });
  await mkdir(scratch, { mode: 0o700 });
  const copy = workingCopy(left, context, { scratch, journal });
  const { state, foreign } = await settle(left, copy);
  await placeRefs(left.updates, state, copy);
  const rescued = state === "elsewhere" ? await rescueAside(left, copy) : [];
  if (state === "new") context.edited.push(...(await rescueEdited(left, copy)));
  await rm(scratch, { recursive: true, force: true });
  await end();
  if (state === "elsewhere") throw elsewhereError(left, rescued, folder);
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

function elsewhereError(left: Left, rescued: readonly Rescued[], folder: string): FerryError {
  const kept = rescued.length === 0 ? "" : `; files as they were before are in ${join(folder, "rescue")}`;
  return new FerryError("attention", `a pull was interrupted in ${left.workTree}, and HEAD was moved since`, {
    details: rescued.map(({ path }) => showPath(path)),
    hint: `nothing was touched: compare with git diff ${left.new?.slice(0, 12) ?? ""}${kept}; then pull again`,
  });
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).then(() => true, missing)) ?? false;
}

function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
  return undefined;
}
