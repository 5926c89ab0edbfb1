import { rm } from "node:fs/promises";
import type { Context } from "../context.ts";
import type { PullDeps, PullRequest } from "../request.ts";
import { noneUnlessKilled } from "../../git/runner.ts";
import { typedId } from "../../base/ids.ts";
import { withEdited } from "../edited.ts";
import { underLock } from "../under-lock.ts";
import type { Verdict } from "../verdict.ts";
import { findHere, gitsOwnError, skipHere, type StoppedHere } from "../here/skip.ts";
import { end, parkedHere } from "./end.ts";
import { findParked } from "./find.ts";
import { changedContents, seeAll, type Seen } from "./look.ts";
import { readHeld } from "./held.ts";
import { headOf } from "./line.ts";
import { type Held, type Parked, replaceNote } from "./note.ts";
import { refuseUntrackedIn } from "./resolved.ts";
import { goOn } from "./resume.ts";
import { unmoved } from "./told.ts";
import { findTree, isThere, modulesOf, type ParkedTree } from "./tree.ts";

export interface ParkedRequest extends Pick<PullRequest, "progress" | "acceptDeletion" | "allowSymlinks"> {
  /** A folder of the repository: of the parked worktree, or of any other working copy. */
  readonly folder: string;
  /** The session's id, or the beginning of it, where several are parked. */
  readonly session?: string | undefined;
  readonly how: "continue" | "skip" | "abort";
}

export interface Resumed {
  readonly session: string;
  /** The branch's short name; undefined for a detached HEAD. */
  readonly branch: string | undefined;
  readonly verdict: Verdict;
  /** What was done, where it was no landing. */
  readonly said?: string;
}

/**
 * Ends a parked pull: `continue` once its conflict is resolved, `skip` without the commit that doesn't fit, `abort` with all of it
 * given up. The service isn't asked: all that was to come is here.
 * @throws FerryError not_found where none is parked, attention where a person is needed; see goOn
 */
export function resumeParked(request: ParkedRequest, deps: PullDeps): Promise<Resumed> {
  const { folder, progress, acceptDeletion, allowSymlinks, how } = request;
  const nobody = { folder, origin: "", workspace: "", session: "", repositoryId: "" };
  return underLock(nobody, deps, async (context) => {
    const here = (await parkedHere(context)) === undefined ? await findHere(context, request.session) : undefined;
    if (here !== undefined) return endHere(here, how, context);
    const parked = await findParked(context, request.session);
    const { errand, target } = parked.note;
    const own = { ...context, request: { ...nobody, ...errand, progress, acceptDeletion, allowSymlinks } };
    const verdict = how === "abort" ? await abort(parked, own, acceptDeletion === true) : await goOn(parked, how, own);
    if (context.edited.length > 0) throw withEdited(undefined, context, verdict);
    const branch = "ref" in target ? target.ref.replace(/^refs\/heads\//u, "") : undefined;
    return { session: typedId(errand.session), branch, verdict };
  });
}

async function endHere(here: StoppedHere, how: ParkedRequest["how"], context: Context): Promise<Resumed> {
  if (how !== "skip") throw gitsOwnError(here, how);
  return { session: typedId(here.note.session), branch: undefined, ...(await skipHere(here, context)) };
}

async function abort(parked: Parked, context: Context, isForced: boolean): Promise<Verdict> {
  const tree = await findTree(parked.note, context);
  // On its way to the next stop it has nothing of anybody's choice, and what someone made there since is kept.
  if (tree === undefined || parked.note.stage === "moving") await end(parked, context);
  else if (!(await isThere(tree))) {
    const held = await readHeld(tree, context);
    await end(await replaceNote(parked, { stage: "over", held }, { context }), context);
  } else {
    const read = { tree, seen: seeAll(tree), held: await readHeld(tree, context) };
    if (isForced) await endAll(parked, read, context);
    else await giveUp(parked, read, context);
  }
  return unmoved(parked.note);
}

/** A worktree as it was when all of it was given up. */
interface Read {
  readonly tree: ParkedTree;
  readonly seen: Seen;
  readonly held: Held;
}

/** Also what submodules have that were cloned for it. */
async function endAll(parked: Parked, { tree, seen, held }: Read, context: Context): Promise<void> {
  await rm(modulesOf(tree), { recursive: true, force: true });
  const from = await headOf(tree, context).catch(noneUnlessKilled);
  await end(await replaceNote(parked, { stage: "over", from, held }, { context }), context, { seen });
}

/** Notes first what is given up, for whoever goes on with it if we are killed. */
async function giveUp(parked: Parked, { tree, seen, held }: Read, context: Context): Promise<void> {
  const { head } = await refuseUntrackedIn(tree, context);
  const givenUp = await changedContents(head, { tree, seen }, context);
  await end(await replaceNote(parked, { stage: "over", from: head, givenUp, held }, { context }), context, { seen });
}
