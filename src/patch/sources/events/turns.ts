import { FerryError } from "../../../base/errors.ts";
import { count, oneLine } from "../../../base/text.ts";
import type { Timeline, TimelineEvent } from "../../source.ts";

/** What the agent did to files for one message. */
export interface Turn {
  /** The message; "" for what came before the first. */
  readonly message: string;
  /** Of files, in order; at least one. */
  readonly events: readonly TimelineEvent[];
}

const fileEvents: ReadonlySet<string> = new Set([
  "agent_file_create",
  "agent_file_edit",
  "agent_file_remove",
  "agent_file_move",
  "agent_file_copy",
]);

/** What changes files without telling how. */
const untold: ReadonlySet<string> = new Set([
  "agent_rollback_uncommitted_changes",
  "agent_merge_remote_branch",
  "agent_pull_from_remote",
  "agent_abort_conflict_resolution",
]);

const open: ReadonlySet<string> = new Set(["queued", "processing"]);

/** The turns whose commits can be made. */
export interface Finished {
  readonly turns: readonly Turn[];
  /** What of the timeline has to wait, and why: one line; undefined where nothing has to. */
  readonly held: string | undefined;
}

/**
 * The turns that are over and changed files, oldest first: from one message of the user's to the next. What follows a turn that
 * isn't over isn't either: whose last event is still to come can't be found again by it.
 * @throws FerryError failure for a timeline whose files can't be told from it
 */
export function finishedTurns({ events: all, underWay }: Timeline, repositoryId: string | undefined): Finished {
  const events = all.filter((event) => isHere(event, repositoryId));
  refuseSeveral(events, repositoryId);
  const starts = events.flatMap(({ type }, at) => (type === "user_message" ? [at] : []));
  const pieces = [events.slice(0, starts[0]), ...starts.map((start, at) => events.slice(start, starts[at + 1]))];
  const last = pieces.length - 1;
  const firstOpen = pieces.findIndex((piece) => piece.some(({ status }) => open.has(status)));
  const over = underWay === undefined ? pieces : pieces.slice(0, firstOpen < 0 ? last : firstOpen);
  const turns = over.flatMap((piece) => {
    const done = piece.filter(({ status }) => status !== "canceled");
    const blind = done.find(({ type }) => untold.has(type));
    if (blind !== undefined)
      throw new FerryError(
        "failure",
        `event ${oneLine(blind.id)} (${oneLine(blind.type)}) changed files, and the timeline doesn't say how`,
        { code: "unfit_event" },
      );
    const changes = done.filter(({ type }) => fileEvents.has(type));
    const message = piece[0]?.type === "user_message" ? piece[0].payload["message"] : "";
    return changes.length === 0 ? [] : [{ message: typeof message === "string" ? message : "", events: changes }];
  });
  return { turns, held: underWay === undefined ? undefined : whatWaits(pieces.slice(over.length), underWay) };
}

function whatWaits(pieces: readonly (readonly TimelineEvent[])[], why: string): string {
  const changes = pieces.flat().filter(({ type }) => fileEvents.has(type)).length;
  const which = pieces.length > 1 ? `the last ${pieces.length} turns` : "the last turn";
  const till = changes === 0 ? "" : `; ${count(changes, "change")} to files come${changes === 1 ? "s" : ""} when that is over`;
  return `${which} may not be over yet: ${oneLine(why)}${till}`;
}

function isHere({ type, payload }: TimelineEvent, repositoryId: string | undefined): boolean {
  const id = payload["repository_id"];
  return !fileEvents.has(type) || repositoryId === undefined || id === undefined || id === "" || id === repositoryId;
}

function refuseSeveral(events: readonly TimelineEvent[], repositoryId: string | undefined): void {
  const ids = new Set(events.filter(({ type }) => fileEvents.has(type)).map(({ payload }) => payload["repository_id"] ?? ""));
  if (repositoryId === undefined && ids.size > 1)
    throw new FerryError("failure", "the timeline tells of several repositories, and not which one is the session's", {
      code: "unfit_event",
    });
}
