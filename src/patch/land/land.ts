import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { asFerryError, FerryError } from "../../base/errors.ts";
import type { Head } from "../../git/discover.ts";
import type { Change } from "../../git/records.ts";
import type { Context } from "../context.ts";
import { ferryFolder } from "../quarantine.ts";
import { Journal, type Left, type Plan } from "../recovery/journal.ts";
import { lockPatience } from "../../git/locked.ts";
import { hold, holdsOf, letGo } from "./hold.ts";
import { whenUnlocked } from "./locks.ts";
import { checkOverlay, type Overlay, writeOverlay } from "./overlay.ts";
import { checkPaths, type Own, type PathCheck } from "./path-check.ts";
import { refLocks } from "./ref-locks.ts";
import { Aside, planAside } from "../recovery/aside.ts";
import { placeRefs } from "../recovery/place-refs.ts";
import { foreignError, rescueEdited, settle, type Settled } from "../recovery/settle.ts";
import { removeStaleLocks } from "../recovery/stale-locks.ts";
import type { Replacement } from "./replace.ts";
import { prepare, type RefUpdate, RefsMoved, type Transaction } from "./transaction.ts";
import { writeTree } from "./write-tree.ts";
import type { WorkingCopy } from "./working-copy.ts";

export interface Landing {
  readonly head: Head;
  /** Undefined where a branch without a commit stays so. */
  readonly tip: string | undefined;
  /** From the tree that HEAD has to that of the tip. */
  readonly changes: readonly Change[];
  /** Where the working tree is to hold more than the tip. */
  readonly overlay?: Overlay | undefined;
  /** What was found to be there already, where an update remembers that. */
  readonly own?: readonly Own[] | undefined;
  /** HEAD's own first. */
  readonly updates: readonly RefUpdate[];
  readonly reason: string;
  /** For files of this landing's own. */
  readonly scratch: string;
}

/**
 * Moves branch, index, working tree and cursor to the tip, all or nothing: the refs are locked first, then the tree is checked and
 * written, then the refs move. Gives what was in the way; nothing moved then.
 * @throws RefsMoved where HEAD isn't what it was, or what is there already isn't; FerryError where it failed and was taken back
 */
export async function land(landing: Landing, context: Context): Promise<PathCheck["blocked"]> {
  const { git, host, repository, checkpoint, request } = context;
  const journal = new Journal(ferryFolder(repository), host.clock);
  const plan = await makePlan(landing, context);
  await journal.begin(plan);
  await checkpoint("journaled");
  const refs = { updates: landing.updates, reason: landing.reason, children: journal.children("refs") };
  const holder = { git, repository, children: refs.children };
  const patience = request.hook === undefined ? lockPatience : 0;
  const end = async () => {
    await letGo(plan, holder);
    await journal.end();
  };
  const begin = async () => {
    await whenUnlocked(host, patience, () => hold(plan, holder));
    await checkpoint("held");
    return whenUnlocked(host, patience, () => prepare(git, repository, refs));
  };
  const transaction = await begin().catch(async (error: unknown) => {
    await unlockRefs(journal);
    await end();
    throw error;
  });
  const own = { scratch: landing.scratch, patience, children: journal.children("index") };
  const copy = { git, host, repository, ...own };
  const blocked = await withRefsLocked(transaction, { landing, context, copy, journal, end });
  if (blocked.length === 0) await keepEdited(journal, context);
  await end();
  return blocked;
}

async function makePlan({ head, tip, overlay, updates }: Landing, { repository }: Context): Promise<Plan> {
  const { gitDir, workTree } = repository;
  const goal = { new: tip, overlay: overlay && { old: overlay.old, new: overlay.new, index: overlay.index }, updates };
  return {
    gitDir,
    workTree,
    old: head.state === "unborn" ? undefined : head.commit,
    ...goal,
    locks: {
      refs: await refLocks(["HEAD", ...updates.map(({ ref }) => ref), ...holdsOf(goal).keys()], repository),
      index: [join(gitDir, "index.lock")],
      tree: [],
    },
  };
}

interface Work {
  readonly landing: Landing;
  readonly context: Context;
  readonly copy: WorkingCopy;
  readonly journal: Journal;
  /** Where nothing of it is left to do or to take back. */
  readonly end: () => Promise<void>;
}

