import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { FerryError } from "../../base/errors.ts";
import { oneLine } from "../../base/text.ts";
import { shellWord } from "../../base/words.ts";
import { showPath } from "../../git/path.ts";
import type { Context } from "../context.ts";
import { standsHere } from "../here/note.ts";
import { unpick } from "../here/unpick.ts";
import { ferryFolder } from "../quarantine.ts";
import { asideFolder } from "./aside.ts";
import { findWorkTree } from "./find-work-tree.ts";
import { Journal, type Left } from "./journal.ts";
import { lockPatience } from "../../git/locked.ts";
import { letGo } from "../land/hold.ts";
import type { WorkingCopy } from "../land/working-copy.ts";
import { outlive } from "./outlive.ts";
import { placeRefs } from "./place-refs.ts";
import { type Rescued, rescueFolder } from "./rescue.ts";
import { foreignError, rescueAside, rescueEdited, settle } from "./settle.ts";
import { removeStaleLocks } from "./stale-locks.ts";
import { emptyLimbo } from "./take-out.ts";

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
  const scratch = join(folder, "recovery");
  const end = async () => {
    await rm(scratch, { recursive: true, force: true });
    emptyLimbo(context.repository);
    await letGo(left, { git: context.git, repository: context.repository, children: journal.children("refs") });
    await journal.end();
  };
  const found = await findWorkTree(left, context);
  if (found === "away" && left.before !== undefined) throw awayError(left, context.repository);
  if (found === "away") return end();
  await rm(scratch, { recursive: true, force: true });
  await mkdir(scratch, { mode: 0o700 });
  const place = (at: Pick<Left, "gitDir" | "workTree">) => workingCopy(at, context, { scratch, journal });
  if (found !== "gone" && left.stop !== undefined && (await standsHere({ commit: left.stop }, place({ ...left, ...found })))) {
    if (!journal.hasPicked()) return end();
    await unpick(left.old, place({ ...left, ...found }), journal.pickedIndex);
  }
  if (found === "gone") return endGone(left, place({ gitDir: context.repository.commonDir, workTree: scratch }), end);
  const copy = place({ ...left, ...found });
  const { state, foreign } = await settle(left, copy);
  await placeRefs(left.updates, state, copy);
  const rescued = state === "elsewhere" ? await rescueAside(left, copy) : [];
  if (state === "new") context.edited.push(...(await rescueEdited(left, copy)));
  await end();
  if (state === "elsewhere") throw elsewhereError({ ...left, ...found }, rescued, folder);
  if (foreign.length > 0) throw foreignError(foreign, folder);
}

/** There is nothing to take back, and what was put away is nowhere else. */
async function endGone(left: Left, nowhere: WorkingCopy, end: () => Promise<void>): Promise<void> {
  const rescued = await rescueAside(left, nowhere);
  await end();
  if (rescued.length > 0) throw goneError(left, rescued, rescueFolder(nowhere.repository));
}

function workingCopy(
  place: Pick<Left, "gitDir" | "workTree">,
  { git, host, repository }: Context,
  own: { scratch: string; journal: Journal },
): WorkingCopy {
  return {
    git,
    host,
    repository: { ...repository, gitDir: place.gitDir, workTree: place.workTree },
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

function goneError({ workTree }: Left, rescued: readonly Rescued[], rescue: string): FerryError {
  return new FerryError("attention", `a pull was interrupted in ${oneLine(workTree)}, a worktree that is gone`, {
    details: rescued.map(({ path }) => showPath(path)),
    hint: `files as they were before are in ${rescue}; pull again`,
  });
}

/** Nothing is deleted: it may be on a disk that isn't there at the moment. */
function awayError({ gitDir, workTree }: Left, repository: Context["repository"]): FerryError {
  const { commonDir } = repository;
  const aside = asideFolder(ferryFolder(repository));
  const way =
    gitDir === commonDir
      ? "pull in it, where it is now"
      : `git worktree repair PATH names where it is now, then pull again; where it is gone for good, or is another repository's: rm -r ${shellWord(gitDir)}`;
  return new FerryError(
    "attention",
    `a pull was interrupted in ${oneLine(workTree)}, and no working copy of this repository is there`,
    {
      code: "working_copy_away",
      hint: `${way}; files as they were before are in ${oneLine(aside)}`,
    },
  );
}
