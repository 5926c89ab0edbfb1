import { FerryError } from "../base/errors.ts";
import type { Came, Context, PullContext } from "./context.ts";
import { withEdited } from "./edited.ts";
import { endedUpdates, forgetOld } from "./incoming/ended.ts";
import { cursorUpdates } from "./incoming/cursor.ts";
import { droppedError, findIncoming, holdsCursor, type Incoming, unrelatedError } from "./incoming/incoming.ts";
import { tellGoneBack } from "./incoming/gone-back.ts";
import { moveRefs } from "./land/move-refs.ts";
import { CameAfterAll } from "./here/after-all.ts";
import { RefsMoved } from "./land/transaction.ts";
import { canGoOntoHead } from "./onto-head/can.ts";
import { refuseInParked, refuseParked } from "./parked/refuse.ts";
import { refuseBusy, refuseCheckedOut } from "./preconditions.ts";
import { asItIs, makeVerdict } from "./place/place.ts";
import { makeQuarantine, withQuarantine } from "./quarantine.ts";
import { checkPathspecs } from "./shape/pathspec.ts";
import type { PullDeps, PullRequest } from "./request.ts";
import { underLock } from "./under-lock.ts";
import type { Verdict } from "./verdict.ts";

/** How often a pull starts anew because the user worked there meanwhile. */
const attempts = 3;

/**
 * Brings a session's new commits to the branch that is checked out in a folder, all of them or none, and never twice.
 * @throws FerryError attention where a person is needed (local work in the way, an open operation, a conflict), failure for a
 * series that doesn't hold what it says or is refused by policy, unavailable while another pull runs. Nothing has changed then.
 */
export function pull(request: PullRequest, deps: PullDeps): Promise<Verdict> {
  return underLock(request, deps, async (context) => {
    await checkPathspecs(request.shape?.exclude, context);
    const verdict = await attempt({ ...context, request, engines: deps.engines }, attempts);
    await context.checkpoint("finished");
    if (context.edited.length > 0) throw withEdited(undefined, context, verdict);
    return verdict;
  });
}

async function attempt(context: PullTask, left: number): Promise<Verdict> {
  try {
    const verdict = await inQuarantine(context);
    return context.came === undefined ? verdict : await (await import("./here/came.ts")).joined(context.came, verdict, context);
  } catch (error) {
    if (error instanceof CameAfterAll) return attempt({ ...context, came: error.came }, attempts);
    if (!(error instanceof RefsMoved)) throw context.came === undefined ? error : await withCame(context.came, error, context);
    if (left <= 1)
      throw new FerryError("attention", error.message, { hint: "pull again when nothing else works here", cause: error });
    return attempt(context, left - 1);
  }
}

async function withCame(came: Came, error: unknown, context: Context): Promise<unknown> {
  const { joinedError } = await import("./here/came.ts");
  return joinedError(came, error, context);
}

type PullTask = Omit<PullContext, "quarantine">;

function inQuarantine(task: PullTask): Promise<Verdict> {
  const { git, host, repository, checkpoint } = task;
  const make = async () => {
    const quarantine = await makeQuarantine(git, host, repository);
    await checkpoint("quarantined");
    return quarantine;
  };
  return withQuarantine(make, (quarantine) => once({ ...task, quarantine }));
}

async function once(context: PullContext): Promise<Verdict> {
  await refuseInParked(context);
  const incoming = await findIncoming(context);
  await refuseParked(incoming, context);
  const isAsked = context.request.uncommitted === true;
  if (isAsked && incoming.isAside) throw asideError();
  if (isAsked && incoming.found.source === "events") throw madeError();
  await forgetOld(incoming.memory, context);
  if (incoming.series.items.length === 0) {
    if (incoming.fit === "rewritten" && (await holdsCursor(incoming, context))) throw droppedError(incoming);
    if (!isAsked) return remember(incoming, context);
  }
  if (incoming.isAside) await refuseCheckedOut(context, incoming.head);
  else await refuseBusy(context, incoming.head);
  const isElsewhere = incoming.series.items.length === 0 && incoming.head.state === "unborn" && incoming.series.tip !== "";
  if (incoming.fit === "unrelated" && context.request.ontoHead === true) return bringOntoHead(incoming, context);
  if (incoming.fit === "unrelated" || isElsewhere) throw unrelatedError(incoming);
  return bringAll(incoming, context);
}

/** Loaded where there is something to bring: a pull that finds nothing new is short. */
async function bringAll(incoming: Incoming, context: PullContext): Promise<Verdict> {
  const { bring } = await import("./bring.ts");
  const gone = await tellGoneBack(incoming, context);
  const verdict = await bring(incoming, context);
  return gone.length === 0 ? verdict : { ...verdict, notices: [...verdict.notices, ...gone] };
}

async function bringOntoHead(homeless: Incoming, context: PullContext): Promise<Verdict> {
  if (!canGoOntoHead(homeless)) throw unrelatedError(homeless);
  const { putOntoHead } = await import("./onto-head/onto-head.ts");
  const incoming = await putOntoHead(homeless, context);
  return incoming.series.items.length === 0 ? remember(incoming, context) : bringAll(incoming, context);
}

function asideError(): FerryError {
  return new FerryError("usage", "what isn't committed can't come to a branch that isn't checked out", {
    hint: "leave out --branch or --uncommitted",
  });
}

function madeError(): FerryError {
  return new FerryError(
    "attention",
    "what isn't committed follows the sandbox's own commits, and not those made of the timeline",
    {
      hint: "ferry pull --undo where those are here, then ferry pull --uncommitted --source patches",
    },
  );
}

/** Nothing new. Where the branch had the commits before we knew of it, the cursor moves. */
async function remember(incoming: Incoming, context: PullContext): Promise<Verdict> {
  const { memory, at, present, learned } = incoming;
  if (context.request.dryRun !== true) {
    const isNews = present > 0 || learned !== undefined;
    const updates = isNews ? await cursorUpdates(incoming, context) : endedUpdates(memory, at.remote ?? "", context);
    if (updates.length > 0) await moveRefs({ updates, reason: "ferry pull: nothing new" }, context);
  }
  return makeVerdict(incoming, asItIs(incoming), { changes: [], notices: await tellGoneBack(incoming, context) });
}
