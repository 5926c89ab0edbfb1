import { FerryError } from "../../base/errors.ts";
import type { PullContext } from "../context.ts";
import { type SourceName, sourceNames } from "../source.ts";
import type { CursorNote } from "../incoming/note.ts";
import type { Memory } from "../incoming/refs.ts";
import type { Found } from "./found.ts";
import { findPatches } from "./patches.ts";

/** What a branch here has of a session, for each source to begin after. */
export interface Reached {
  /** The sandbox's commit that came last. */
  readonly commit: string | undefined;
  /** What a cursor that is no commit says. */
  readonly note: CursorNote | undefined;
  /** The commit of the branch; undefined for an unborn one. */
  readonly head: string | undefined;
}

/**
 * The session's new commits, from the source that the user asks for, or that the first pull took, or from the best that there is.
 * @throws FerryError attention where another source would have to be chosen, failure where there is none
 */
export async function findCommits(
  reached: Reached,
  { pinned, isFirst }: Pick<Memory, "pinned" | "isFirst">,
  context: PullContext,
): Promise<Found> {
  const { wanted = "auto" } = context.request.offers;
  if (wanted !== "auto") return from(wanted, reached, context);
  if (pinned === undefined) return fromBest(reached, context);
  // An undone pull is no reason to go on with less than there is; but where there is nothing else, the same comes again.
  if (isFirst && pinned === "events")
    return fromBest(reached, context).catch((error: unknown) => {
      if (isNoSource(error)) return from(pinned, reached, context);
      throw error;
    });
  return from(pinned, reached, context).catch((error: unknown) => {
    if (!isNoSource(error)) throw error;
    throw new FerryError("attention", `its commits came from ${where[pinned]} until now, and ${error.message}`, {
      code: "no_source",
      hint: `choose another: ${others(pinned)
        .map((name) => bySource(name, context))
        .join(", or ")}`,
    });
  });
}

function others(pinned: SourceName): readonly SourceName[] {
  return sourceNames.filter((name) => name !== pinned);
}

function isNoSource(error: unknown): error is FerryError {
  return error instanceof FerryError && error.code === "no_source";
}

const where: Readonly<Record<SourceName, string>> = {
  patches: "the service's patches",
  branch: "its branch on a remote",
  events: "its timeline",
};

/** What most pulls don't take is loaded where one does. @throws FerryError failure with code no_source where that isn't offered */
async function from(source: SourceName, reached: Reached, context: PullContext): Promise<Found> {
  const { patches, branch, remotes, events } = context.request.offers;
  if (source === "patches") {
    if (patches === undefined) throw noSource("the service doesn't send its commits");
    return findPatches(patches, reached.commit ?? "", context);
  }
  if (source === "branch") {
    if (branch === undefined || remotes === undefined) throw noSource("the session has no branch");
    const { findBranch } = await import("./branch.ts");
    return findBranch({ source: branch, remotes }, { cursor: reached.commit, head: reached.head }, context);
  }
  if (events === undefined) throw noSource("the service has no timeline");
  const { findEvents } = await import("./events/events.ts");
  return findEvents(events, reached, context).catch((error: unknown) => {
    throw withBranch(error, context);
  });
}

/** Where the timeline doesn't say what was done, the session's branch has it. */
function withBranch(error: unknown, context: PullContext): unknown {
  if (!(error instanceof FerryError) || error.code !== "unfit_event" || error.hint !== undefined) return error;
  if (context.request.offers.branch === undefined) return error;
  const { kind, message, code, details } = error;
  const hint = `nothing was changed; take the commits from the session's branch: ${bySource("branch", context)}`;
  return new FerryError(kind, message, { code, details, hint, cause: error });
}

/** In their order; the next one where the one before isn't there at all, not where it fails. */
async function fromBest(reached: Reached, context: PullContext): Promise<Found> {
  const reasons: string[] = [];
  for (const source of sourceNames) {
    try {
      if (source === "events") requireAutomatic(context);
      return await from(source, reached, context);
    } catch (error) {
      if (!isNoSource(error) && !(error instanceof FerryError && error.code === "no_branch")) throw withTimeline(error, context);
      reasons.push(error.message);
    }
  }
  throw new FerryError("failure", "the session's commits can be had from nowhere", { code: "no_source", details: reasons });
}

/** Nobody would see, in a hook or a script, that these commits are only near to the sandbox's. */
function requireAutomatic({ request }: PullContext): void {
  if (request.offers.events?.isAutomatic !== true)
    throw noSource(
      `its timeline, which tells nearly what it did, is only taken where it is asked for: ${bySource("events", { request })}`,
    );
}

/** Who only looks is told a command that only looks. */
function bySource(source: SourceName, { request }: Pick<PullContext, "request">): string {
  return `ferry pull --source ${source}${request.dryRun === true ? " --dry-run" : ""}`;
}

function noSource(message: string): FerryError {
  return new FerryError("failure", message, {
    code: "no_source",
    hint: "ferry pull --help tells of the other sources (--source)",
  });
}

/** Where no remote answers, what the agent did may be told by the timeline, too: nobody is given that unasked. */
function withTimeline(error: unknown, { request }: PullContext): unknown {
  const isAway = error instanceof FerryError && error.code === "remote_unreachable" && error.hint === undefined;
  if (!isAway || request.offers.events === undefined || request.offers.patches !== undefined) return error;
  const { kind, message, code, details } = error;
  const hint = `try again when it answers, or take the diffs of its timeline (approximate): ${bySource("events", { request })}`;
  return new FerryError(kind, message, { code, details, hint, cause: error });
}
