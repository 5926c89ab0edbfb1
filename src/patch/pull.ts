import { mkdir } from "node:fs/promises";
import { FerryError } from "../base/errors.ts";
import { bring, cursorUpdates } from "./bring.ts";
import type { Context } from "./context.ts";
import { findIncoming, type Incoming, unrelatedError } from "./incoming.ts";
import { lockPatience, whenUnlocked } from "./land/locks.ts";
import { prepare, RefsMoved } from "./land/transaction.ts";
import { lockRepository } from "./lock.ts";
import { findWorkingCopy, refuseBusy, refuseInsideCommit } from "./preconditions.ts";
import { ferryFolder, sweepQuarantines } from "./quarantine.ts";
import { recover } from "./recovery/recover.ts";
import { asItIs, makeVerdict } from "./place/place.ts";
import type { PullDeps, PullRequest } from "./request.ts";
import type { Verdict } from "./verdict.ts";

/** How long another pull in this repository is waited for, in ms. */
const otherPull = 30_000;
/** How often a pull starts anew because the user committed meanwhile. */
const attempts = 3;

/**
 * Brings a session's new commits to the branch that is checked out in a folder, all of them or none, and never twice.
 * @throws FerryError attention where a person is needed (local work in the way, an open operation, HEAD moved on), failure for a
 * series that doesn't hold what it says or is refused by policy, unavailable while another pull runs. Nothing has changed then.
 */
export async function pull(request: PullRequest, { git, host, checkpoint }: PullDeps): Promise<Verdict> {
  const repository = await findWorkingCopy(git, request.folder);
  const context: Context = { request, git, host, repository, checkpoint: async (name) => checkpoint?.(name) };
  await refuseInsideCommit(git, context);
  const folder = ferryFolder(repository);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const lock = await lockRepository(host, folder, request.hook === undefined ? otherPull : 0);
  try {
    await context.checkpoint("locked");
    await recover(context);
    await sweepQuarantines(repository);
    const verdict = await attempt(context, attempts);
    await context.checkpoint("finished");
    return verdict;
  } finally {
    await lock.release();
  }
}

async function attempt(context: Context, left: number): Promise<Verdict> {
  try {
    return await once(context);
  } catch (error) {
    if (!(error instanceof RefsMoved)) throw error;
    if (left <= 1)
      throw new FerryError("attention", "HEAD keeps moving", { hint: "pull again when nothing else commits here", cause: error });
    return attempt(context, left - 1);
  }
}

async function once(context: Context): Promise<Verdict> {
  const incoming = await findIncoming(context);
  if (incoming.series.items.length === 0) return remember(incoming, context);
  await refuseBusy(context, incoming.head);
  if (incoming.fit === "unrelated") throw unrelatedError(incoming);
  return bring(incoming, context);
}

/** Nothing new. Where the branch had the commits before we knew of it, the cursor moves. */
async function remember(incoming: Incoming, { git, host, repository, request }: Context): Promise<Verdict> {
  if (incoming.present > 0 && request.dryRun !== true) {
    const refs = { updates: cursorUpdates(incoming), reason: "ferry pull: nothing new" };
    const transaction = await whenUnlocked(host, request.hook === undefined ? lockPatience : 0, () =>
      prepare(git, repository, refs),
    );
    await transaction.commit();
  }
  return makeVerdict(incoming, asItIs(incoming), { changes: [], notices: [] });
}