async function withRefsLocked(transaction: Transaction, work: Work): Promise<PathCheck["blocked"]> {
  const { context } = work;
  try {
    await context.checkpoint("prepared");
    await refuseOtherBranch(work);
    const blocked = await checkAndWrite(work);
    if (blocked.length > 0) {
      await transaction.abort();
      return blocked;
    }
    await transaction.commit();
  } catch (error) {
    await takeBack(error, transaction, work);
  }
  await context.checkpoint("committed");
  return [];
}

/** Gives what is in the way; nothing was written then. */
async function checkAndWrite({ landing, context, copy, journal }: Work): Promise<PathCheck["blocked"]> {
  const { head, tip, changes, overlay } = landing;
  const { checkpoint } = context;
  const begin = async ({ own, before, stamps }: PathCheck, written: readonly Change[]): Promise<Replacement> => {
    if (landing.own !== undefined && !isDeepStrictEqual(own, landing.own))
      throw new RefsMoved("attention", "files of the working copy changed meanwhile");
    const folder = await journal.makeAside();
    const kept = planAside(written, { before, stamps });
    await journal.writing({ ...before, ...kept });
    const aside = new Aside(folder, kept, copy);
    return { changes: written, kept: new Set(before.kept), skipped: new Set(before.skipped), aside, checkpoint };
  };
  if (overlay === undefined) {
    if (tip === undefined) return [];
    const check = await checkPaths(copy, changes);
    await checkpoint("checked");
    if (check.blocked.length === 0)
      await writeTree(copy, { old: head, tip, check, checkpoint, replacement: await begin(check, changes) });
    return check.blocked;
  }
  const check = await checkOverlay(copy, changes, overlay);
  await checkpoint("checked");
  if (check.blocked.length === 0) {
    const replacement = await begin(check, overlay.changes);
    await writeOverlay(copy, { changes, overlay, check, children: journal.children("tree"), checkpoint, replacement });
  }
  return check.blocked;
}

/** With HEAD locked: `update HEAD` moves the branch that it names now, which must be the one that was looked at. */
async function refuseOtherBranch({ landing, context }: Work): Promise<void> {
  const { git, repository } = context;
  const options = { cwd: repository.gitDir, gitDir: repository.gitDir };
  const now = (await git.run(["symbolic-ref", "--quiet", "HEAD"], options)).stdout.toString("utf8").trim();
  const then = landing.head.state === "detached" ? "" : landing.head.ref;
  if (now !== then) throw new RefsMoved("attention", "another branch was checked out meanwhile");
}

/**
 * Undoes the tree while the refs are still locked, then unlocks them. Where undoing fails, the journal stays.
 * @throws the error, or one that says more; not where all has landed after all
 */
async function takeBack(error: unknown, transaction: Transaction, { context, copy, journal, end }: Work): Promise<void> {
  const left = await journal.read();
  if (left === undefined) throw error;
  const undone = await undo(left, copy).catch(asFerryError);
  // Its git may be what failed: one that was killed leaves its locks, and perhaps some of the refs moved.
  await transaction.abort().catch(() => undefined);
  await unlockRefs(journal);
  const settled = undone instanceof FerryError ? undone : await follow(undone, left, copy).catch(asFerryError);
  if (settled instanceof FerryError)
    throw new FerryError("attention", `the working copy is half way: ${settled.message}`, {
      hint: "pull again: that first takes back what is left of this one",
      cause: error,
    });
  if (settled.state === "new") return;
  if (settled.state === "restored") await end();
  throw settled.foreign.length === 0 ? error : foreignError(settled.foreign, ferryFolder(context.repository), error);
}

/** Before the journal ends, and what was kept aside goes. */
export async function keepEdited(journal: Journal, context: Context): Promise<void> {
  const left = await journal.read();
  if (left !== undefined) context.edited.push(...(await rescueEdited(left, context)));
}

async function unlockRefs(journal: Journal): Promise<void> {
  const left = await journal.read();
  if (left !== undefined) await removeStaleLocks(left, "refs");
}

async function undo(left: Left, copy: WorkingCopy): Promise<Settled> {
  await removeStaleLocks(left, "index");
  return settle(left, copy);
}

async function follow(settled: Settled, left: Left, copy: WorkingCopy): Promise<Settled> {
  await placeRefs(left.updates, settled.state, copy);
  return settled;
}
