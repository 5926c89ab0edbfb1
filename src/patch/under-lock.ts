import { mkdir } from "node:fs/promises";
import { fileTrouble } from "../git/trouble.ts";
import type { Context } from "./context.ts";
import { lockRepository } from "./lock.ts";
import { withEdited } from "./edited.ts";
import { findWorkingCopy, refuseInsideCommit } from "./preconditions.ts";
import { ferryFolder, sweepQuarantines } from "./quarantine.ts";
import { recoverStash } from "./stash/recover.ts";
import { sweepParked } from "./parked/end.ts";
import { outlivePorcelain } from "./recovery/porcelain.ts";
import { recover } from "./recovery/recover.ts";
import { forgetUntold, readUntold } from "./recovery/rescue.ts";
import type { Errand, PullDeps } from "./request.ts";

/** How long another pull in this repository is waited for, in ms. */
const otherPull = 30_000;

/** Does something to a working copy while no other ferry does, once what an earlier one left half done is ended. */
export async function underLock<T>(request: Errand, deps: PullDeps, work: (context: Context) => Promise<T>): Promise<T> {
  return locked(request, deps, work).catch((error: unknown) => {
    throw fileTrouble(error) ?? error;
  });
}

async function locked<T>(request: Errand, deps: PullDeps, work: (context: Context) => Promise<T>): Promise<T> {
  const { git, host, checkpoint } = deps;
  const repository = await findWorkingCopy(git, request, host);
  const context: Context = { request, git, host, repository, checkpoint: async (name) => checkpoint?.(name), edited: [] };
  await refuseInsideCommit(git, context);
  const folder = ferryFolder(repository);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const lock = await lockRepository(host, folder, request.hook === undefined ? otherPull : 0);
  try {
    context.edited.push(...(await readUntold(repository, git)));
    await context.checkpoint("locked");
    await outlivePorcelain(context);
    await recover(context);
    await recoverStash(context);
    await sweepQuarantines(repository);
    await sweepParked(context);
    const done = await work(context);
    if (context.edited.length > 0) throw withEdited(undefined, context);
    return done;
  } catch (error) {
    // What was rescued of a parked worktree by a step that failed then. Of other files whoever takes a pull back tells by its error.
    const told = new Set(context.edited.map(({ copy }) => copy));
    const untold = await readUntold(repository, git);
    context.edited.push(...untold.filter(({ copy, isParked }) => isParked === true && !told.has(copy)));
    throw withEdited(error, context);
  } finally {
    await forgetUntold(repository);
    await lock.release();
  }
}
